// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <type_traits>

#include <fatvec/io/detail/decimal.hpp>

namespace fatvec::io::detail {

/// What is wrong with a line; put into words by explain() only once the first bad line of the file
/// is known.
enum class Fault : std::uint8_t {
  none,
  missing,           ///< the line ends where something is expected
  malformed,         ///< not a number
  out_of_range,      ///< an index outside the matrix
  overflow,          ///< a value too large for the scalar
  trailing,          ///< something after the last item
  comment,           ///< a comment below the size line
  nonzero_diagonal,  ///< of a skew-symmetric matrix
  complex_diagonal,  ///< of a hermitian matrix
  both_triangles,    ///< of a matrix that stores one
  too_many           ///< more entries than announced
};

// The text of these functions always ends with '\n', which no token contains: nothing needs to look
// for the end.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
inline bool is_digit(char c) {
  return static_cast<unsigned char>(c - '0') < 10;
}
inline bool at_line_end(const char* p) {
  return *p == '\n' || (*p == '\r' && p[1] == '\n');
}
inline bool at_token_end(const char* p) {
  return is_blank(*p) || at_line_end(p);
}
inline const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}
inline const char* token_end(const char* p) {
  while (!at_token_end(p)) ++p;
  return p;
}

/// A 1-based index from 1 to extent, returned 0-based; moves p behind it.
template <class Ordinal>
Fault parse_index(const char*& p, std::int64_t extent, Ordinal& index) {
  const char* q = p;
  const bool negative = *q == '-';
  if (negative || *q == '+') ++q;
  if (!is_digit(*q)) return Fault::malformed;
  constexpr std::uint64_t beyond =
      std::uint64_t{1} << 59;  // of every extent; stays there however many digits follow
  std::uint64_t number = 0;
  for (; is_digit(*q); ++q) {
    number = number * 10 + static_cast<std::uint64_t>(*q - '0');
    if (number > beyond) number = beyond;
  }
  if (!at_token_end(q)) return Fault::malformed;
  if (negative || number - 1 >= static_cast<std::uint64_t>(extent)) return Fault::out_of_range;
  index = static_cast<Ordinal>(number - 1);
  p = q;
  return Fault::none;
}

/// Whether a number that from_chars found out of range is too large (else it is too small): the
/// sign of its decimal exponent.
inline bool is_too_large(const char* p, const char* end) {
  if (*p == '-') ++p;
  std::int64_t magnitude = 0;  // decimal exponent of the first nonzero digit, plus one
  bool significant = false;
  bool point = false;
  for (; p != end && (is_digit(*p) || *p == '.'); ++p) {
    if (*p == '.') {
      point = true;
      continue;
    }
    significant = significant || *p != '0';
    if (significant && !point) ++magnitude;
    if (!significant && point) --magnitude;
  }
  std::int64_t exponent = 0;
  if (p != end && ++p != end) {
    const bool negative = *p == '-';
    if (negative || *p == '+') ++p;
    for (; p != end; ++p)
      exponent = exponent > 1'000'000'000 ? exponent : exponent * 10 + (*p - '0');
    if (negative) exponent = -exponent;
  }
  return magnitude + exponent > 0;
}

/// One token that must be a number as a whole. from_chars rounds exactly and ignores the locale.
template <class Real>
Fault convert(const char* first, const char* last, Real& value) {
  const auto [stop, status] = std::from_chars(first, last, value);
  if (status == std::errc::invalid_argument || stop != last) return Fault::malformed;
  if (status == std::errc::result_out_of_range) {
    if (is_too_large(first, last)) return Fault::overflow;
    value = *first == '-' ? -Real(0) : Real(0);
  }
  return Fault::none;
}

/// Fortran writes 1.5D+3, which from_chars does not know.
template <class Real>
Fault convert_fortran(const char* first, const char* last, Real& value) {
  char copy[512];
  const auto length = static_cast<std::size_t>(last - first);
  if (length > sizeof copy) return Fault::malformed;
  std::memcpy(copy, first, length);
  for (std::size_t n = 1; n < length; ++n) {
    if (copy[n] != 'd' && copy[n] != 'D') continue;
    if (!is_digit(copy[n - 1]) && copy[n - 1] != '.') return Fault::malformed;
    copy[n] = 'e';
    return convert(copy, copy + length, value);
  }
  return Fault::malformed;
}

/// A real or integer value; moves p behind it. `end` is the end of the text.
template <class Real>
Fault parse_real(const char*& p, const char* end, bool integer, Real& value) {
  const char* first = p;
  if (*first == '+' && first[1] != '-') ++first;
  if (integer) {
    const char* digits = *first == '-' ? first + 1 : first;
    while (is_digit(*digits)) ++digits;
    if (!at_token_end(digits)) return Fault::malformed;
  }
  // Most numbers take the fast way, the others from_chars, which knows every form and rounds
  // exactly too.
  if constexpr (std::is_same_v<Real, double>) {
    const char* const stop = parse_simple_decimal(first, end, value);
    if (stop != nullptr && at_token_end(stop)) {
      p = stop;
      return Fault::none;
    }
  }
  const auto [stop, status] = std::from_chars(first, end, value);
  if (status == std::errc() && at_token_end(stop)) {
    p = stop;
    return Fault::none;
  }
  const char* const last = token_end(first);
  Fault fault = convert(first, last, value);
  if (fault == Fault::malformed && !integer) fault = convert_fortran(first, last, value);
  if (fault == Fault::none) p = last;
  return fault;
}

}  // namespace fatvec::io::detail
