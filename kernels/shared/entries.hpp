// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>

#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/formats/detail/tiles.hpp>
#include <fatvec/kernels/shared/row_segments.hpp>
#include <fatvec/kernels/shared/slots.hpp>

/// The rows of a matrix, one by one, whatever its format: all that the portable kernel knows of it.
///   count()       stored rows
///   row(i)        the matrix's row that stored row i is; below 0: none
///   contiguous    whether the entries of a row lie side by side
///   of_segments   whether they are segments of long rows, which threads always share
///   numbered      whether visit.add() is given m: hosts then add to two sums in turns
///   length(i)     its entries, or somewhat more: by it rows are given to teams
///   for_each<n>(i, part, parts, visit)   visit.add(value, visit.load(column), m) for every parts-th
///                 entry of row i from `part` on (BSR: block), about n loads before the first
///                 addition, which m counts where they are numbered
namespace fatvec::detail {

/// Rows that are walked slot by slot.
template <class S>
struct RowEntries {
  typename S::Rows access;
  const typename S::ordinal_type* columns;
  const typename S::value_type* values;
  std::int64_t rows;
  double mean_length;
  bool may_have_long_rows;  ///< than the mean, by far: unless A is known to have none
  std::int64_t longest = std::numeric_limits<std::int64_t>::max();  ///< longer rows look empty
  static constexpr bool of_segments = false;
  static constexpr bool contiguous = S::Rows::contiguous;
  static constexpr bool numbered = true;

  explicit RowEntries(const S& a)
      : access(a.access),
        columns(a.entries),
        values(a.values),
        rows(a.count),
        mean_length(static_cast<double>(a.nnz) / static_cast<double>(a.count)),
        may_have_long_rows(!a.segments.known || a.segments.list.extent(0) > 0) {}

  /// The same, but rows of more than `most` entries look empty.
  [[nodiscard]] RowEntries without_longer_rows(std::int64_t most) const {
    RowEntries others = *this;
    others.longest = most;
    others.may_have_long_rows = false;
    return others;
  }

  KOKKOS_FUNCTION std::int64_t count() const { return rows; }
  KOKKOS_FUNCTION std::int64_t row(std::int64_t i) const { return access.row(i); }
  KOKKOS_FUNCTION int length(std::int64_t i) const {
    const std::int64_t length = access.length(i);
    return length > longest ? 0 : static_cast<int>(length);
  }
  template <int at_once, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(std::int64_t i, int part, int parts,
                                            const Visit& visit) const {
    for_each<at_once>(i, 0, length(i), part, parts, visit);
  }
  /// The same among entries first, first + 1, ... before last.
  template <int at_once, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(std::int64_t i, int first, int last, int part,
                                            int parts, const Visit& visit) const {
    auto slot = access.walk(i);
    slot.advance(first + part);
    int left = last - first;  // of the row: those who share it go through the loop equally often
    const int group = at_once * parts;
    for (; left >= group; left -= group, slot.advance(group))
      add<at_once>(slot, parts, group, visit);
    if (at_once > 1 || parts > 1)
      if (part < left) add<at_once>(slot, parts, left - part, visit);
  }

 private:
  /// Up to `at_once` entries, `step` apart, of which those before `end` exist.
  template <int at_once, class Slot, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Slot& slot, int step, int end,
                                       const Visit& visit) const {
    typename S::ordinal_type column[at_once];
    typename S::value_type value[at_once] = {};
    typename Visit::Tile of_x[at_once];
    for (int n = 0; n < at_once; ++n) {
      if (n * step >= end) continue;
      column[n] = columns[slot[n * step]];
      value[n] = values[slot[n * step]];
    }
    for (int n = 0; n < at_once; ++n)
      if (n * step < end) of_x[n] = visit.load(column[n]);
    for (int n = 0; n < at_once; ++n) visit.add(value[n], of_x[n], n);
  }
};

/// Segments of long rows, which are rows of their own here.
template <class S>
struct SegmentEntries {
  using Segment = RowSegment<typename S::ordinal_type>;
  RowEntries<S> of;
  const Segment* segments;
  std::int64_t number;
  double mean_length = 128;
  static constexpr bool of_segments = true;
  static constexpr bool contiguous = true;  // threads share them wherever their entries lie
  static constexpr bool numbered = true;

  KOKKOS_FUNCTION std::int64_t count() const { return number; }
  KOKKOS_FUNCTION std::int64_t row(std::int64_t i) const { return of.row(segments[i].row); }
  KOKKOS_FUNCTION int length(std::int64_t i) const {
    return static_cast<int>(segments[i].last - segments[i].first);
  }
  template <int at_once, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(std::int64_t i, int part, int parts,
                                            const Visit& visit) const {
    const Segment segment = segments[i];
    of.template for_each<at_once>(segment.row, static_cast<int>(segment.first),
                                  static_cast<int>(segment.last), part, parts, visit);
  }
};

/// The rows of the blocks of BSR, which share their columns: no column behind the last. `size` of
/// the blocks, or 0: known at run time only.
template <class S, int size = 0>
struct BlockEntries {
  typename S::Rows block_rows;
  BlockAccess block;
  const typename S::ordinal_type* columns;
  const typename S::value_type* values;
  std::int64_t rows;
  typename S::ordinal_type x_rows;
  double mean_length;
  static constexpr bool of_segments = false;
  static constexpr bool contiguous = false;
  static constexpr bool numbered = true;
  /// Columns of a block whose loads come before the first multiplication: of wide tiles of X few,
  /// for want of registers (docs/lab/0056).
  template <class Tile>
  static constexpr int at_once = size > 0 && size <= 4 ? size
                                 : sizeof(Tile) > 16   ? 2
                                                       : 4;

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
  KOKKOS_FUNCTION int block_size() const { return size > 0 ? size : block.size; }
  KOKKOS_FUNCTION int length(std::int64_t i) const {
    return static_cast<int>(block_rows.length(i / block_size())) * block_size();
  }
  template <int, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each(std::int64_t i, int part, int parts,
                                            const Visit& visit) const {
    const std::int64_t block_row = i / block_size();
    const auto* const of_row = values + (i - block_row * block_size()) * block.row_step;
    const std::int64_t end = block_rows.begin(block_row + 1);
    for (std::int64_t n = block_rows.begin(block_row) + part; n < end; n += parts) {
      const auto first = columns[n] * block_size();
      const auto* const of_block = of_row + n * block_size() * block_size();
      if constexpr (size > 0 && size <= 4)  // without a loop inside, that over blocks is unrolled
        multiply(of_block, first, size, visit);
      else
        for (int c = 0; c < block_size(); c += at_once<typename Visit::Tile>)
          multiply(of_block + c * block.column_step, first + c, block_size() - c, visit);
    }
  }

 private:
  /// Up to at_once columns of a block: no more than the `left` that it still has, and none behind
  /// the last row of X.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const typename S::value_type* of_block,
                                            typename S::ordinal_type first, int left,
                                            const Visit& visit) const {
    constexpr int together = at_once<typename Visit::Tile>;
    typename S::value_type value[together] = {};
    typename Visit::Tile of_x[together];
    for (int c = 0; c < together; ++c) {
      if (c >= left || c >= x_rows - first) continue;
      value[c] = of_block[c * block.column_step];
      of_x[c] = visit.load(first + c);
    }
    for (int c = 0; c < together; ++c)
      if (c < left) visit.add(value[c], of_x[c], c);
  }
};

/// The rows of the windows of BitTCF.
template <class Matrix>
struct TileEntries {
  typename Matrix::Access a;
  std::int64_t places;
  double mean_length;
  static constexpr bool of_segments = false;
  static constexpr bool contiguous = false;
  static constexpr bool numbered = false;

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
