// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/macros.hpp>

/// How the rows of sliced diagonals are read.
namespace fatvec::detail {

/// Rows of a slice at most: a mask has a bit for each.
inline constexpr int max_diagonal_rows = 32;

/// A slot of a slice. A device reads both at once.
template <class Ordinal>
struct alignas(2 * sizeof(Ordinal)) SlicedDiagonal {
  Ordinal first_column;  ///< of a diagonal: the column of the slice's row 0
  std::uint32_t mask;    ///< the rows that have an entry
};

/// The arrays of sliced diagonals, for kernels. known_height: rows of a slice, where the compiler
/// knows them; otherwise 0.
template <class Value, class Ordinal, class Offset, int known_height>
struct DiagonalAccess {
  static constexpr bool of_masks = true;  ///< each slot asks its mask whether a row has an entry
  using ordinal_type = Ordinal;
  const Offset* slot_offsets;
  const Offset* rest_offsets;
  const SlicedDiagonal<Ordinal>* diagonals;
  const Ordinal* entries;
  const Value* values;
  int slice_size;

  KOKKOS_FUNCTION int height() const { return known_height > 0 ? known_height : slice_size; }
  KOKKOS_FUNCTION int slots(std::int64_t s) const {
    return static_cast<int>(slot_offsets[s + 1] - slot_offsets[s]);
  }
  KOKKOS_FUNCTION int rest(std::int64_t s) const {
    return static_cast<int>(rest_offsets[s + 1] - rest_offsets[s]);
  }
  KOKKOS_FUNCTION static std::int64_t row(std::int64_t i) { return i; }
  /// Entries of row i.
  KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const {
    const std::int64_t s = i / height();
    std::int64_t length = 0;
    for (std::int64_t n = slot_offsets[s]; n < slot_offsets[s + 1]; ++n)
      length += diagonals[n].mask >> (i - s * height()) & 1;
    return length;
  }

  /// visit(value, column) for each entry of row i: first those on the diagonals of its slice.
  /// in_flight slots are read before the first of them is visited, with their values and columns if
  /// `loads_ahead`: loads behind a branch each would wait for one another.
  template <int in_flight, bool loads_ahead = false, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_entry(std::int64_t i, const Visit& visit) const {
    const auto s = static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(height());
    const auto r = static_cast<int>(i - std::int64_t{s} * height());
    const std::int64_t first = slot_offsets[s];
    const int all = slots(s);
    const int left_over = rest(s);
    const auto* const slot = diagonals + first;
    const Value* const value = values + first * height() + r;
    for_each_slot<in_flight, loads_ahead>(
        slot, value, r, 0, all - left_over,
        [&](int, Ordinal first_column) { return static_cast<Ordinal>(first_column + r); }, visit);
    if (left_over == 0) return;
    const Ordinal* const column =
        entries + (static_cast<std::int64_t>(rest_offsets[s]) - (all - left_over)) * height() + r;
    for_each_slot<in_flight, loads_ahead>(
        slot, value, r, all - left_over, all,
        [&](int n, Ordinal) { return column[std::int64_t{n} * height()]; }, visit);
  }

 private:
  /// visit(value, column_of(n, its first column)) for those slots n that row r of the slice has.
  template <int in_flight, bool loads_ahead, class ColumnOf, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_slot(const SlicedDiagonal<Ordinal>* slots,
                                                 const Value* of_row, int r, int begin, int end,
                                                 const ColumnOf& column_of,
                                                 const Visit& visit) const {
    for (int n = begin; n < end; n += in_flight) {
      SlicedDiagonal<Ordinal> slot[in_flight];
      Ordinal column[in_flight];
      Value value[in_flight];
      for (int m = 0; m < in_flight; ++m)
        slot[m] = n + m < end ? slots[n + m] : SlicedDiagonal<Ordinal>{0, 0};
      const auto has = [&](int m) { return (slot[m].mask >> r & 1) != 0; };
      const auto load = [&](int m) {
        column[m] = column_of(n + m, slot[m].first_column);
        value[m] = of_row[std::int64_t{n + m} * height()];
      };
      if constexpr (loads_ahead)
        for (int m = 0; m < in_flight; ++m)
          if (has(m)) load(m);
      for (int m = 0; m < in_flight; ++m) {
        if (!has(m)) continue;
        if constexpr (!loads_ahead) load(m);
        visit(value[m], column[m]);
      }
    }
  }
};

/// Gathers row i: merges its diagonals with what is left over, both of which ascend. Of a column
/// that is there twice, what is left over came later.
template <class Csr, class Rows>
struct DrainDiagonals {
  Csr csr;
  Rows rows;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t size = rows.height();
    const std::int64_t s = i / size;
    const std::int64_t r = i - s * size;
    const std::int64_t end = rows.slot_offsets[s + 1];
    const std::int64_t first_rest = end - rows.rest(s);
    const auto has = [&](std::int64_t n) { return (rows.diagonals[n].mask >> r & 1) != 0; };
    std::int64_t diagonal = rows.slot_offsets[s];
    std::int64_t rest = first_rest;
    for (std::int64_t m = csr.row_map(i); m < csr.row_map(i + 1); ++m) {
      while (diagonal < first_rest && !has(diagonal)) ++diagonal;
      const std::int64_t of_diagonal =
          diagonal < first_rest ? rows.diagonals[diagonal].first_column + r : INT64_MAX;
      const std::int64_t of_rest =
          rest < end && has(rest)
              ? rows.entries[(rows.rest_offsets[s] + rest - first_rest) * size + r]
              : INT64_MAX;
      const bool on_diagonal = of_diagonal <= of_rest;
      csr.entries(m) = static_cast<typename Csr::ordinal_type>(on_diagonal ? of_diagonal : of_rest);
      csr.values(m) = rows.values[(on_diagonal ? diagonal++ : rest++) * size + r];
    }
  }
};

}  // namespace fatvec::detail
