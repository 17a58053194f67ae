// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Hand-written reductions of a vector: what they find out. Gollmann 2020 has the same seven
/// numbers of an int vector; its max-norm did not take magnitudes, its largest number was at least
/// 0, and it read x[0] of an empty vector.
namespace fatvec::bench::raw {

/// What sums of T are formed in.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

template <class T>
struct Seven {
  using Limits = std::numeric_limits<T>;
  static constexpr T highest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static constexpr T lowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

  Wide<T> sum = 0;
  Wide<T> absolute_sum = 0;
  Wide<T> square_sum = 0;
  Wide<T> max_norm = 0;
  T min = highest;
  T max = lowest;
  std::int64_t zeros = 0;

  KOKKOS_FUNCTION void add(T element) {
    const auto x = static_cast<Wide<T>>(element);
    const Wide<T> size = x < 0 ? -x : x;
    sum += x;
    absolute_sum += size;
    square_sum += x * x;
    max_norm = size > max_norm ? size : max_norm;
    min = element < min ? element : min;
    max = element > max ? element : max;
    zeros += element == 0;
  }
  KOKKOS_FUNCTION void join(const Seven& other) {
    sum += other.sum;
    absolute_sum += other.absolute_sum;
    square_sum += other.square_sum;
    max_norm = other.max_norm > max_norm ? other.max_norm : max_norm;
    min = other.min < min ? other.min : min;
    max = other.max > max ? other.max : max;
    zeros += other.zeros;
  }
  /// Comparisons have dropped a NaN, the sum of magnitudes has kept it.
  KOKKOS_FUNCTION Seven settled() const {
    Seven result = *this;
    if (absolute_sum != absolute_sum)
      result.max_norm = result.min = result.max = static_cast<T>(absolute_sum);
    return result;
  }
};

/// The sum of x · y, of the same kind.
template <class T>
struct Product {
  Wide<T> sum = 0;

  KOKKOS_FUNCTION void add(T x, T y) { sum += static_cast<Wide<T>>(x) * static_cast<Wide<T>>(y); }
  KOKKOS_FUNCTION void join(const Product& other) { sum += other.sum; }
  KOKKOS_FUNCTION Product settled() const { return *this; }
};

}  // namespace fatvec::bench::raw
