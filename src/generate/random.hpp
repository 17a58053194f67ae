// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace fatvec::generate {

/// What a random number is for; different purposes never share numbers.
enum class Purpose : std::uint64_t { row_length = 1, columns, values };

/// Counter-based random numbers of one row: number n is a function of (seed, purpose, row, n)
/// alone, so a matrix does not depend on how its rows are spread over threads. Each row is a
/// splitmix64 stream (Steele, Lea and Flood, OOPSLA 2014).
class RowRandom {
 public:
  RowRandom(std::uint64_t seed, Purpose purpose, std::int64_t row)
      : state_(mix(mix(seed + golden * static_cast<std::uint64_t>(purpose)) +
                   golden * static_cast<std::uint64_t>(row))) {}

  /// 64 random bits.
  [[nodiscard]] std::uint64_t bits(std::int64_t n) const {
    return mix(state_ + golden * (static_cast<std::uint64_t>(n) + 1));
  }

  /// Uniform in [0, 1), a multiple of 2^-53.
  [[nodiscard]] double unit(std::int64_t n) const {
    return static_cast<double>(bits(n) >> 11) * 0x1p-53;
  }

  /// Uniform in [0, bound), 0 < bound < 2^32: the upper 64 bits of the 96-bit product bits(n) *
  /// bound.
  [[nodiscard]] std::int64_t below(std::int64_t n, std::int64_t bound) const {
    const std::uint64_t random = bits(n);
    const auto factor = static_cast<std::uint64_t>(bound);
    const std::uint64_t carry = ((random & 0xffffffffU) * factor) >> 32;
    return static_cast<std::int64_t>(((random >> 32) * factor + carry) >> 32);
  }

 private:
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

/// A negative value in (-1, -0.5], the same for (row, col) and (col, row).
inline double symmetric_coupling(std::uint64_t seed, std::int64_t row, std::int64_t col) {
  const auto [low, high] = std::minmax(row, col);
  return -1 + 0.5 * (1 - RowRandom(seed, Purpose::values, low).unit(high));
}

/// Writes `count` distinct columns of [0, cols), ascending; every subset is equally likely. No
/// memory beside the output.
inline void sample_columns(const RowRandom& random, std::int64_t cols, std::int64_t count,
                           std::int32_t* output) {
  // Floyd's algorithm (Bentley and Floyd, CACM 1987) on a sorted prefix moves O(count^2) numbers,
  // Knuth's selection sampling (TAOCP 3.4.2 S) draws one number per column. One draw costs about as
  // much as moving 20 numbers.
  if (static_cast<double>(count) * static_cast<double>(count) < 20.0 * static_cast<double>(cols)) {
    for (std::int64_t slot = 0; slot < count; ++slot) {
      const std::int64_t last = cols - count + slot;  // larger than any column drawn so far
      const auto column = static_cast<std::int32_t>(random.below(slot, last + 1));
      std::int32_t* const end = output + slot;
      std::int32_t* const place = std::lower_bound(output, end, column);
      if (place != end && *place == column) {
        *end = static_cast<std::int32_t>(last);
      } else {
        std::move_backward(place, end, end + 1);
        *place = column;
      }
    }
    return;
  }
  for (std::int64_t column = 0, wanted = count; wanted > 0; ++column) {
    if (random.below(column, cols - column) >= wanted) continue;
    *output++ = static_cast<std::int32_t>(column);
    --wanted;
  }
}

}  // namespace fatvec::generate
