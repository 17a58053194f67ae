// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <fatvec/core/error.hpp>

namespace fatvec {

/// A dense operand: any rank-1 View (one column) or rank-2 View (rows × columns), of whatever
/// layout, padding or memory traits.
template <class V>
concept MultiVector = Kokkos::is_view_v<V> && (V::rank() == 1 || V::rank() == 2);

/// Columns of a dense operand as its type has them, `double**[4]` or `double*[4]`, 1 for rank 1; 0
/// where they are known only at run time.
template <MultiVector V>
inline constexpr std::size_t static_columns = [] {
  using Data = typename V::data_type;
  if constexpr (V::rank() == 1)
    return std::size_t{1};
  else if constexpr (std::rank_v<Data> == 0)
    return std::size_t{0};
  else
    return std::extent_v<Data, std::rank_v<Data> - 1>;
}();

/// Rows of a dense operand.
template <MultiVector V>
std::int64_t multivector_rows(const V& view) {
  return static_cast<std::int64_t>(view.extent(0));
}

/// Columns of a dense operand: 1 for rank 1.
template <MultiVector V>
std::int64_t multivector_columns(const V& view) {
  if constexpr (V::rank() == 1) {
    return 1;
  } else {
    return static_cast<std::int64_t>(view.extent(1));
  }
}

/// The most columns that X and Y may have: kernels count them in 32 bits.
inline constexpr std::int64_t max_columns = INT32_MAX;

namespace detail {

/// Throws ShapeError for a number of columns out of range.
inline void require_columns(std::string_view what, std::int64_t columns, std::int64_t least) {
  if (columns >= least && columns <= max_columns) return;
  throw ShapeError(concat(what, ": multivectors have ", least, " to ", max_columns,
                          " columns here, not ", columns, "."));
}

}  // namespace detail

/// What lies together in a multivector's memory: the columns of a row (Kokkos::LayoutRight) or the
/// rows of a column (LayoutLeft).
enum class Layout { row, column };

/// As the programs spell it.
constexpr std::string_view to_string(Layout layout) {
  return layout == Layout::row ? "row" : "column";
}

namespace detail {

/// Whether the columns of a row are neighbours in memory is the one layout question that kernels
/// must answer at compile time.
enum class Columns { contiguous, strided };

/// A borrowed dense multivector inside a kernel: element (i, c) at data[i · row_stride + c ·
/// column_stride]. Two instantiations serve every View a user may have: LayoutRight, LayoutLeft,
/// LayoutStride, padded, rank 1.
template <class T, Columns columns>
struct MultiVectorSpan {
  T* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 1;

  [[nodiscard]] KOKKOS_FUNCTION T* row(std::int64_t i) const { return data + i * row_stride; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t step() const {
    if constexpr (columns == Columns::contiguous) {
      return 1;
    } else {
      return column_stride;
    }
  }
  [[nodiscard]] KOKKOS_FUNCTION T& operator()(std::int64_t i, std::int64_t c) const {
    return row(i)[c * step()];
  }
  /// Columns c, c + 1, ...
  [[nodiscard]] MultiVectorSpan from_column(std::int64_t c) const {
    MultiVectorSpan span = *this;
    span.data += c * step();
    return span;
  }
};

/// X or Y of whatever layout, as the kernels get it.
template <class T>
using Operand = MultiVectorSpan<T, Columns::strided>;

template <Columns columns, MultiVector V>
MultiVectorSpan<typename V::value_type, columns> span_of(const V& view) {
  std::int64_t column_stride = 1;
  if constexpr (V::rank() == 2) column_stride = static_cast<std::int64_t>(view.stride(1));
  return {view.data(), static_cast<std::int64_t>(view.stride(0)), column_stride};
}

/// The same, read only.
template <MultiVector V>
Operand<const std::remove_const_t<typename V::value_type>> operand_of(const V& view) {
  const auto span = span_of<Columns::strided>(view);
  return {span.data, span.row_stride, span.column_stride};
}

template <MultiVector V>
bool has_contiguous_columns(const V& view) {
  if constexpr (V::rank() == 2) {
    return view.extent(1) <= 1 || view.stride(1) == 1;
  } else {
    return true;
  }
}

}  // namespace detail
}  // namespace fatvec
