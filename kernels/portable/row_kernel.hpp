// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <fatvec/core/execution.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/portable/whole_row_kernel.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/rows.hpp>
#include <fatvec/kernels/shared/rows_of_x.hpp>
#include <fatvec/kernels/shared/tile.hpp>
#include <fatvec/kernels/shared/warp.hpp>

/// The product of every format on every backend, written once: the file to read first.
namespace fatvec::portable {

/// A row of A times a tile of neighbouring columns of X, whose sums stay in registers and then go
/// to the output. Columns beyond whole tiles are taken by halves of a tile, but on devices where
/// they lie side by side (tile_width).
///
/// Rows    how the rows of a format are read: shared/rows.hpp
/// Output  what becomes of the sums: shared/output.hpp
/// host    work is mapped as for a CPU; false on a host space where tests run what devices do
/// shares_rows  neighbouring threads of a device share the entries of a row, and add up
/// short_rows   rows so short that more resident threads help more than more loads of each
template <class ExecSpace, bool host, class Rows, class T, class Output, detail::Columns columns,
          int width, bool shares_rows, bool short_rows = false>
struct RowKernel {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  using Row = typename Rows::Row;
  static constexpr bool contiguous = columns == detail::Columns::contiguous;
  template <int w>
  using Tile = detail::Tile<T, w, contiguous ? detail::vector_width<T>(w) : 1>;
  template <int w>
  using TilesOfX = detail::TilesOfX<T, Tile<w>>;
  /// Blocks of 128 threads that are to fit on a multiprocessor: of narrow tiles more.
  static constexpr int resident_blocks =
      short_rows                                                                 ? 12
      : contiguous && Rows::contiguous && !shares_rows && width * sizeof(T) < 16 ? 10
                                                                                 : 8;
  static constexpr int rows_of_block = 32;  ///< on hosts
  static constexpr int columns_of_tile = width;

  Rows a;
  detail::MultiVectorSpan<const T, columns> x;
  Output output;
  int k;                                          ///< columns of x
  int first_column = 0;                           ///< of x, among those of the output
  Items items{};                                  ///< devices: rows and tiles of work-items
  int lane_bits = 0;                              ///< log2 of the threads that share a row
  int longest = std::numeric_limits<int>::max();  ///< rows with more entries are the teams'
  int rows_of_team = 0;
  int group = 1;  ///< rows whose lengths are bounded together
  int parts = 1;  ///< teams that divide the columns of a row

  /// RangePolicy. Hosts: a block of rows with all of their columns. Devices: a row and a tile, or a
  /// part of its entries.
  KOKKOS_FUNCTION void operator()(int item) const {
    if constexpr (host) {
      // By a copy of the kernel: of *this the compiler must think that storing to Y changes it.
      const RowKernel local = *this;
      const std::int64_t first = std::int64_t{item} * rows_of_block;
      const std::int64_t last = Kokkos::min(first + rows_of_block, a.count());
      for (std::int64_t i = first; i < last; ++i) {
        const Row row = local.a(i);
        if constexpr (Rows::contiguous) row.prefetch_ahead();
        local.template multiply<width>(row, 0, k, local.a.matrix_row(i));
      }
    } else {
      const auto [i, tile] = items.template at<contiguous>(shares_rows ? item >> lane_bits : item);
      multiply_tile(i, tile, item, shares_rows && !items.have(i));
    }
  }

  /// Devices: a tile of row i, or the part of its entries that is the thread's, whose rank in a
  /// warp is `thread` modulo 32. A warp adds up as a whole, with threads that have no row (idle).
  KOKKOS_FORCEINLINE_FUNCTION void multiply_tile(std::int64_t i, int tile, int thread,
                                                 bool idle) const {
    const int lane = shares_rows ? thread & (lanes() - 1) : 0;
    Row row = a(idle ? 0 : i);
    const bool stores = !idle && row.length <= longest;
    if (!stores && !shares_rows) return;
    if (!stores) row.length = 0;
    const std::int64_t to = stores && lane == 0 ? a.matrix_row(i) : -1;
    const int c = tile * width;
    if constexpr (contiguous) {
      const int first = detail::first_of_tile<width>(c, k);
      alignas(16) T sums[width];
      add_up<shares_rows>(row, TilesOfX<width>(x, first), lane, lanes()).copy_to(sums);
      add_up_of_warp(sums);
      if (to >= 0) detail::store_from(output, to, c, first, first_column, sums);
    } else {
      multiply<width>(row, c, Kokkos::min(k, c + width), to, lane);
    }
  }

  /// TeamPolicy: rows with more than `longest` entries, each by all threads of `parts` teams, which
  /// divide its tiles.
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int teams = team.league_size() / parts;
    for (int r = next_long_row(team, 0); r < rows_of_team; r = next_long_row(team, r + 1)) {
      const std::int64_t i = row_of_team(team, r);
      for (int c = team.league_rank() / teams * width; c < k; c += parts * width)
        multiply_together<width>(i, c, Kokkos::min(k, c + width), team);
    }
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int lanes() const {
    return shares_rows ? 1 << lane_bits : 1;
  }

  /// Columns c ... last - 1 of a row, for row `to` of Y; -1: for none.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Row& row, int c, int last, std::int64_t to,
                                            int lane = 0) const {
    for (; c + w <= last; c += w) {
      alignas(16) T sums[w];
      add_up<shares_rows>(row, TilesOfX<w>(x, c), lane, lanes()).copy_to(sums);
      add_up_of_warp(sums);
      if (to >= 0) output.store(to, first_column + c, sums);
      if constexpr (!host && w == width) return;  // devices: an item has one tile
    }
    if constexpr (w > 1)
      if (c < last) multiply<w / 2>(row, c, last, to, lane);
  }

  /// Adds up what the threads that share a row have.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void add_up_of_warp([[maybe_unused]] T (&sums)[w]) const {
    if constexpr (shares_rows)
      for (int offset = lanes() / 2; offset > 0; offset /= 2)
        for (int e = 0; e < w; ++e) sums[e] = detail::warp_add_xor(sums[e], offset);
  }

  /// The sums of every lanes-th entry of a row, from entry `lane` on, times a tile of X. Several
  /// entries are loaded before they are multiplied; a CPU adds them to two sums in turns, so that
  /// an addition need not wait for the one before.
  template <bool shared, class Tiles>
  KOKKOS_FORCEINLINE_FUNCTION typename Tiles::Tile add_up(Row row, const Tiles& tiles, int lane,
                                                          int lanes) const {
    using Sums = typename Tiles::Tile;
    constexpr int batch = host || sizeof(Sums) > 24 ? 2 : shared || sizeof(Sums) > 4 ? 4 : 8;
    Sums sums[host ? 2 : 1];
    const auto add = [&](const auto& entries) {
      constexpr int size = std::remove_cvref_t<decltype(entries)>::size;
      Sums of_x[size];
      for (int n = 0; n < size; ++n)
        if (entries.has(n)) of_x[n] = tiles[entries.colidx[n]];
      for (int n = 0; n < size; ++n)
        if (entries.has(n)) sums[host ? n % 2 : 0].add_product(entries.value[n], of_x[n]);
    };
    int left = row.length;  // of the row: those who share it go through the loop equally often
    row.advance(lane);
    for (; left >= batch * lanes; left -= batch * lanes, row.advance(batch * lanes))
      add(row.template load<batch, true>(lanes, left));
    constexpr int rest = shared ? batch : batch - 1;
    if (lane < left) add(row.template load<rest, rest == 1>(lanes, left - lane));
    if constexpr (host) sums[0] += sums[1];
    return sums[0];
  }

  /// Columns c ... last - 1 of row i, whose entries all threads of a team share.
  template <int w>
  KOKKOS_FUNCTION void multiply_together(std::int64_t i, int c, int last,
                                         const Member& team) const {
    for (; c + w <= last; c += w) {
      const int threads = team.team_size() << lane_bits;
      Tile<w> sums;
      Kokkos::parallel_reduce(
          Kokkos::TeamVectorRange(team, threads),
          [&](int thread, Tile<w>& part) {
            part += add_up<true>(a(i), TilesOfX<w>(x, c), thread, threads);
          },
          sums);
      Kokkos::single(Kokkos::PerTeam(team), [&] {
        alignas(16) T of_row[w];
        sums.copy_to(of_row);
        if (const std::int64_t to = a.matrix_row(i); to >= 0)
          output.store(to, first_column + c, of_row);
      });
    }
    if constexpr (w > 1)
      if (c < last) multiply_together<w / 2>(i, c, last, team);
  }

  /// The r-th row of a team. On devices the teams take turns, since some formats sort rows by
  /// length, but leave rows together whose lengths lie side by side.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t row_of_team(const Member& team, int r) const {
    const int teams = team.league_size() / parts;
    const std::int64_t rank = team.league_rank() % teams;
    constexpr int together = 32;
    return host ? rank * rows_of_team + r
                : (std::int64_t{r / together} * teams + rank) * together + r % together;
  }

  /// The first of a team's rows from the r-th on that has more than `longest` entries;
  /// rows_of_team: none has. Lengths are read in groups alone whose bound is more than that.
  KOKKOS_FORCEINLINE_FUNCTION int next_long_row(const Member& team, int r) const {
    if (longest < 0) {  // each
      while (r < rows_of_team && row_of_team(team, r) >= a.count()) ++r;
      return r;
    }
    int next = rows_of_team;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(team, r / group, rows_of_team / group),
        [&](int n, int& first) {
          if (n * group >= first) return;
          const std::int64_t row = row_of_team(team, n * group);
          const std::int64_t last = Kokkos::min(row + group, a.count());
          if (row >= last || a.most_entries(row, last) <= longest) return;
          for (std::int64_t i = last - 1; i >= row; --i) {
            const int candidate = n * group + static_cast<int>(i - row);
            if (candidate >= r && candidate < first && a.length(i) > longest) first = candidate;
          }
        },
        Kokkos::Min<int>(next));
    return Kokkos::min(next, rows_of_team);
  }
};

/// Launches the kernel for tiles of `width` columns. No allocation, no fence.
template <bool host, int width, bool shares_rows, bool short_rows, class ExecSpace, class Rows,
          class T, detail::Columns columns, class Output>
void launch_rows(const char* label, const ExecSpace& exec, const Rows& rows,
                 const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                 const Share& share, int threads_per_row) {
  using Kernel =
      RowKernel<ExecSpace, host, Rows, T, Output, columns, width, shares_rows, short_rows>;
  Kernel kernel{.a = rows,
                .x = x,
                .output = output,
                .k = share.columns,
                .first_column = share.first_column,
                .items = {.tiles = (share.columns + width - 1) / width},
                .longest = share.longest};
  if constexpr (host) {
    const HostBlocks blocks(rows.count(), Kernel::rows_of_block, rows.mean_length, share.columns);
    if constexpr (detail::Reducing<Output>)
      launch_parts_of_blocks(label, exec, kernel, blocks.count, blocks.are_little_work());
    else if (detail::is_synchronous<ExecSpace> && blocks.are_little_work())
      for (int block = 0; block < blocks.count; ++block) kernel(block);
    else
      Kokkos::parallel_for(label, blocks.policy(exec), kernel);
  } else {
    const int lanes =
        shares_rows ? fitted_threads<Output, columns>(threads_per_row, kernel.items.tiles) : 1;
    kernel.lane_bits = std::countr_zero(static_cast<unsigned>(lanes));
    launch_items(label, exec, kernel, lanes);
  }
}

/// Whether devices have a kernel of their own for short rows: tiles for which 40 registers do.
template <bool host, class Rows, class T, detail::Columns columns, class Output, int width>
inline constexpr bool has_short_rows =
    !host && columns == detail::Columns::contiguous && !detail::Reducing<Output> &&
    (Rows::contiguous ? width == 2 : width <= 4) && width * sizeof(T) <= 32 &&
    !requires { Rows::of_segments; };

/// launch_rows() for some width, as a value.
template <class ExecSpace, class Rows, class T, detail::Columns columns, class Output>
using Launch = void (*)(const char*, const ExecSpace&, const Rows&,
                        const detail::MultiVectorSpan<const T, columns>&, const Output&,
                        const Share&, int threads_per_row);

/// The launch that multiplies every row by work-items in tiles of such a width.
template <bool host, class ExecSpace, class Rows, class T, detail::Columns columns, class Output>
auto launch_of(const Choice& choice, const Rows& rows,
               const detail::MultiVectorSpan<const T, columns>& x, int k) {
  Launch<ExecSpace, Rows, T, columns, Output> launch = nullptr;
  constexpr bool may_share = !host && Rows::contiguous && detail::has_shuffles<ExecSpace>;
  constexpr bool always_share = may_share && requires { Rows::of_segments; };
  const bool shares = always_share || (may_share && choice.threads_per_row > 1);
  const auto take = [&]<int width>(detail::Width<width>) {
    if constexpr (!always_share)
      launch = &launch_rows<host, width, false, false, ExecSpace, Rows, T, columns, Output>;
    if constexpr (has_short_rows<host, Rows, T, columns, Output, width>)
      if (rows.mean_length < short_length)
        launch = &launch_rows<host, width, false, true, ExecSpace, Rows, T, columns, Output>;
    if constexpr (may_share)
      if (shares)
        launch = &launch_rows<host, width, true, false, ExecSpace, Rows, T, columns, Output>;
  };
  constexpr bool wide = sizeof(T) == 4 && !detail::Reducing<Output>;  // as many bytes as of double
  detail::with_width(tiles<host, columns, Rows, Output, wide>(),
                     tile_width<host, wide>(choice.width, x, k), take);
  return launch;
}

/// Rows with more than share.longest entries, each by teams.
template <bool host, class ExecSpace, class Rows, class T, detail::Columns columns, class Output>
void multiply_by_teams(const char* label, const ExecSpace& exec, int asked_width, const Rows& rows,
                       const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                       const Share& share) {
  const int wanted = team_width(host, asked_width > 0 ? asked_width : share.columns);
  const auto launch = [&]<int width>(detail::Width<width>) {
    launch_teams<host>(label, exec,
                       RowKernel<ExecSpace, host, Rows, T, Output, columns, width, false>{
                           .a = rows,
                           .x = x,
                           .output = output,
                           .k = share.columns,
                           .first_column = share.first_column,
                           .longest = share.longest},
                       (share.columns + width - 1) / width);
  };
  if (wanted == 4 && (host || columns == detail::Columns::strided || is_aligned(4, x)))
    launch(detail::Width<4>{});
  else if constexpr (!host)
    launch(detail::Width<1>{});
}

/// The rows that work-items leave, which are far longer than the mean: long_rows.hpp.
template <class ExecSpace, class S, class Segments, class T, detail::Columns columns, class Output>
void multiply_long_rows(const char* label, const ExecSpace& exec, const detail::SlotRows<S>& rows,
                        const Segments& segments,
                        const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                        const Share& share);

/// Multiplies A by X, in the form that was asked for or is best for such rows, and gives the sums
/// to `output`. On devices rows that are far longer than the mean have launches of their own.
template <bool host, class ExecSpace, class S, class T, detail::Columns columns, class Output>
void multiply_rows(const char* label, const ExecSpace& exec, const Choice& asked, const S& a,
                   const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                   std::int64_t k) {
  using Rows = detail::SlotRows<S>;
  detail::require_near_rows(label, x);
  const Rows rows(a);
  const std::int64_t at_once = columns_at_once<host, T, Output>(k);
  for (std::int64_t c = 0; c < k; c += at_once) {
    const auto from = x.from_column(c);
    Share share{static_cast<int>(c), static_cast<int>(std::min(at_once, k - c))};
    detail::begin_sums(output, share.first_column, share.columns);
    if constexpr (has_team_form<host, Output>) {
      if (asked.form == Form::team) {
        share.longest = -1;
        multiply_by_teams<host>(label, exec, asked.width, rows, from, output, share);
        detail::join_sums(exec, output);
        continue;
      }
    }
    if constexpr (!host) {
      constexpr std::int64_t any_length = std::numeric_limits<int>::max();
      share.longest = a.segments.known ? static_cast<int>(std::min(a.segments.longest, any_length))
                                       : longest_of_items(rows.mean_length);
    }
    const Choice choice = chosen(asked, {.host = host,
                                         .strided = columns == detail::Columns::strided,
                                         .contiguous_rows = Rows::contiguous,
                                         .rows = rows.count(),
                                         .mean_length = rows.mean_length,
                                         .k = share.columns});
    const auto launch =
        launch_of<host, ExecSpace, Rows, T, columns, Output>(choice, rows, from, share.columns);
    launch(label, exec, rows, from, output, share, choice.threads_per_row);
    if constexpr (!host) multiply_long_rows(label, exec, rows, a.segments, from, output, share);
    detail::join_sums(exec, output);
  }
}

/// Whether the rows of a format are walked slot by slot: neither rows of blocks nor those that are
/// visited.
template <template <class...> class Format>
inline constexpr bool is_walked =
    requires(const Format<double, int, Kokkos::DefaultExecutionSpace, int>& a) {
      a.row_access();
      requires !requires { a.block_access(); };
    };

/// Whether the entries of its rows lie side by side, too.
template <template <class...> class Format>
inline constexpr bool has_contiguous_rows = is_walked<Format> && requires {
  requires Format<double, int, Kokkos::DefaultExecutionSpace, int>::Rows::contiguous;
};

/// Of the row kernels of devices.
template <template <class...> class Format>
using PolicyOf =
    std::conditional_t<has_contiguous_rows<Format>, DevicePolicy,
                       std::conditional_t<is_walked<Format>, WholeRowPolicy, TilePolicy>>;

/// What the portable kernel of a format says of itself.
template <template <class...> class Format>
struct PortableKernel {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = Format<Scalar, Ordinal, Device, Offset>;
  using HostPolicy = std::conditional_t<is_walked<Format>, portable::HostPolicy, HostTilePolicy>;
  using DevicePolicy = PolicyOf<Format>;
  static constexpr auto label = detail::label_of<Format>("-portable");
  static constexpr std::string_view name = label.name();
  static constexpr bool portable = true;
};

}  // namespace fatvec::portable

namespace fatvec {

/// The kernel that every format and backend shares.
template <template <class...> class Format>
struct Portable : portable::PortableKernel<Format> {
  template <class ExecSpace, class Policy, class S, class X, class Output>
  static void run(const ExecSpace& exec, const Policy& asked, const S& a, const X& x,
                  const Output& output, std::int64_t k) {
    constexpr bool host = std::is_same_v<Policy, typename Portable::HostPolicy>;
    if constexpr (portable::is_walked<Format>)
      portable::multiply_rows<host>(Portable::label.text, exec, asked, a, x, output, k);
    else
      portable::multiply_visited_rows<host>(Portable::label.text, exec, asked, a, x, output, k);
  }
};

}  // namespace fatvec

#include <fatvec/kernels/portable/long_rows.hpp>
