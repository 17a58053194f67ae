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

  template <class Ordinal>
  KOKKOS_FORCEINLINE_FUNCTION Tile load(Ordinal row) const {
    return {x[row], step};
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(const T& value, const Tile& x) const { sums.add(value, x); }
};

/// Y = beta · Y + alpha · A · X. A row of A is multiplied by a tile of neighbouring columns of X at
/// a time, whose sums stay in registers; columns beyond whole tiles are taken by halves of a tile.
/// Entries: shared/entries.hpp.
template <class ExecSpace, class Entries, class T, detail::Columns columns, int width,
          bool shares_rows>
struct RowKernel {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  static constexpr int tile_width = width;
  static constexpr bool has_lanes = shares_rows;
  static constexpr bool host = detail::is_host<ExecSpace>;
  static constexpr bool contiguous = columns == detail::Columns::contiguous;
  template <int w>
  using Sums = detail::Tile<T, w, contiguous ? detail::piece_width<T>(w) : 1>;
  Entries a;
  detail::MultiVectorSpan<const T, columns> x;
  detail::Epilogue<T> epilogue;
  int k;
  int step;  ///< columns of an item: a tile on devices, all on hosts
  int items_of_row;
  std::int64_t first_row = 0;
  int rows = 0;     ///< range: of this launch; team: of a team
  int lanes = 1;    ///< threads of a row; range: neighbours in a warp, a power of two
  int longest = 0;  ///< row that a thread has to itself in the team form
  int parts = 1;    ///< teams that divide the columns of a long row

  /// RangePolicy: a row and `step` of its columns, whose entries `lanes` neighbours share where
  /// any do. Neighbouring items have what lies side by side in X: columns of a row, or rows of a
  /// column.
  KOKKOS_FUNCTION void operator()(int item) const {
    if constexpr (shares_rows) {
      const auto [row, place] = row_and_tile(item / lanes);
      multiply(row, place, item % lanes, detail::mask_of_lanes(item, lanes));
    } else {
      const auto [row, place] = row_and_tile(item);
      multiply(row, place);
    }
  }

  /// TeamPolicy: a row for each thread of a team. A row longer than `longest` is shared by all
  /// threads of `parts` teams, each of which has some of its tiles.
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t first = std::int64_t{team.league_rank() / parts} * rows;
    const int part = team.league_rank() % parts;
    const auto here = static_cast<int>(Kokkos::min<std::int64_t>(rows, a.count() - first));
    if (part == 0)
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, here), [&](int r) {
        if (a.length(first + r) > longest) return;
        if (items_of_row > 1)
          Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, items_of_row),
                               [&](int place) { multiply(first + r, place); });
        else
          share(first + r, 0, Kokkos::ThreadVectorRange(team, lanes), lanes,
                Kokkos::PerThread(team));
      });
    const int all = team.team_size() * lanes;
    for (int r = 0; r < here; ++r)
      if (a.length(first + r) > longest)
        for (int place = part; place < items_of_row; place += parts)
          share(first + r, place, Kokkos::TeamVectorRange(team, all), all, Kokkos::PerTeam(team));
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
      add(i, c, lane, shares_rows ? lanes : 1, sums);
      store(i, c, sums, lane, mask);
    });
  }

  /// An item's columns of row i, whose entries `count` threads share.
  template <class Threads, class One>
  KOKKOS_FUNCTION void share(std::int64_t i, int place, const Threads& threads, int count,
                             const One& one) const {
    const int last = Kokkos::min(k, (place + 1) * step);
    for_tiles<width>(place * step, last, [&](auto tile, int c) {
      using TileSums = Sums<decltype(tile)::value>;
      TileSums sums;
      Kokkos::parallel_reduce(
          threads, [&](int thread, TileSums& part) { add(i, c, thread, count, part); }, sums);
      Kokkos::single(one, [&] { store(i, c, sums); });
    });
  }

  /// sums += every parts-th entry of row i from `part` on, times columns c, c + 1, ... of X.
  /// Devices load several entries before they multiply.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t i, int c, int part, int parts,
                                       Sums<w>& sums) const {
    constexpr int at_once = host ? 1 : w * sizeof(T) <= 32 ? 4 : 2;
    a.template for_each<at_once>(i, part, parts,
                                 AddRow<T, Sums<w>>{detail::RowsOfX<T>(x, c), x.step(), sums});
  }

  /// Stores the sums of a row, first those of the threads of `mask` together.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t i, int c, const Sums<w>& sums, int lane = 0,
                                         unsigned mask = 0) const {
    alignas(16) T of_row[w];
    sums.copy_to(of_row);
    if (shares_rows && mask != 0) {
      for (int offset = lanes / 2; offset > 0; offset /= 2)
        for (int e = 0; e < w; ++e) of_row[e] = detail::plus_neighbour(of_row[e], offset, mask);
      if (lane > 0) return;
    }
    if (const std::int64_t row = a.row(i); row >= 0) epilogue.store(row, c, of_row);
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
