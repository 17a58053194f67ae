// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace fatvec::io::detail {

/// Eight characters at p as a number, if all are digits (both tests and sums work on the eight
/// bytes of one word at once; D. Lemire, "Number parsing at a gigabyte per second", 2021).
inline bool eight_digits(const char* p, std::uint64_t& number) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  constexpr std::uint64_t high = 0xf0f0f0f0f0f0f0f0;
  constexpr std::uint64_t zeros = 0x3030303030303030;
  if (((word & high) | (((word + 0x0606060606060606) & high) >> 4)) != (zeros | (zeros >> 4)))
    return false;
  word -= zeros;
  word = word * 10 + (word >> 8);
  constexpr std::uint64_t mask = 0x000000ff000000ff;
  number =
      (((word & mask) * 0x000f424000000064) + (((word >> 16) & mask) * 0x0000271000000001)) >> 32;
  return true;
}

// clang-format off
inline constexpr std::uint64_t powers_of_ten[] = {
    1U, 10U, 100U, 1000U, 10000U, 100000U, 1000000U, 10000000U, 100000000U, 1000000000U,
    10000000000U, 100000000000U, 1000000000000U, 10000000000000U, 100000000000000U,
    1000000000000000U, 10000000000000000U, 100000000000000000U, 1000000000000000000U, 10000000000000000000U};
// clang-format on

/// mantissa / 10^power, rounded once: a 128-bit division gives 62 bits or more of the quotient, and
/// the lowest bit records whether a remainder is left, which is all that the rounding of the
/// conversion to double needs to know.
inline double divide_exactly(std::uint64_t mantissa, std::int64_t power) {
  __extension__ using Wide = unsigned __int128;
  if (mantissa == 0) return 0;
  const int shift = std::countl_zero(mantissa);
  const int divisor_shift = std::countl_zero(powers_of_ten[power]);
  const std::uint64_t divisor = powers_of_ten[power] << divisor_shift;
  const Wide dividend = static_cast<Wide>(mantissa << shift) << 63;
  const auto quotient = static_cast<std::uint64_t>(dividend / divisor);
  const bool inexact = quotient * divisor != static_cast<std::uint64_t>(dividend);
  const auto sticky = static_cast<std::int64_t>((quotient >> 1) | (quotient & 1) |
                                                static_cast<std::uint64_t>(inexact));
  // Times 2^(divisor_shift - shift - 62), which is exact.
  const auto scale =
      std::bit_cast<double>(static_cast<std::uint64_t>(1023 + divisor_shift - shift - 62) << 52);
  return static_cast<double>(sticky) * scale;
}

/// Ordinary decimals (-12.345e-6: at most 19 digits, no positive power of ten left), rounded
/// exactly and with few branches that depend on the digits, unlike from_chars. Returns the
/// end of the number, or nullptr where the number is none of these; reads nothing at or behind
/// `end`.
inline const char* parse_simple_decimal(const char* p, const char* end, double& value) {
  constexpr std::ptrdiff_t longest = 56;  // characters this function may look at
  if (end - p < longest) return nullptr;
  const bool negative = *p == '-';
  p += negative;
  const auto digit = [](char c) {
    return static_cast<unsigned>(static_cast<unsigned char>(c - '0'));
  };
  std::uint64_t mantissa = 0;
  const char* const start = p;
  while (digit(*p) < 10 && p - start < 20) mantissa = mantissa * 10 + digit(*p++);
  std::ptrdiff_t digits = p - start;
  std::int64_t exponent = 0;
  if (*p == '.') {
    const char* const fraction = ++p;
    std::uint64_t eight = 0;
    if (digits <= 11 && eight_digits(p, eight)) {
      mantissa = mantissa * 100'000'000 + eight;
      p += 8;
      if (digits <= 3 && eight_digits(p, eight)) {
        mantissa = mantissa * 100'000'000 + eight;
        p += 8;
      }
    }
    while (digit(*p) < 10 && p - fraction < 20) mantissa = mantissa * 10 + digit(*p++);
    exponent = fraction - p;
    digits += p - fraction;
  }
  if (digits == 0 || digits > 19) return nullptr;
  if ((*p | 0x20) == 'e') {
    ++p;
    const bool minus = *p == '-';
    if (minus || *p == '+') ++p;
    if (digit(*p) >= 10) return nullptr;
    std::int64_t written = digit(*p++);
    while (digit(*p) < 10 && written < 100) written = written * 10 + digit(*p++);
    exponent += minus ? -written : written;
  }
  constexpr std::int64_t largest_power = 19;
  double magnitude = 0;
  if (exponent < 0 && exponent >= -largest_power) {
    magnitude = divide_exactly(mantissa, -exponent);
  } else if (exponent == 0) {
    magnitude = static_cast<double>(mantissa);
  } else {
    return nullptr;
  }
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) |
                                (static_cast<std::uint64_t>(negative) << 63));
  return p;
}

}  // namespace fatvec::io::detail
