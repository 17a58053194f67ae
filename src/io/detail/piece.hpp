// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fatvec/io/detail/header.hpp>
#include <fatvec/io/detail/parse.hpp>

namespace fatvec::io::detail {

template <class Scalar, class Ordinal = std::int32_t>
struct Entry {
  Ordinal row;
  Ordinal col;
  Scalar value;
};

enum class Expected : std::uint8_t { row, column, value, imaginary, nothing };

/// A bad line of a piece, where in it, and what the parser was looking for.
struct Failure {
  Fault fault = Fault::none;
  Expected expected = Expected::nothing;
  std::int64_t line = std::numeric_limits<std::int64_t>::max();  ///< the piece's first one is 0
  const char* line_start = nullptr;
  const char* token = nullptr;
};

/// What one thread got out of its run of lines.
template <class Item>
struct Piece {
  std::vector<Item> items;  ///< symmetric entries already mirrored
  std::size_t stored = 0;   ///< entries of the file among them
  std::int64_t lines = 0;
  Failure failure;
  Failure lower;  ///< the first entries below and above the diagonal, for the check across pieces
  Failure upper;
};

template <class Scalar>
struct RealOf {
  using type = Scalar;
};
template <class Real>
struct RealOf<Kokkos::complex<Real>> {
  using type = Real;
};
template <class Scalar>
inline constexpr bool is_complex = !std::is_same_v<typename RealOf<Scalar>::type, Scalar>;

/// A value of the file's field as Scalar. On failure p stands at the offending token.
template <class Scalar>
Fault parse_value(const char*& p, const char* end, Field field, Scalar& value, Expected& expected) {
  using Real = typename RealOf<Scalar>::type;
  if (at_line_end(p)) return Fault::missing;
  Real real = 0;
  if (const Fault fault = parse_real(p, end, field == Field::integer, real); fault != Fault::none)
    return fault;
  value = real;
  if constexpr (is_complex<Scalar>) {
    if (field != Field::complex) return Fault::none;
    expected = Expected::imaginary;
    p = skip_blanks(p);
    if (at_line_end(p)) return Fault::missing;
    Real imaginary = 0;
    if (const Fault fault = parse_real(p, end, false, imaginary); fault != Fault::none)
      return fault;
    value = Scalar(real, imaginary);
  }
  return Fault::none;
}

/// The value of (j, i) that belongs to the stored value of (i, j).
template <class Scalar>
Scalar mirrored(Symmetry symmetry, const Scalar& value) {
  if (symmetry == Symmetry::skew_symmetric) return -value;
  if constexpr (is_complex<Scalar>) {
    if (symmetry == Symmetry::hermitian) return Kokkos::conj(value);
  }
  return value;
}

template <class Scalar>
Fault check_diagonal(Symmetry symmetry, const Scalar& value) {
  if (symmetry == Symmetry::skew_symmetric && value != Scalar(0)) return Fault::nonzero_diagonal;
  if constexpr (is_complex<Scalar>) {
    if (symmetry == Symmetry::hermitian && value.imag() != 0) return Fault::complex_diagonal;
  }
  return Fault::none;
}

/// 'row column value' lines.
template <class Scalar, class Ordinal = std::int32_t>
class CoordinateParser {
 public:
  using Item = Entry<Scalar, Ordinal>;
  static constexpr std::size_t shortest_line = 4;  // "1 1\n"

  explicit CoordinateParser(const ParsedHeader& header) : header_(header) {}

  [[nodiscard]] std::size_t items_per_entry() const { return mirrors() ? 2 : 1; }

  Fault parse_line(const char*& p, const char* end, Piece<Item>& piece, Expected& expected) const {
    Item entry{0, 0, Scalar(1)};
    expected = Expected::row;
    if (const Fault fault = parse_index(p, header_.rows, entry.row); fault != Fault::none)
      return fault;
    expected = Expected::column;
    p = skip_blanks(p);
    if (at_line_end(p)) return Fault::missing;
    if (const Fault fault = parse_index(p, header_.cols, entry.col); fault != Fault::none)
      return fault;
    p = skip_blanks(p);
    if (header_.field != Field::pattern) {
      expected = Expected::value;
      const char* const token = p;
      if (const Fault fault = parse_value(p, end, header_.field, entry.value, expected);
          fault != Fault::none)
        return fault;
      if (entry.row == entry.col) {
        if (const Fault fault = check_diagonal(header_.symmetry, entry.value);
            fault != Fault::none) {
          p = token;
          return fault;
        }
      }
    }
    piece.items.push_back(entry);
    if (mirrors() && entry.row != entry.col) {
      piece.items.push_back({entry.col, entry.row, mirrored(header_.symmetry, entry.value)});
    }
    return Fault::none;
  }

  /// Which triangle the entry added last lies in.
  void note_triangle(Piece<Item>& piece, const Failure& here) const {
    if (header_.symmetry == Symmetry::general) return;
    const Item& last = piece.items.back();
    if (last.row == last.col) return;
    // A mirrored entry comes last: it lies in the other triangle.
    const bool lower = mirrors() ? last.row < last.col : last.row > last.col;
    Failure& first = lower ? piece.lower : piece.upper;
    if (first.fault == Fault::none) first = here;
  }

 private:
  [[nodiscard]] bool mirrors() const {
    return header_.mirrors && header_.symmetry != Symmetry::general;
  }

  const ParsedHeader& header_;
};

/// One value a line.
template <class Scalar>
class ArrayParser {
 public:
  using Item = Scalar;
  static constexpr std::size_t shortest_line = 2;  // "1\n"

  explicit ArrayParser(const ParsedHeader& header) : header_(header) {}

  [[nodiscard]] std::size_t items_per_entry() const { return 1; }

  Fault parse_line(const char*& p, const char* end, Piece<Item>& piece, Expected& expected) const {
    expected = Expected::value;
    Scalar value = 0;
    const Fault fault = parse_value(p, end, header_.field, value, expected);
    if (fault == Fault::none) piece.items.push_back(value);
    return fault;
  }

  void note_triangle(Piece<Item>&, const Failure&) const {}

 private:
  const ParsedHeader& header_;
};

/// Parses whole lines into the piece up to the first bad one; an entry after `most` entries is a
/// bad one. The piece's items need enough capacity: nothing may throw here, other threads are at
/// work.
template <class Parser>
void parse_lines(const Parser& parser, std::string_view text, std::size_t most,
                 Piece<typename Parser::Item>& piece) {
  const char* p = text.data();
  const char* const end = p + text.size();
  piece.items.clear();
  piece.stored = 0;
  piece.failure = piece.lower = piece.upper = Failure{};
  std::int64_t line = 0;
  for (; p != end; ++line) {
    const char* const start = p;
    p = skip_blanks(p);
    if (!at_line_end(p)) {
      Expected expected = Expected::nothing;
      const char* const token = p;
      Fault fault = *p == '%'              ? Fault::comment
                    : piece.stored == most ? Fault::too_many
                                           : Fault::none;
      if (fault == Fault::none) fault = parser.parse_line(p, end, piece, expected);
      if (fault == Fault::none) {
        parser.note_triangle(piece, {Fault::both_triangles, Expected::nothing, line, start, token});
        p = skip_blanks(p);
        if (!at_line_end(p)) {
          fault = Fault::trailing;
          expected = Expected::nothing;
        }
      }
      if (fault != Fault::none) {
        piece.failure = {fault, expected, line, start, p};
        break;
      }
      ++piece.stored;
    }
    p += *p == '\r' ? 2 : 1;
  }
  piece.lines = line;
}

}  // namespace fatvec::io::detail
