// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/concepts.hpp>
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

/// Throws ShapeError where Y, of these rows and columns, lies on an array of A, as the caller's
/// Views may: the product would change what it reads.
template <class Matrix, class T>
void require_apart_from_matrix(const Matrix& a, const Operand<T>& y, std::int64_t rows,
                               std::int64_t columns) {
  if constexpr (HasArrays<Matrix>) {
    if (rows == 0 || columns == 0) return;
    const auto address = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data); };
    const T* const end = y.data + (rows - 1) * y.row_stride + (columns - 1) * y.column_stride + 1;
    for (const ArraySpan& array : a.arrays())
      if (array.bytes > 0 && address(array.data) + array.bytes > address(y.data) &&
          address(array.data) < address(end))
        throw ShapeError(concat("spmm: Y lies on A's ", array.name,
                                "; a product cannot change the matrix that it reads. Give Y memory "
                                "of its own."));
  }
}

/// Throws ShapeError, in the name of a call, where two elements of its result have one address, as
/// a strided View's may: the last thread to write would decide.
template <class YView>
void require_own_elements(std::string_view call, std::string_view name, const YView& y) {
  const std::int64_t rows = multivector_rows(y);
  const std::int64_t columns = multivector_columns(y);
  const auto span = span_of<Columns::strided>(y);
  const std::int64_t row = span.row_stride;
  const std::int64_t column = span.column_stride;
  if ((column == 1 && row >= columns) || (row == 1 && column >= rows)) return;
  // column / step rows further down and row / step columns back is the same address, and nothing
  // nearer is.
  const std::int64_t step = std::gcd(row, column);
  const bool overlap =
      step == 0 ? rows * columns > 1 : column / step < rows && row / step < columns;
  if (overlap)
    throw ShapeError(concat(call, ": elements of ", name, " (", y.label(), ") overlap: it is ",
                            rows, " x ", columns, ", with strides of ", row, " and ", column,
                            " elements. Give each of them memory of its own."));
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
  require_columns("spmm", multivector_columns(x), 0);
}

template <class XView, class YView>
void validate_operands(const Shape& a, const XView& x, const YView& y) {
  validate_x(a, x);
  const std::int64_t k = multivector_columns(x);
  require_extents("Y", y, a.rows, k, [&] {
    return concat(words_of(a), " and X of ", k, k == 1 ? " column" : " columns");
  });
  require_own_elements("spmm", "Y", y);
  require_apart(x, y);
}

}  // namespace detail
}  // namespace fatvec
