// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/execution.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/shared/entries.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/rows_of_x.hpp>
#include <fatvec/kernels/shared/tile.hpp>
#include <fatvec/kernels/shared/warp.hpp>

/// The product of every format on every backend, written once: the file to read first.
namespace fatvec::portable {

/// Adds products with the rows of X, from some column on, to the sums of a row.
template <class T, class Sums>
struct AddRow {
  using Tile = Sums;
  detail::RowsOfX<T> x;
  std::int64_t step;  ///< from column to column
  Sums& sums;
  Sums& others;  ///< of every second entry; or the same

  template <class Ordinal>
  KOKKOS_FORCEINLINE_FUNCTION Tile load(Ordinal row) const {
    return {x[row], step};
  }
  /// The n-th entry of those that are loaded together.
  KOKKOS_FORCEINLINE_FUNCTION void add(const T& value, const Tile& x, int n = 0) const {
    Sums& sum = n % 2 == 0 ? sums : others;
    for (int p = 0; p < Tile::vectors; ++p) sum.of[p] += value * x.of[p];
  }
};

/// Y = beta · Y + alpha · A · X. A row of A is multiplied by a tile of neighbouring columns of X at
/// a time, whose sums stay in registers; columns beyond whole tiles are taken by halves of a tile.
/// Entries: shared/entries.hpp.
/// host: work is mapped as for a CPU; false on a host space where tests run what devices do.
template <class ExecSpace, bool host, class Entries, class T, class Output, detail::Columns columns,
          int width, bool shares_rows>
struct RowKernel {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  static constexpr bool contiguous = columns == detail::Columns::contiguous;
  template <int w>
  using Sums = detail::Tile<T, w, contiguous ? detail::vector_width<T>(w) : 1>;
  /// Blocks of 128 threads that are to fit on a multiprocessor: of narrow tiles more.
  static constexpr int resident_blocks =
      contiguous && Entries::contiguous && width * sizeof(T) <= 16 ? 10 : 8;
  static constexpr int rows_of_block = 32;  ///< on hosts
  Entries a;
  detail::MultiVectorSpan<const T, columns> x;
  Output output;  ///< shared/output.hpp
  int k;
  int step;  ///< columns of a row at a time: a tile on devices, all on hosts
  int items_of_row;
  std::int64_t first_row = 0;
  int rows = 0;         ///< range on devices: of this launch; team: of a team
  int thread_bits = 0;  ///< log2 of the threads of a row that are neighbours in a warp
  int longest = -1;     ///< team: rows of at most this many entries are skipped
  int parts = 1;        ///< team: those that divide the columns of a row

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int threads_per_row() const { return 1 << thread_bits; }

  /// RangePolicy. Hosts: a block of rows with all of their columns. Devices: a row and a tile,
  /// whose entries threads_per_row() neighbours share where any do. Neighbouring items have what
  /// lies side by side in X: columns of a row, or rows of a column.
  KOKKOS_FUNCTION void operator()(int item) const {
    if constexpr (host) {
      // By a copy of the kernel: of *this the compiler must think that storing to Y changes it.
      const RowKernel local = *this;
      const std::int64_t first = std::int64_t{item} * rows_of_block;
      const std::int64_t last = Kokkos::min(first + rows_of_block, a.count());
      for (std::int64_t i = first; i < last; ++i) local.multiply(i, 0);
    } else if constexpr (shares_rows) {
      const auto [row, place] = row_and_tile(item >> thread_bits);
      multiply(row, place, item & (threads_per_row() - 1),
               detail::mask_of_lanes(item, threads_per_row()));
    } else {
      const auto [row, place] = row_and_tile(item);
      multiply(row, place);
    }
  }

  /// TeamPolicy: rows longer than `longest`, each by all threads of `parts` teams, which divide its
  /// tiles.
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int teams = team.league_size() / parts;
    for (int r = next_long_row(team, 0); r < rows; r = next_long_row(team, r + 1))
      for (int place = team.league_rank() / teams; place < items_of_row; place += parts)
        share(row_of_team(team, r), place, team);
  }

 private:
  struct RowAndTile {
    std::int64_t row;
    int place;  ///< among the tiles of the row
  };
  KOKKOS_FORCEINLINE_FUNCTION RowAndTile row_and_tile(int item) const {
    if (items_of_row == 1) return {first_row + item, 0};
    if constexpr (contiguous) return {first_row + item / items_of_row, item % items_of_row};
    return {first_row + item % rows, item / rows};
  }

  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t i, int place, int lane = 0,
                                            unsigned mask = 0) const {
    const int last = Kokkos::min(k, (place + 1) * step);
    for_tiles<width>(place * step, last, [&](auto tile, int c) {
      Sums<decltype(tile)::value> sums;
      add(i, c, lane, shares_rows ? threads_per_row() : 1, sums);
      store(i, c, sums, lane, mask);
    });
  }

  /// The r-th row of a team. On devices the teams take turns, since some formats sort rows by
  /// length, but leave rows together whose lengths lie side by side.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row_of_team(const Member& team, int r) const {
    const int teams = team.league_size() / parts;
    const std::int64_t rank = team.league_rank() % teams;
    constexpr int together = 32;
    return host ? rank * rows + r
                : (std::int64_t{r / together} * teams + rank) * together + r % together;
  }

  /// The first of a team's rows from the r-th on that is longer than `longest`; `rows`: none is.
  KOKKOS_FORCEINLINE_FUNCTION int next_long_row(const Member& team, int r) const {
    if (longest < 0) {  // each
      while (r < rows && row_of_team(team, r) >= a.count()) ++r;
      return r;
    }
    int next = rows;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, r, rows),
        [&](int candidate, int& first) {
          const std::int64_t row = row_of_team(team, candidate);
          if (candidate < first && row < a.count() && a.length(row) > longest) first = candidate;
        },
        Kokkos::Min<int>(next));
    return Kokkos::min(next, rows);
  }

  /// An item's columns of row i, whose entries all threads of a team share.
  KOKKOS_FUNCTION void share(std::int64_t i, int place, const Member& team) const {
    const int threads = team.team_size() * threads_per_row();
    const int last = Kokkos::min(k, (place + 1) * step);
    for_tiles<width>(place * step, last, [&](auto tile, int c) {
      using TileSums = Sums<decltype(tile)::value>;
      TileSums sums;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, threads),
          [&](int thread, TileSums& part) { add(i, c, thread, threads, part); }, sums);
      Kokkos::single(Kokkos::PerTeam(team), [&] { store(i, c, sums); });
    });
  }

  /// sums += every parts-th entry of row i from `part` on, times columns c, c + 1, ... of X.
  /// Several entries are loaded before they are multiplied. Hosts add those of a pair to two sums,
  /// so that an addition need not wait for the one before, where the entries are numbered.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t i, int c, int part, int parts,
                                       Sums<w>& sums) const {
    constexpr int at_once = host || w * sizeof(T) > 32 ? 2 : 4;
    constexpr bool two_sums = host && Entries::numbered;
    Sums<w> others;
    a.template for_each<at_once>(
        i, part, parts,
        AddRow<T, Sums<w>>{detail::RowsOfX<T>(x, c), x.step(), sums, two_sums ? others : sums});
    if constexpr (two_sums) sums += others;
  }

  /// Stores the sums of a row, first those of the threads of `mask` together.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t i, int c, const Sums<w>& sums, int lane = 0,
                                         unsigned mask = 0) const {
    alignas(16) T of_row[w];
    sums.copy_to(of_row);
    if (shares_rows && mask != 0) {
      for (int offset = threads_per_row() / 2; offset > 0; offset /= 2)
        for (int e = 0; e < w; ++e) of_row[e] = detail::warp_add_xor(of_row[e], offset, mask);
      if (lane > 0) return;
    }
    if (const std::int64_t row = a.row(i); row >= 0) output.store(row, c, of_row);
  }

  /// visit(tile, c) for whole tiles of columns c ... last - 1, then for halves of them.
  template <int w, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_tiles(int c, int last, const Visit& visit) {
    for (; c + w <= last; c += w) visit(std::integral_constant<int, w>(), c);
    if constexpr (w > 1)
      if (c < last) for_tiles<w / 2>(c, last, visit);
  }
};

}  // namespace fatvec::portable

/// @cond
/// Where a reduction over tiles begins: Kokkos asks for it.
template <class T, int width, int n>
struct Kokkos::reduction_identity<fatvec::detail::Tile<T, width, n>> {
  KOKKOS_FORCEINLINE_FUNCTION static fatvec::detail::Tile<T, width, n> sum() { return {}; }
};
/// @endcond
