// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/macros.hpp>
#include <fatvec/core/vector_of.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/shared/partial_sums.hpp>
#include <fatvec/kernels/shared/tile.hpp>
#include <fatvec/statistics/detail/column_sums.hpp>

namespace fatvec::detail {

/// Whether the columns of a tile can be loaded and stored in vectors on a device.
template <int n, class T>
KOKKOS_FORCEINLINE_FUNCTION bool is_vector(const T* at, std::int64_t step) {
  return step == 1 && reinterpret_cast<std::uintptr_t>(at) % (n * sizeof(T)) == 0;
}

/// `width` columns of a row, `step` apart.
template <int width, class T>
FATVEC_FORCEINLINE_FUNCTION void load_columns(T (&to)[width], const T* from, std::int64_t step) {
  constexpr int n = vector_width<T>(width);
  if constexpr (n > 1 && vectors_are_aligned) {
    using Vector = typename VectorOf<T, n>::type;
    if (is_vector<n>(from, step)) {
      for (int p = 0; p < width / n; ++p) {
        const Vector vector = reinterpret_cast<const Vector*>(from)[p];
        for (int e = 0; e < n; ++e) to[p * n + e] = vector.data[e];
      }
      return;
    }
  }
  if (step == 1)
    for (int w = 0; w < width; ++w) to[w] = from[w];
  else
    for (int w = 0; w < width; ++w) to[w] = from[w * step];
}

/// The same into memory.
template <int width, class T>
FATVEC_FORCEINLINE_FUNCTION void store_columns(const T (&from)[width], T* to, std::int64_t step) {
  constexpr int n = vector_width<T>(width);
  if constexpr (n > 1 && vectors_are_aligned) {
    using Vector = typename VectorOf<T, n>::type;
    if (is_vector<n>(to, step)) {
      for (int p = 0; p < width / n; ++p) {
        Vector vector;
        for (int e = 0; e < n; ++e) vector.data[e] = from[p * n + e];
        reinterpret_cast<Vector*>(to)[p] = vector;
      }
      return;
    }
  }
  if (step == 1)
    for (int w = 0; w < width; ++w) to[w] = from[w];
  else
    for (int w = 0; w < width; ++w) to[w * step] = from[w];
}

/// What fused operations make of the sums s of A · X:
///
///     y = d_i · (alpha · s + gamma · b) + beta · z
///
/// stored or not, and sums over rows of each column of y: dot products with other multivectors, and
/// squares. What is left out is known at run time: one type for all, which is compiled once.
///
/// Rows of A may come in another order than those of the operands, as of a plan with an order of
/// its own: then they are stored through `rows`.
template <class T>
struct FusedOutput {
  using Sum = ProductSum<T, T>;
  using Sums = PartialSums<Sum>;

  T alpha{};
  T beta{};
  T gamma{};
  Operand<const T> b{};         ///< nullptr: none
  const T* diagonal = nullptr;  ///< nullptr: all 1
  std::int64_t diagonal_step = 1;
  Operand<const T> z{};              ///< not read where beta = 0
  Operand<T> y{};                    ///< nullptr: not stored
  Operand<const T> with[most_sums];  ///< of each sum: what y is multiplied with; nullptr: y itself
  Sums sums;
  const std::int32_t* rows = nullptr;  ///< the operands' row of each row of A; nullptr: the same

  [[nodiscard]] KOKKOS_FUNCTION Sums& partial_sums() { return sums; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t row_of(std::int64_t i) const {
    return rows == nullptr ? i : rows[i];
  }

  /// The same for rows of A in this order.
  [[nodiscard]] FusedOutput through(const std::int32_t* rows_of_operands) const {
    FusedOutput output = *this;
    output.rows = rows_of_operands;
    return output;
  }

  /// Whether Y is stored, and not read before.
  [[nodiscard]] bool overwrites() const {
    return y.data != nullptr && b.data != y.data && (beta == T{} || z.data != y.data);
  }

  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void store(std::int64_t of_a, std::int64_t c,
                                         const T (&sum)[width]) const {
    const std::int64_t i = row_of(of_a);
    T value[width];
    combine(i, c, sum, value);
    if (y.data != nullptr) store_columns(value, &y(i, c), y.column_stride);
    add_up(i, c, value);
  }

  /// What row i of y becomes.
  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void combine(std::int64_t i, std::int64_t c, const T (&sum)[width],
                                           T (&value)[width]) const {
    T other[width];
    for (int w = 0; w < width; ++w) value[w] = alpha * sum[w];
    if (b.data != nullptr) {
      load_columns(other, &b(i, c), b.column_stride);
      for (int w = 0; w < width; ++w) value[w] += gamma * other[w];
    }
    if (diagonal != nullptr) {
      const T d = diagonal[i * diagonal_step];
      for (int w = 0; w < width; ++w) value[w] *= d;
    }
    if (beta != T{}) {
      load_columns(other, &z(i, c), z.column_stride);
      for (int w = 0; w < width; ++w) value[w] += beta * other[w];
    }
  }

  /// Adds to the sums over rows, from the n-th on, until one is not wanted.
  template <int n = 0, int width>
  FATVEC_FORCEINLINE_FUNCTION void add_up(std::int64_t i, std::int64_t c,
                                          const T (&value)[width]) const {
    if constexpr (n < most_sums) {
      if (n >= sums.number) return;
      Sum products[width];
      if (with[n].data != nullptr) {
        T other[width];
        load_columns(other, &with[n](i, c), with[n].column_stride);
        for (int w = 0; w < width; ++w) products[w] = product(other[w], value[w]);
      } else {
        for (int w = 0; w < width; ++w) products[w] = product(value[w], value[w]);
      }
      sums.add(n, c, products);
      add_up<n + 1>(i, c, value);
    }
  }

 private:
  static FATVEC_FORCEINLINE_FUNCTION Sum product(const T& x, const T& y) {
    if constexpr (is_complex<T>)
      return static_cast<Sum>(Kokkos::conj(x)) * static_cast<Sum>(y);
    else
      return static_cast<Sum>(x) * static_cast<Sum>(y);
  }
};

}  // namespace fatvec::detail
