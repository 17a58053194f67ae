// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/detail/rows.hpp>

/// How a format lays out its rows, as a small device-copyable value: what conversions (padded.hpp)
/// and row kernels share. Pointers, not Views, so that a work-item can copy it into registers. Rows
/// count in the order in which they are stored.
///   row(i)            the matrix's row that stored row i is
///   walk(i)           the slots of row i from its first on: [n] is the n-th from here in the format's arrays, advance(n)
///   length(i)         entries of row i, without padding
///   width(i)          slots of row i, with padding
///   slots_before(i)   slots of all rows before i: monotone, so that a search cuts the rows into equal shares
///   contiguous        whether the entries of a row always lie side by side
///   is_contiguous()    whether they do here
///   interleaved(i)    the rows from i on that lie side by side, slot j of row i + r being r behind slot j of row i
/// Where a walk costs less for rows that follow each other, for_each_row(first, last, visit) visits
/// each with its walk.
namespace fatvec::detail {

struct StridedWalk {
  std::int64_t slot;
  std::int64_t stride;

  KOKKOS_FUNCTION std::int64_t operator[](int n) const { return slot + n * stride; }
  KOKKOS_FUNCTION void advance(int n) { slot += n * stride; }
};

/// The same with a stride that the compiler knows: addresses are one base and constants.
template <int stride>
struct FixedWalk {
  std::int64_t slot;

  KOKKOS_FUNCTION std::int64_t operator[](int n) const { return slot + n * stride; }
  KOKKOS_FUNCTION void advance(int n) { slot += n * stride; }
};

/// One slot of each diagonal, diagonals having lengths of their own.
template <class Offset>
struct JaggedWalk {
  const Offset* diagonal;
  std::int64_t within;

  KOKKOS_FUNCTION std::int64_t operator[](int n) const { return diagonal[n] + within; }
  KOKKOS_FUNCTION void advance(int n) { diagonal += n; }
};

template <class Offset>
struct CsrRows {
  static constexpr bool contiguous = true;
  const Offset* row_map;

  KOKKOS_FUNCTION static constexpr std::int64_t row(std::int64_t i) { return i; }
  KOKKOS_FUNCTION std::int64_t begin(std::int64_t i) const { return row_map[i]; }
  KOKKOS_FUNCTION StridedWalk walk(std::int64_t i) const { return {begin(i), 1}; }
  KOKKOS_FUNCTION static constexpr bool is_contiguous() { return true; }
  KOKKOS_FUNCTION static constexpr std::int64_t interleaved(std::int64_t) { return 1; }
  KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const { return row_map[i + 1] - row_map[i]; }
  KOKKOS_FUNCTION std::int64_t width(std::int64_t i) const { return length(i); }
  KOKKOS_FUNCTION std::int64_t slots_before(std::int64_t i) const { return row_map[i]; }
};

template <class Ordinal>
struct EllRows {
  static constexpr bool contiguous = false;
  const Ordinal* row_lengths;
  std::int64_t slots;        ///< per row
  std::int64_t row_stride;   ///< from row to row
  std::int64_t slot_stride;  ///< within a row

  KOKKOS_FUNCTION static constexpr std::int64_t row(std::int64_t i) { return i; }
  KOKKOS_FUNCTION StridedWalk walk(std::int64_t i) const { return {i * row_stride, slot_stride}; }
  template <class Visit>
  FATVEC_FORCEINLINE_FUNCTION void for_each_row(std::int64_t first, std::int64_t last,
                                                const Visit& visit) const {
    if (is_contiguous())
      for (FixedWalk<1> walk{first * row_stride}; first < last; ++first, walk.slot += row_stride)
        visit(first, walk);
    else
      for (; first < last; ++first) visit(first, this->walk(first));
  }
  KOKKOS_FUNCTION bool is_contiguous() const { return slot_stride == 1; }
  KOKKOS_FUNCTION std::int64_t interleaved(std::int64_t) const {
    return row_stride == 1 ? INT64_MAX : 1;
  }
  KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const { return row_lengths[i]; }
  KOKKOS_FUNCTION std::int64_t width(std::int64_t) const { return slots; }
  KOKKOS_FUNCTION std::int64_t slots_before(std::int64_t i) const { return i * slots; }
};

/// always_columns: slices are never row-major.
template <class Offset, class Ordinal, bool always_columns = false>
struct SlicedRows {
  static constexpr bool contiguous = false;
  const Offset* slice_offsets;
  const Ordinal* row_lengths;
  std::uint32_t slice_size;
  std::uint32_t rows;
  bool column_major;
  int size_bits = std::has_single_bit(slice_size) ? std::countr_zero(slice_size)
                                                  : -1;  ///< shifts in place of divisions

  KOKKOS_FUNCTION static constexpr std::int64_t row(std::int64_t i) { return i; }
  KOKKOS_FUNCTION bool by_columns() const { return always_columns || column_major; }
  KOKKOS_FUNCTION std::uint32_t slice(std::int64_t i) const {
    const auto row = static_cast<std::uint32_t>(i);
    return size_bits >= 0 ? row >> size_bits : row / slice_size;
  }
  /// The last slice holds the rows that are left.
  KOKKOS_FUNCTION std::int64_t slice_rows(std::uint32_t h) const {
    const std::uint32_t left = rows - h * slice_size;
    return left < slice_size ? left : slice_size;
  }
  KOKKOS_FUNCTION std::int64_t slice_width(std::uint32_t h) const {
    const std::int64_t slots = slice_offsets[h + 1] - slice_offsets[h];
    const std::int64_t height = slice_rows(h);
    return size_bits >= 0 && height == slice_size ? slots >> size_bits : slots / height;
  }
  KOKKOS_FUNCTION StridedWalk walk(std::int64_t i) const {
    const std::uint32_t h = slice(i);
    const std::int64_t within = i - static_cast<std::int64_t>(h) * slice_size;
    const auto begin = static_cast<std::int64_t>(slice_offsets[h]);
    if (by_columns()) return {begin + within, slice_rows(h)};
    return {begin + within * slice_width(h), 1};
  }
  /// Slice by slice: what finds a slice's slots is not done again for each row.
  template <class Visit>
  FATVEC_FORCEINLINE_FUNCTION void for_each_row(std::int64_t first, std::int64_t last,
                                                const Visit& visit) const {
    while (first < last) {
      const std::uint32_t h = slice(first);
      const std::int64_t start = static_cast<std::int64_t>(h) * slice_size;
      const std::int64_t height = slice_rows(h);
      const std::int64_t end = Kokkos::min(last, start + height);
      const auto begin = static_cast<std::int64_t>(slice_offsets[h]);
      if (by_columns()) {
        for (StridedWalk walk{begin + first - start, height}; first < end; ++first, ++walk.slot)
          visit(first, walk);
      } else {
        const std::int64_t row_stride = slice_width(h);
        for (FixedWalk<1> walk{begin + (first - start) * row_stride}; first < end;
             ++first, walk.slot += row_stride)
          visit(first, walk);
      }
    }
  }
  KOKKOS_FUNCTION bool is_contiguous() const { return !by_columns(); }
  KOKKOS_FUNCTION std::int64_t interleaved(std::int64_t i) const {
    const std::uint32_t h = slice(i);
    return by_columns() ? slice_rows(h) - (i - static_cast<std::int64_t>(h) * slice_size) : 1;
  }
  KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const { return row_lengths[i]; }
  KOKKOS_FUNCTION std::int64_t width(std::int64_t i) const { return slice_width(slice(i)); }
  KOKKOS_FUNCTION std::int64_t slots_before(std::int64_t i) const {
    if (i >= rows)
      return rows == 0 ? 0 : slice_offsets[slice(static_cast<std::int64_t>(rows) - 1) + 1];
    const std::uint32_t h = slice(i);
    return slice_offsets[h] + (i - static_cast<std::int64_t>(h) * slice_size) * slice_width(h);
  }
};

/// JAD, and pJAD where block_size > 1: rows by decreasing length, so that diagonal j has the slots
/// of the first rows.
template <class Offset, class Ordinal>
struct JadRows {
  static constexpr bool contiguous = false;
  const Offset* diagonal_offsets;
  const Ordinal* row_lengths;
  std::uint32_t block_size;
  std::int64_t slots;  ///< of the whole matrix

  KOKKOS_FUNCTION static constexpr std::int64_t row(std::int64_t i) { return i; }
  KOKKOS_FUNCTION JaggedWalk<Offset> walk(std::int64_t i) const { return {diagonal_offsets, i}; }
  KOKKOS_FUNCTION static constexpr bool is_contiguous() { return false; }
  KOKKOS_FUNCTION static constexpr std::int64_t interleaved(std::int64_t) { return INT64_MAX; }
  KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const { return row_lengths[i]; }
  /// A block is as wide as its first row is long.
  KOKKOS_FUNCTION std::int64_t width(std::int64_t i) const {
    return row_lengths[i - static_cast<std::uint32_t>(i) % block_size];
  }
  /// Of the diagonals that reach row i - 1 the first i slots, of the others all.
  KOKKOS_FUNCTION std::int64_t slots_before(std::int64_t i) const {
    if (i == 0) return 0;
    const std::int64_t reaching = width(i - 1);
    return i * reaching + slots - diagonal_offsets[reaching];
  }
};

/// The rows of a format that stores them in another order than the matrix's.
template <class Rows, class Ordinal>
struct Permuted : Rows {
  const Ordinal* permutation;

  KOKKOS_FUNCTION std::int64_t row(std::int64_t i) const { return permutation[i]; }
};

/// Whether rows are stored in the matrix's order.
template <class Rows>
inline constexpr bool in_matrix_order = true;
template <class Rows, class Ordinal>
inline constexpr bool in_matrix_order<Permuted<Rows, Ordinal>> = false;

/// visit(i, a walk over the slots of row i) for rows first ... last - 1.
template <class Rows, class Visit>
FATVEC_FORCEINLINE_FUNCTION void for_each_row(const Rows& rows, std::int64_t first,
                                              std::int64_t last, const Visit& visit) {
  if constexpr (requires { rows.for_each_row(first, last, visit); })
    rows.for_each_row(first, last, visit);
  else
    for (; first < last; ++first) visit(first, rows.walk(first));
}

}  // namespace fatvec::detail
