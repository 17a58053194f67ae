// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>

/// How a CSR matrix is cut into the diagonals of slices and put together again, a slice or a row
/// per work-item.
namespace fatvec::detail {

/// Rows of a slice at most: a mask has a bit for each.
inline constexpr std::int64_t max_diagonal_rows = 32;

/// Where the slots of a row lie (SlicedDiaMatrix), as a small device-copyable value.
template <class Ordinal, class Offset>
struct DiagonalRows {
  static constexpr bool contiguous = false;
  const Offset* slot_offsets;
  const Offset* rest_offsets;
  const Ordinal* first_columns;
  const std::uint32_t* masks;
  std::uint32_t slice_size;
  int size_bits = std::has_single_bit(slice_size) ? std::countr_zero(slice_size)
                                                  : -1;  ///< shifts in place of divisions

  KOKKOS_FUNCTION std::uint32_t slice(std::int64_t i) const {
    const auto row = static_cast<std::uint32_t>(i);
    return size_bits >= 0 ? row >> size_bits : row / slice_size;
  }
  KOKKOS_FUNCTION int slots(std::uint32_t s) const {
    return static_cast<int>(slot_offsets[s + 1] - slot_offsets[s]);
  }
  KOKKOS_FUNCTION int rest(std::uint32_t s) const {
    return static_cast<int>(rest_offsets[s + 1] - rest_offsets[s]);
  }
};

/// The diagonals of a slice, in rows that are sorted by column.
template <class Csr>
struct SliceDiagonals {
  typename Csr::ConstOffsets row_map;
  typename Csr::Ordinals entries;
  std::int64_t rows;
  std::int64_t slice_size;
  int fewest;  ///< entries that are worth a slot

  KOKKOS_FUNCTION bool is_slot(std::uint32_t mask) const {
    return Kokkos::popcount(mask) >= fewest;
  }

  /// visit(column of row 0, mask of rows, the entry of each of these rows) for each diagonal,
  /// ascending: merges the rows. Where rows have a column twice the diagonal comes again, with
  /// those rows.
  template <class Visit>
  KOKKOS_FUNCTION void for_each(std::int64_t s, const Visit& visit) const {
    const std::int64_t first = s * slice_size;
    const std::int64_t count = first + slice_size < rows ? slice_size : rows - first;
    std::int64_t next[max_diagonal_rows];  // of each row, the first entry that was not visited
    for (std::int64_t r = 0; r < count; ++r) next[r] = row_map(first + r);
    for (;;) {
      std::int64_t leftmost = INT64_MAX;
      std::uint32_t mask = 0;
      for (std::int64_t r = 0; r < count; ++r) {
        if (next[r] == row_map(first + r + 1)) continue;
        const std::int64_t diagonal = entries(next[r]) - r;
        if (diagonal < leftmost) mask = 0;
        if (diagonal <= leftmost) {
          leftmost = diagonal;
          mask |= std::uint32_t{1} << r;
        }
      }
      if (mask == 0) return;
      visit(leftmost, mask, next);
      for (std::int64_t r = 0; r < count; ++r) next[r] += mask >> r & 1;
    }
  }
};

/// Counts the slots of each slice, and those of them that have a column for each row.
template <class Csr>
struct CountDiagonals {
  SliceDiagonals<Csr> diagonals;
  typename Csr::Offsets slots;
  typename Csr::Offsets rest_slots;

  KOKKOS_FUNCTION void operator()(std::int64_t s) const {
    std::int64_t of_row[max_diagonal_rows] = {};
    std::int64_t count = 0;
    std::int64_t rest = 0;
    diagonals.for_each(s, [&](std::int64_t, std::uint32_t mask, const std::int64_t*) {
      if (diagonals.is_slot(mask)) {
        ++count;
        return;
      }
      for (int r = 0; r < diagonals.slice_size; ++r) {
        of_row[r] += mask >> r & 1;
        if (of_row[r] > rest) rest = of_row[r];
      }
    });
    slots(s) = static_cast<typename Csr::offset_type>(count + rest);
    rest_slots(s) = static_cast<typename Csr::offset_type>(rest);
  }
};

/// Fills the slots of a slice.
template <class Csr, class Masks>
struct FillDiagonals {
  using Ordinal = typename Csr::ordinal_type;
  using Scalar = typename Csr::value_type;
  SliceDiagonals<Csr> diagonals;
  typename Csr::Scalars csr_values;
  typename Csr::Offsets slot_offsets;
  typename Csr::Offsets rest_offsets;
  typename Csr::Ordinals first_columns;
  Masks masks;
  typename Csr::Ordinals entries;
  typename Csr::Scalars values;

  KOKKOS_FUNCTION void operator()(std::int64_t s) const {
    const std::int64_t size = diagonals.slice_size;
    const std::int64_t rest_begin = rest_offsets(s);
    const std::int64_t end = slot_offsets(s + 1);
    const std::int64_t first_rest = end - (rest_offsets(s + 1) - rest_begin);
    for (std::int64_t n = first_rest; n < end; ++n) {
      first_columns(n) = 0;
      masks(n) = 0;
      for (std::int64_t r = 0; r < size; ++r) {
        entries((rest_begin + n - first_rest) * size + r) = -1;
        values(n * size + r) = Scalar{};
      }
    }
    std::int64_t slot = slot_offsets(s);
    std::int64_t of_row[max_diagonal_rows] = {};
    diagonals.for_each(s, [&](std::int64_t column, std::uint32_t mask, const std::int64_t* from) {
      if (diagonals.is_slot(mask)) {
        first_columns(slot) = static_cast<Ordinal>(column);
        masks(slot) = mask;
        for (std::int64_t r = 0; r < size; ++r)
          values(slot * size + r) = mask >> r & 1 ? csr_values(from[r]) : Scalar{};
        ++slot;
        return;
      }
      for (std::int64_t r = 0; r < size; ++r) {
        if ((mask >> r & 1) == 0) continue;
        const std::int64_t n = of_row[r]++;
        masks(first_rest + n) |= std::uint32_t{1} << r;
        entries((rest_begin + n) * size + r) = static_cast<Ordinal>(column + r);
        values((first_rest + n) * size + r) = csr_values(from[r]);
      }
    });
  }
};

/// Entries of row i.
template <class Rows>
struct DiagonalRowLengths {
  Rows rows;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    const std::uint32_t s = rows.slice(i);
    const std::int64_t r = i - static_cast<std::int64_t>(s) * rows.slice_size;
    std::int64_t length = 0;
    for (std::int64_t n = rows.slot_offsets[s]; n < rows.slot_offsets[s + 1]; ++n)
      length += rows.masks[n] >> r & 1;
    return length;
  }
};

/// Gathers row i: merges its diagonals with what is left over, both of which ascend. Of a column
/// that is there twice, what is left over came later.
template <class Csr, class Rows>
struct DrainDiagonals {
  Csr csr;
  Rows rows;
  const typename Csr::ordinal_type* entries;
  const typename Csr::value_type* values;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint32_t s = rows.slice(i);
    const std::int64_t size = rows.slice_size;
    const std::int64_t r = i - s * size;
    const std::int64_t end = rows.slot_offsets[s + 1];
    const std::int64_t first_rest = end - rows.rest(s);
    const auto has = [&](std::int64_t n) { return (rows.masks[n] >> r & 1) != 0; };
    std::int64_t diagonal = rows.slot_offsets[s];
    std::int64_t rest = first_rest;
    for (std::int64_t m = csr.row_map(i); m < csr.row_map(i + 1); ++m) {
      while (diagonal < first_rest && !has(diagonal)) ++diagonal;
      const std::int64_t of_diagonal =
          diagonal < first_rest ? rows.first_columns[diagonal] + r : INT64_MAX;
      const std::int64_t of_rest =
          rest < end && has(rest) ? entries[(rows.rest_offsets[s] + rest - first_rest) * size + r]
                                  : INT64_MAX;
      const bool on_diagonal = of_diagonal <= of_rest;
      csr.entries(m) = static_cast<typename Csr::ordinal_type>(on_diagonal ? of_diagonal : of_rest);
      csr.values(m) = values[(on_diagonal ? diagonal++ : rest++) * size + r];
    }
  }
};

}  // namespace fatvec::detail
