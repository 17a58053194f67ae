// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/formats/detail/diagonal_access.hpp>
#include <fatvec/formats/detail/slices.hpp>

/// How a CSR matrix is cut into the diagonals of slices.
namespace fatvec::detail {

/// Something of each row of a slice: on hosts a work-item has all of them, on devices each lane of
/// a vector has that of its row.
template <class T, class ExecSpace>
struct OfRows {
  static constexpr bool all = is_host<ExecSpace>;
  T of_row[all ? max_diagonal_rows : 1] = {};

  KOKKOS_FUNCTION T& operator()(int r) { return of_row[all ? r : 0]; }
};

/// The mask of the rows for which has(row) holds.
template <class Lanes, class Has>
KOKKOS_INLINE_FUNCTION std::uint32_t rows_where(const Lanes& lanes, const Has& has) {
  std::uint32_t mask = 0;
  Kokkos::parallel_reduce(
      lanes, [&](int r, std::uint32_t& bits) { bits |= static_cast<std::uint32_t>(has(r)) << r; },
      Kokkos::BOr<std::uint32_t>(mask));
  return mask;
}

/// The diagonals of slices, in rows that are sorted by column. A slice is a team of one thread, a
/// row a lane of its vector.
template <class Csr>
struct SliceDiagonals {
  using Ordinal = typename Csr::ordinal_type;
  using Offset = typename Csr::offset_type;
  typename Csr::ConstOffsets row_map;
  typename Csr::Ordinals entries;
  std::int64_t rows;
  int slice_size;
  int fewest;  ///< entries that are worth a slot

  template <class ExecSpace>
  Kokkos::TeamPolicy<ExecSpace> teams(const ExecSpace& exec) const {
    return {exec, static_cast<int>(slices_of(rows, slice_size)), 1, max_diagonal_rows};
  }
  KOKKOS_FUNCTION bool is_slot(std::uint32_t mask) const {
    return Kokkos::popcount(mask) >= fewest;
  }
  /// The mask of all rows.
  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t all() const {
    return ~std::uint32_t{0} >> (max_diagonal_rows - slice_size);
  }
  /// The first entry of row r of slice s. Those that the last slice lacks are empty.
  [[nodiscard]] KOKKOS_FUNCTION Offset begin(std::int64_t s, int r) const {
    return row_map(Kokkos::min(s * slice_size + r, rows));
  }

  /// Whether the n-th entries of all rows are on one diagonal, for all n.
  template <class Team>
  KOKKOS_FUNCTION bool agree(const Team& team) const {
    const std::int64_t s = team.league_rank();
    const Offset first = begin(s, 0);
    const Offset length = begin(s, 1) - first;
    return rows_where(Kokkos::ThreadVectorRange(team, slice_size), [&](int r) {
             const Offset from = begin(s, r);
             bool same = begin(s, r + 1) - from == length;
             for (Offset n = 0, last = same ? length : 0; n < last; ++n)
               same &= entries(from + n) - r == entries(first + n);
             return same;
           }) == all();
  }

  /// Whether row r is one of the shortest rows of slice s, of which every slot has an entry: a slot
  /// lacks slice_size - fewest rows at most, and these are one more.
  [[nodiscard]] KOKKOS_FUNCTION bool is_short(std::int64_t s, int r) const {
    const Offset length = begin(s, r + 1) - begin(s, r);
    int shorter = 0;
    for (int other = 0; other < slice_size; ++other) {
      const Offset its = begin(s, other + 1) - begin(s, other);
      shorter += its < length || (its == length && other < r);
    }
    return shorter <= slice_size - fewest;
  }

  /// visit(column of row 0, mask of rows, the entry of each of these rows) for each diagonal that
  /// is a slot, ascending, by all lanes; left_over(r, entry) for the other entries of row r, by its
  /// lane. Merges the shortest rows; the others follow. Where rows have a column twice the diagonal
  /// comes again, with those rows.
  template <class Team, class Visit, class LeftOver>
  KOKKOS_FUNCTION void for_each(const Team& team, const Visit& visit,
                                const LeftOver& left_over) const {
    using Exec = typename Team::execution_space;
    constexpr Ordinal none = Kokkos::Experimental::finite_max_v<Ordinal>;  // no column is as large
    const auto lanes = Kokkos::ThreadVectorRange(team, slice_size);
    OfRows<Offset, Exec> next;  // of each row, the first entry that was not visited
    OfRows<Offset, Exec> end;
    OfRows<bool, Exec> leads;
    Kokkos::parallel_for(lanes, [&](int r) {
      next(r) = begin(team.league_rank(), r);
      end(r) = begin(team.league_rank(), r + 1);
      leads(r) = is_short(team.league_rank(), r);
    });
    const auto diagonal = [&](int r) {
      return next(r) < end(r) ? static_cast<Ordinal>(entries(next(r)) - r) : none;
    };
    for (;;) {
      Ordinal leftmost = none;
      Kokkos::parallel_reduce(
          lanes,
          [&](int r, Ordinal& least) {
            if (leads(r)) least = Kokkos::min(least, diagonal(r));
          },
          Kokkos::Min<Ordinal>(leftmost));
      Kokkos::parallel_for(lanes, [&](int r) {
        while (diagonal(r) < leftmost) left_over(r, next(r)++);
      });
      if (leftmost == none) return;
      const std::uint32_t mask = rows_where(lanes, [&](int r) { return diagonal(r) == leftmost; });
      const bool slot = is_slot(mask);
      if (slot) visit(leftmost, mask, next);
      Kokkos::parallel_for(lanes, [&](int r) {
        if ((mask >> r & 1) == 0) return;
        if (!slot) left_over(r, next(r));
        ++next(r);
      });
    }
  }
};

/// Counts the slots of each slice, and those of them that have a column for each row.
template <class Csr>
struct CountDiagonals {
  using Offset = typename Csr::offset_type;
  SliceDiagonals<Csr> diagonals;
  typename Csr::Offsets slots;
  typename Csr::Offsets rest_slots;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t s = team.league_rank();
    Offset count = 0;
    Offset rest = 0;
    if (diagonals.agree(team)) {
      const Offset length = diagonals.begin(s, 1) - diagonals.begin(s, 0);
      (diagonals.is_slot(diagonals.all()) ? count : rest) = length;
    } else {
      const auto lanes = Kokkos::ThreadVectorRange(team, diagonals.slice_size);
      OfRows<Offset, typename Team::execution_space> of_row;
      diagonals.for_each(
          team, [&](auto, std::uint32_t, auto&) { ++count; }, [&](int r, Offset) { ++of_row(r); });
      Kokkos::parallel_reduce(
          lanes, [&](int r, Offset& most) { most = Kokkos::max(most, of_row(r)); },
          Kokkos::Max<Offset>(rest));
    }
    Kokkos::single(Kokkos::PerThread(team), [&] {
      slots(s) = count + rest;
      rest_slots(s) = rest;
    });
  }
};

/// Fills the slots of a slice.
template <class Csr, class Diagonals>
struct FillDiagonals {
  using Ordinal = typename Csr::ordinal_type;
  using Scalar = typename Csr::value_type;
  SliceDiagonals<Csr> diagonals;
  typename Csr::Scalars csr_values;
  typename Csr::Offsets slot_offsets;
  typename Csr::Offsets rest_offsets;
  Diagonals described;
  typename Csr::Ordinals entries;
  typename Csr::Scalars values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t s = team.league_rank();
    const std::int64_t size = diagonals.slice_size;
    const auto lanes = Kokkos::ThreadVectorRange(team, diagonals.slice_size);
    const std::int64_t begin = slot_offsets(s);
    const std::int64_t end = slot_offsets(s + 1);
    const std::int64_t rest_begin = rest_offsets(s);
    const std::int64_t first_rest = end - (rest_offsets(s + 1) - rest_begin);
    const std::int64_t first = diagonals.begin(s, 0);
    const std::int64_t length = end - begin;
    if (first_rest == end && diagonals.begin(s, diagonals.slice_size) - first == length * size) {
      // All slots are full: rows agree.
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, length), [&](std::int64_t n) {
        described(begin + n) = {diagonals.entries(first + n), diagonals.all()};
      });
      Kokkos::parallel_for(lanes, [&](int r) {
        for (std::int64_t n = 0; n < length; ++n)
          values((begin + n) * size + r) = csr_values(first + r * length + n);
      });
      return;
    }
    const auto describe = [&](std::int64_t n, Ordinal column, std::uint32_t mask) {
      Kokkos::single(Kokkos::PerThread(team), [&] { described(n) = {column, mask}; });
    };
    std::int64_t slot = begin;
    OfRows<std::int64_t, typename Team::execution_space> of_row;  // slots of the rest, so far
    diagonals.for_each(
        team,
        [&](Ordinal column, std::uint32_t mask, auto& from) {
          describe(slot, column, mask);
          Kokkos::parallel_for(lanes, [&](int r) {
            values(slot * size + r) = mask >> r & 1 ? csr_values(from(r)) : Scalar{};
          });
          ++slot;
        },
        [&](int r, std::int64_t from) {
          const std::int64_t n = of_row(r)++;
          entries((rest_begin + n) * size + r) = diagonals.entries(from);
          values((first_rest + n) * size + r) = csr_values(from);
        });
    for (std::int64_t n = 0; n < end - first_rest; ++n) {
      const std::uint32_t mask = rows_where(lanes, [&](int r) { return n < of_row(r); });
      describe(first_rest + n, 0, mask);
      Kokkos::parallel_for(lanes, [&](int r) {
        if (mask >> r & 1) return;
        entries((rest_begin + n) * size + r) = -1;
        values((first_rest + n) * size + r) = Scalar{};
      });
    }
  }
};

}  // namespace fatvec::detail
