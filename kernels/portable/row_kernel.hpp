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
template <class ExecSpace, class Entries, class T, detail::Columns columns, int width>
struct RowKernel {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  static constexpr int tile_width = width;
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
  int rows = 0;  ///< range: of this launch; team: of a team
  int lanes = 1;
  int longest = 0;  ///< row that a thread has to itself in the team form

  /// RangePolicy: a row and `step` of its columns. Neighbouring items have what lies side by side
  /// in X: columns of a row, or rows of a column.
  KOKKOS_FUNCTION void operator()(int item) const {
    if (items_of_row == 1) return multiply(first_row + item, 0);
    const int row = contiguous ? item / items_of_row : item % rows;
    const int place = contiguous ? item % items_of_row : item / rows;
    multiply(first_row + row, place);
  }

  /// TeamPolicy: a row for each thread of a team; those longer than `longest` are left to all of
  /// it.
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t first = std::int64_t{team.league_rank()} * rows;
    const auto here = static_cast<int>(Kokkos::min<std::int64_t>(rows, a.count() - first));
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, here), [&](int r) {
      if (a.length(first + r) > longest) return;
      if (items_of_row > 1)
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, items_of_row),
                             [&](int place) { multiply(first + r, place); });
      else
        share(first + r, Kokkos::ThreadVectorRange(team, lanes), lanes, Kokkos::PerThread(team));
    });
    const int all = team.team_size() * lanes;
    for (int r = 0; r < here; ++r)
      if (a.length(first + r) > longest)
        share(first + r, Kokkos::TeamVectorRange(team, all), all, Kokkos::PerTeam(team));
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t i, int place) const {
    const int last = Kokkos::min(k, (place + 1) * step);
    for_tiles<width>(place * step, last, [&](auto tile, int c) {
      Sums<decltype(tile)::value> sums;
      add(i, c, 0, 1, sums);
      store(i, c, sums);
    });
  }

  /// All columns of row i, whose entries the threads of a range share.
  template <class Threads, class One>
  KOKKOS_FUNCTION void share(std::int64_t i, const Threads& threads, int parts,
                             const One& one) const {
    for_tiles<width>(0, k, [&](auto tile, int c) {
      using TileSums = Sums<decltype(tile)::value>;
      TileSums sums;
      Kokkos::parallel_reduce(
          threads, [&](int part, TileSums& partial) { add(i, c, part, parts, partial); }, sums);
      Kokkos::single(one, [&] { store(i, c, sums); });
    });
  }

  /// sums += every parts-th entry of row i from `part` on, times columns c, c + 1, ... of X.
  /// Devices load several entries before they multiply.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t i, int c, int part, int parts,
                                       Sums<w>& sums) const {
    constexpr int at_once = host ? 1 : w * sizeof(T) <= 16 ? 4 : 2;
    a.template for_each<at_once>(i, part, parts,
                                 AddRow<T, Sums<w>>{detail::RowsOfX<T>(x, c), x.step(), sums});
  }

  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t i, int c, const Sums<w>& sums) const {
    alignas(16) T of_row[w];
    sums.copy_to(of_row);
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
