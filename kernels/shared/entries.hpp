// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/formats/detail/tiles.hpp>
#include <fatvec/kernels/shared/slots.hpp>

/// The rows of a matrix, one by one, whatever its format: all that the portable kernel knows of it.
///   count()       stored rows
///   row(i)        the matrix's row that stored row i is; below 0: none
///   contiguous    whether the entries of a row lie side by side
///   length(i)     its entries, or somewhat more: for who shares a row among threads
///   for_each<n>(i, part, parts, visit)   visit.add(value, visit.load(column)) for every parts-th
///                 entry of row i from `part` on, up to n loads before the first addition
namespace fatvec::detail {

/// Rows that are walked slot by slot.
template <class S>
struct RowEntries {
  typename S::Rows access;
  const typename S::ordinal_type* columns;
  const typename S::value_type* values;
  std::int64_t rows;
  double mean_length;
  bool has_long_rows;  ///< as far as A knows
  static constexpr bool contiguous = S::Rows::contiguous;

  explicit RowEntries(const S& a)
      : access(a.access),
        columns(a.entries),
        values(a.values),
        rows(a.count),
        mean_length(static_cast<double>(a.nnz) / static_cast<double>(a.count)),
        has_long_rows(a.long_rows.pieces.extent(0) > 0) {}

  KOKKOS_FUNCTION std::int64_t count() const { return rows; }
  KOKKOS_FUNCTION std::int64_t row(std::int64_t i) const { return access.row(i); }
  KOKKOS_FUNCTION int length(std::int64_t i) const { return static_cast<int>(access.length(i)); }
  template <int at_once, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(std::int64_t i, int part, int parts,
                                            const Visit& visit) const {
    auto slot = access.walk(i);
    slot.advance(part);
    int left = parts == 1 ? length(i) : (length(i) - part + parts - 1) / parts;
    if constexpr (at_once == 1) {
      for (; left > 0; --left, slot.advance(parts))
        visit.add(values[slot[0]], visit.load(columns[slot[0]]));
    } else {
      for (; left >= at_once; left -= at_once, slot.advance(at_once * parts))
        group<at_once>(slot, parts, at_once, visit);
      if (left > 0) group<at_once>(slot, parts, left, visit);
    }
  }

 private:
  /// The first `count` of `at_once` entries, `step` apart.
  template <int at_once, class Slot, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void group(const Slot& slot, int step, int count,
                                         const Visit& visit) const {
    typename S::ordinal_type column[at_once];
    typename S::value_type value[at_once] = {};
    typename Visit::Tile of_x[at_once];
    for (int n = 0; n < at_once; ++n) {
      if (n >= count) continue;
      column[n] = columns[slot[n * step]];
      value[n] = values[slot[n * step]];
    }
    for (int n = 0; n < at_once; ++n)
      if (n < count) of_x[n] = visit.load(column[n]);
    for (int n = 0; n < at_once; ++n) visit.add(value[n], of_x[n]);
  }
};

/// The rows of the blocks of BSR, which share their columns: no column behind the last.
template <class S>
struct BlockEntries {
  typename S::Rows block_rows;
  BlockAccess block;
  const typename S::ordinal_type* columns;
  const typename S::value_type* values;
  std::int64_t rows;
  typename S::ordinal_type x_rows;
  double mean_length;
  static constexpr bool has_long_rows = false;
  static constexpr bool contiguous = false;

  explicit BlockEntries(const S& a)
      : block_rows(a.access),
        block(a.block),
        columns(a.entries),
        values(a.values),
        rows(a.rows()),
        x_rows(a.cols()),
        mean_length(static_cast<double>(a.slots * a.block.size) / static_cast<double>(a.count)) {}

  KOKKOS_FUNCTION std::int64_t count() const { return rows; }
  KOKKOS_FUNCTION static std::int64_t row(std::int64_t i) { return i; }
  KOKKOS_FUNCTION int length(std::int64_t i) const {
    return static_cast<int>(block_rows.length(i / block.size)) * block.size;
  }
  template <int, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(std::int64_t i, int part, int parts,
                                            const Visit& visit) const {
    const std::int64_t block_row = i / block.size;
    const auto* const of_row = values + (i - block_row * block.size) * block.row_step;
    const std::int64_t end = block_rows.begin(block_row + 1);
    for (std::int64_t n = block_rows.begin(block_row) + part; n < end; n += parts) {
      const auto first = columns[n] * block.size;
      for (int c = 0; c < block.size && c < x_rows - first; ++c)
        visit.add(of_row[block.begin(n) + c * block.column_step], visit.load(first + c));
    }
  }
};

/// The rows of the windows of BitTCF.
template <class Matrix>
struct TileEntries {
  typename Matrix::Access a;
  std::int64_t places;
  double mean_length;
  static constexpr bool has_long_rows = false;
  static constexpr bool contiguous = false;

  explicit TileEntries(const Matrix& matrix)
      : a(matrix.tile_access()),
        places(matrix.windows() * window_rows),
        mean_length(static_cast<double>(matrix.nnz()) / static_cast<double>(matrix.rows())) {}

  KOKKOS_FUNCTION std::int64_t count() const { return places; }
  KOKKOS_FUNCTION std::int64_t row(std::int64_t i) const { return a.permutation[i]; }
  KOKKOS_FUNCTION int length(std::int64_t i) const {
    const std::int64_t window = i / window_rows;
    return static_cast<int>(a.window_offsets[window + 1] - a.window_offsets[window]) * tile_columns;
  }
  template <int, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(std::int64_t i, int part, int parts,
                                            const Visit& visit) const {
    int n = 0;
    a.for_each_entry(i / window_rows, static_cast<int>(i % window_rows),
                     [&](std::int64_t at, auto column) {
                       if (n++ % parts == part) visit.add(a.values[at], visit.load(column));
                     });
  }
};

}  // namespace fatvec::detail
