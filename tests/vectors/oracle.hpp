// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <fatvec/statistics/vector_statistics.hpp>

/// What a column's statistics should be: textbook loops, which share nothing with what they judge.
namespace fatvec::tests {

using Device = Kokkos::DefaultExecutionSpace;

/// Whole numbers from -9 to 9 (0 to 18 in unsigned types), so that sums are exact in every type and
/// order.
template <class T>
T whole(std::int64_t i, std::int64_t c = 0) {
  const auto z = static_cast<std::uint64_t>(i * 257 + c + 1) * 0x9e3779b97f4a7c15ULL;
  const int value = static_cast<int>((z >> 33) % 19);
  return static_cast<T>(std::is_signed_v<T> ? value - 9 : value);
}

template <class T>
struct Expected {
  using Total = std::conditional_t<std::is_integral_v<T>, std::uint64_t, long double>;
  Total sum = 0;  // of integers modulo 2^64
  Total absolute_sum = 0;
  Total square_sum = 0;
  long double max_norm = 0;
  T min = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                               : std::numeric_limits<T>::max();
  T max = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                               : std::numeric_limits<T>::lowest();
  std::int64_t zeros = 0;

  void add(T x) {
    const bool negative = std::is_signed_v<T> && !(x >= T(0));
    const auto size = negative ? Total(0) - static_cast<Total>(x) : static_cast<Total>(x);
    sum += static_cast<Total>(x);
    absolute_sum += size;
    square_sum += size * size;
    max_norm = std::max(max_norm, static_cast<long double>(size));
    min = std::min(min, x);
    max = std::max(max, x);
    if (x == 0) ++zeros;
  }
};

/// Sums may differ by `rounding` · eps of the sum of magnitudes (of squares); 0: not at all.
template <class T, class Found>
void expect_statistics(const Found& found, const Expected<T>& expected, double rounding = 0) {
  using Total = typename Expected<T>::Total;
  const auto near = [&](auto value, Total want, Total scale) {
    const long double allowed =
        rounding * std::numeric_limits<double>::epsilon() * static_cast<long double>(scale);
    if constexpr (std::is_integral_v<T>) {
      EXPECT_EQ(static_cast<Total>(value), want);
    } else {
      EXPECT_LE(std::abs(static_cast<long double>(value) - want), allowed)
          << value << " instead of " << want;
    }
  };
  near(found.sum, expected.sum, expected.absolute_sum);
  near(found.absolute_sum, expected.absolute_sum, expected.absolute_sum);
  near(found.square_sum, expected.square_sum, expected.square_sum);
  EXPECT_EQ(static_cast<long double>(found.max_norm()), expected.max_norm);
  EXPECT_EQ(found.min, expected.min);
  EXPECT_EQ(found.max, expected.max);
  EXPECT_EQ(found.zeros, expected.zeros);
}

inline void expect_nan(const std::vector<double>& values) {
  for (const double value : values) EXPECT_TRUE(std::isnan(value)) << value;
}

}  // namespace fatvec::tests
