// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/multivector.hpp>

namespace fatvec {
namespace detail {

/// Throws ShapeError unless view is rows × columns; `because` makes the reason, which takes longer
/// than a small product.
template <class V, class Because>
void require_extents(const char* operand, const V& view, std::int64_t rows, std::int64_t columns,
                     const Because& because) {
  if (multivector_rows(view) == rows && multivector_columns(view) == columns) return;
  throw ShapeError(concat("spmm: ", operand, " (", view.label(), ") is ", multivector_rows(view),
                          " x ", multivector_columns(view), ", wanted ", rows, " x ", columns, " ",
                          because(), "."));
}

/// Runs of neighbouring elements, `distance` apart: how a View with one unit stride lies in memory.
struct Runs {
  std::intptr_t first;    ///< address of the first element
  std::int64_t count;     ///< number of runs
  std::int64_t length;    ///< bytes of a run
  std::int64_t distance;  ///< bytes from run to run
  [[nodiscard]] bool empty() const { return count == 0 || length == 0; }
  [[nodiscard]] std::intptr_t end() const { return first + (count - 1) * distance + length; }
};

template <MultiVector V>
Runs runs_of(const V& view) {
  constexpr std::int64_t size = sizeof(typename V::value_type);
  const std::int64_t rows = multivector_rows(view);
  const std::int64_t columns = multivector_columns(view);
  const auto first = reinterpret_cast<std::intptr_t>(view.data());
  const std::int64_t row_stride = static_cast<std::int64_t>(view.stride(0)) * size;
  if (rows == 0 || columns == 0) return {first, 0, 0, 0};
  if (has_contiguous_columns(view)) return {first, rows, columns * size, row_stride};
  const std::int64_t column_stride =
      static_cast<std::int64_t>(span_of<Columns::strided>(view).column_stride) * size;
  if (row_stride == size) return {first, columns, rows * size, column_stride};
  return {first, 1, (rows - 1) * row_stride + (columns - 1) * column_stride + size, 0};
}

/// True where X and Y share an element. Interleaved parts of one allocation (two column ranges of
/// one block) do not; layouts too different to tell count as sharing when their address ranges do.
inline bool share_memory(const Runs& x, const Runs& y) {
  if (x.empty() || y.empty() || x.end() <= y.first || y.end() <= x.first) return false;
  if (x.distance != y.distance || x.distance <= 0) return true;
  const std::intptr_t gap = ((y.first - x.first) % x.distance + x.distance) % x.distance;
  return gap < x.length || gap + y.length > x.distance;
}

template <class XView, class YView>
void require_apart(const XView& x, const YView& y) {
  if (share_memory(runs_of(x), runs_of(y))) {
    throw ShapeError(concat("spmm: X (", x.label(), ") and Y (", y.label(),
                            ") share memory; a product cannot be formed in place."));
  }
}

/// Throws ShapeError where Y lies on an array of A, as the caller's Views may: the product would
/// change what it reads. Of formats that have slots.
template <class S, class T>
void require_apart_from_matrix(const S& a, const Operand<const T>& y, std::int64_t k) {
  if constexpr (requires { a.slots; }) {
    if (a.rows() == 0 || k == 0) return;
    const auto address = [](const auto* element) {
      return reinterpret_cast<std::intptr_t>(element);
    };
    const std::int64_t last = (a.rows() - 1) * y.row_stride + (k - 1) * y.column_stride;
    const auto check = [&](const char* array, const auto* first, std::int64_t length) {
      if (length == 0 || address(first + length) <= address(y.data) ||
          address(y.data + last + 1) <= address(first))
        return;
      throw ShapeError(concat("spmm: Y lies on A's ", array,
                              "; a product cannot change the matrix that it reads. Give Y memory "
                              "of its own."));
    };
    check("values", a.values, a.stored_entries());
    check("entries", a.entries, a.slots);
    if constexpr (requires { a.access.row_map; }) check("row_map", a.access.row_map, a.count + 1);
  }
}

/// What messages say of A.
struct Shape {
  std::string_view format;
  std::int64_t rows;
  std::int64_t cols;
};

inline std::string words_of(const Shape& a) {
  return concat("for A (", a.format, ") of ", a.rows, " x ", a.cols);
}

template <class XView>
void validate_x(const Shape& a, const XView& x) {
  require_extents("X", x, a.cols, multivector_columns(x), [&] { return words_of(a); });
}

template <class XView, class YView>
void validate_operands(const Shape& a, const XView& x, const YView& y) {
  validate_x(a, x);
  const std::int64_t k = multivector_columns(x);
  require_extents("Y", y, a.rows, k, [&] {
    return concat(words_of(a), " and X of ", k, k == 1 ? " column" : " columns");
  });
  require_apart(x, y);
}

}  // namespace detail
}  // namespace fatvec
