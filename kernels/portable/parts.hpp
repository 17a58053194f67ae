// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <fatvec/core/execution.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/partial_sums.hpp>
#include <fatvec/kernels/shared/warp.hpp>

/// Launches of portable kernels whose outputs form sums over rows (shared/partial_sums.hpp): the
/// same kernels, on copies whose outputs add to the place of a part.
namespace fatvec::portable {

/// Hosts: a part is a share of neighbouring blocks of rows.
template <class Kernel>
struct PartsOfBlocks {
  Kernel kernel;
  std::int64_t blocks;
  std::int64_t parts;

  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    Kernel mine = kernel;
    detail::begin_part(mine.output, part);
    const std::int64_t last = blocks * (part + 1) / parts;
    for (std::int64_t block = blocks * part / parts; block < last; ++block)
      mine(static_cast<int>(block));
  }
};

/// Launches a host kernel by parts, or by the caller's thread where they are little work.
template <class ExecSpace, class Kernel>
void launch_parts_of_blocks(const char* label, const ExecSpace& exec, Kernel kernel,
                            std::int64_t blocks, bool are_little_work) {
  const std::int64_t wanted =
      are_little_work ? 1 : std::min<std::int64_t>(blocks, 16 * exec.concurrency());
  const std::int64_t parts = detail::take_parts(kernel.output, wanted);
  const PartsOfBlocks<Kernel> of_blocks{kernel, blocks, parts};
  if constexpr (detail::is_synchronous<ExecSpace>)
    if (parts == 1) return of_blocks(0);
  Kokkos::parallel_for(
      label,
      Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                          Kokkos::IndexType<std::int64_t>>(exec, 0, parts, Kokkos::ChunkSize(1)),
      of_blocks);
}

/// Lanes of a team that takes rows and tiles; on a host space one thread takes the part of all.
inline constexpr int lanes_of_team = 128;
/// Columns of a launch at most: a team has a row or more.
inline constexpr std::int64_t most_columns_of_team = lanes_of_team;

/// Whether rows may have teams of their own: on hosts there would be more teams than places for
/// sums.
template <bool host, class Output>
inline constexpr bool has_team_form = !(host && detail::Reducing<Output>);

/// Threads that may share a row of that many tiles, for a team to have a row or more. A warp adds
/// up as a whole: where columns are apart its threads would do so for tiles of several widths.
template <class Output, detail::Columns columns>
int fitted_threads(int threads_per_row, int tiles) {
  if constexpr (!detail::Reducing<Output>) return threads_per_row;
  if (columns == detail::Columns::strided) return 1;
  const auto most = std::bit_floor(static_cast<unsigned>(lanes_of_team / tiles));
  return std::min(threads_per_row, static_cast<int>(most));
}

/// The policy of a kernel whose functor, of some 600 bytes, is passed as an argument: by way of
/// constant memory a launch would wait for the one before, and could not be captured into a graph.
template <class Policy>
auto light(const Policy& policy) {
  return Kokkos::Experimental::require(policy,
                                       Kokkos::Experimental::WorkItemProperty::HintLightWeight);
}

/// Devices: teams go through the rows in turns, so that all of them together go through X from its
/// beginning to its end. A lane keeps its tile of columns, and its sums in scratch memory.
template <class ExecSpace, class Kernel>
struct TeamsOfTiles {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  using Sums = std::remove_reference_t<decltype(std::declval<Kernel&>().output.partial_sums())>;
  using Sum = typename Sums::Sum;
  static constexpr int lanes = lanes_of_team;
  static constexpr int width = Kernel::columns_of_tile;

  Kernel kernel;
  int tiles;
  int threads_per_row;
  int rows_at_once;  ///< of a team

  [[nodiscard]] static std::size_t scratch_bytes(int sums) {
    return static_cast<std::size_t>(sums) * width * lanes * sizeof(Sum) + alignof(Sum);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    Kernel mine = kernel;
    Sums& sums = mine.output.partial_sums();
    auto* const scratch = static_cast<Sum*>(team.team_scratch(0).get_shmem_aligned(
        static_cast<std::size_t>(sums.number) * width * lanes * sizeof(Sum), alignof(Sum)));
    sums.column_step = lanes;
    sums.sum_step = width * lanes;
    const std::int64_t rows = kernel.a.count();
    for (int lane = team.team_rank(); lane < lanes; lane += team.team_size()) {
      for (int n = 0; n < sums.number * width; ++n) scratch[n * lanes + lane] = Sum{};
      const bool has_tile = lane < rows_at_once * tiles * threads_per_row;
      const int tile = has_tile ? tile_of(lane) : 0;
      sums.place = scratch + lane;
      sums.first_column = sums.launch_column + std::int64_t{tile} * width;
      // All lanes go through the loop equally often: those of a warp add up together.
      for (std::int64_t first = std::int64_t{team.league_rank()} * rows_at_once; first < rows;
           first += std::int64_t{team.league_size()} * rows_at_once) {
        const std::int64_t i = has_tile ? first + row_of(lane) : rows;
        mine.multiply_tile(i, tile, lane, i >= rows);
      }
    }
    join_lanes(team, scratch, sums.number);
    sums.go_to_part(team.league_rank());
    for (int lane = team.team_rank(); lane < lanes; lane += team.team_size()) {
      if (!ends_with(lane)) continue;
      const std::int64_t first = std::int64_t{tile_of(lane)} * width;
      for (int n = 0; n < sums.number; ++n)
        for (int w = 0; w < width && first + w < sums.columns; ++w)
          sums.place[n * sums.sum_step + first + w] = scratch[(n * width + w) * lanes + lane];
    }
  }

 private:
  /// Neighbouring lanes have what lies side by side in X: columns of a row, or rows of a column.
  [[nodiscard]] KOKKOS_FUNCTION int tile_of(int lane) const {
    const int group = lane / threads_per_row;
    return Kernel::contiguous ? group % tiles : group / rows_at_once;
  }
  [[nodiscard]] KOKKOS_FUNCTION int row_of(int lane) const {
    const int group = lane / threads_per_row;
    return Kernel::contiguous ? group / tiles : group % rows_at_once;
  }
  /// From lane to lane of the next row with the same tile.
  [[nodiscard]] KOKKOS_FUNCTION int row_step() const {
    return Kernel::contiguous ? tiles * threads_per_row : threads_per_row;
  }
  /// Whether a lane has a tile's sums at last: the first of its first row.
  [[nodiscard]] KOKKOS_FUNCTION bool ends_with(int lane) const {
    return lane < rows_at_once * tiles * threads_per_row && lane % threads_per_row == 0 &&
           row_of(lane) == 0;
  }

  /// In a tree over the rows of the lanes.
  KOKKOS_FUNCTION void join_lanes(const Member& team, Sum* scratch, int number) const {
    team.team_barrier();
    for (int rows = rows_at_once; rows > 1;) {
      const int half = (rows + 1) / 2;
      for (int lane = team.team_rank(); lane < rows_at_once * tiles * threads_per_row;
           lane += team.team_size()) {
        if (row_of(lane) >= rows - half) continue;
        for (int n = 0; n < number * width; ++n)
          scratch[n * lanes + lane] += scratch[n * lanes + lane + half * row_step()];
      }
      team.team_barrier();
      rows = half;
    }
  }
};

/// Launches a kernel of a device by such teams.
template <class ExecSpace, class Kernel>
void launch_teams_of_tiles(const char* label, const ExecSpace& exec, Kernel kernel,
                           int threads_per_row) {
  using Teams = TeamsOfTiles<ExecSpace, Kernel>;
  constexpr int lanes = Teams::lanes;
  constexpr int threads = detail::is_host<ExecSpace> ? 1 : lanes;
  // As many as fit on all multiprocessors, which have up to 2048 threads.
  const std::int64_t threads_of_device = exec.concurrency();
  const std::int64_t resident = detail::is_host<ExecSpace>
                                    ? 8 * threads_of_device
                                    : threads_of_device * Kernel::resident_blocks / 2048;
  const int tiles = kernel.items.tiles;
  const int rows_at_once = lanes / (tiles * threads_per_row);
  const std::int64_t steps = (kernel.a.count() + rows_at_once - 1) / rows_at_once;
  auto& sums = kernel.output.partial_sums();
  const std::int64_t most = std::max<std::int64_t>(1, std::min(resident, sums.left() / 2));
  const auto teams = static_cast<int>(detail::take_parts(kernel.output, std::min(steps, most)));
  using Policy = Kokkos::TeamPolicy<
      ExecSpace, Kokkos::LaunchBounds<
                     threads, detail::least_resident<threads == 1 ? 1 : Kernel::resident_blocks>>>;
  Kokkos::parallel_for(
      label,
      light(Policy(exec, teams, threads))
          .set_scratch_size(0,
                            Kokkos::PerTeam(static_cast<int>(Teams::scratch_bytes(sums.number)))),
      Teams{kernel, tiles, threads_per_row, rows_at_once});
}

/// Devices: teams that share rows. Of a team one thread stores, to the team's own place.
template <class ExecSpace, class Kernel>
struct TeamsWithPlaces {
  using Member = typename Kokkos::TeamPolicy<ExecSpace>::member_type;
  Kernel kernel;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    Kernel mine = kernel;
    mine.output.partial_sums().go_to_part(team.league_rank());
    Kokkos::single(Kokkos::PerTeam(team),
                   [&] { mine.output.partial_sums().begin_part(team.league_rank()); });
    mine(team);
  }
};

}  // namespace fatvec::portable
