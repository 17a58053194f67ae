// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include <fatvec/core/error.hpp>
#include <fatvec/core/execution.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/device/column_tile.hpp>
#include <fatvec/kernels/device/multiprocessor.hpp>
#include <fatvec/kernels/device/staged_kernel.hpp>
#include <fatvec/kernels/device/thread_mapping.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/rows_of_x.hpp>
#include <fatvec/kernels/shared/static_for.hpp>
#include <fatvec/kernels/shared/warp.hpp>

/// How blocks that are staged in scratch memory are launched.
namespace fatvec::detail {

/// Whether blocks are staged: where they are read once for many columns, or for columns that are
/// apart.
inline bool stages_blocks(Columns columns, std::int64_t k) {
  return columns == Columns::contiguous ? k >= 12 : k > 1;
}

/// Threads of a team: few, so that the last teams of a launch are soon done.
inline constexpr int staged_threads = 128;

/// The product of blocks of a size that the compiler knows, in tiles of such columns.
template <int block, class T, class Tile, class ExecSpace, class Matrix, class X, class Output>
void launch_staged(const char* label, const ExecSpace& exec, const Matrix& matrix, const X& x,
                   const Output& output, std::int64_t k, std::int64_t sweeps) {
  using Kernel = StagedKernel<T, Matrix, block, X, Tile, Output>;
  // Half of the teams, each twice as large: Kokkos refuses a launch whose teams do not fit.
  constexpr int resident = block * Tile::width * sizeof(T) > 48 ? 2 : 4;
  // That number of teams fits, whatever a team has beyond its rows.
  constexpr double team_bytes =
      std::min(20 << 10, (scratch_of_multiprocessor / resident - (2 << 10)) * 2 / 3);
  constexpr double thread_bytes = 288;
  constexpr double block_bytes = Kernel::scratch_bytes(1);
  const std::int64_t count = matrix.count;
  const double row_bytes =
      block_bytes * static_cast<double>(matrix.slots) / static_cast<double>(count);
  int threads = staged_threads;
  int threads_per_row = 1;  // more where a team could not have scratch memory for all rows
  const double column_threads =
      std::ceil(static_cast<double>(k) / static_cast<double>(Tile::width * sweeps));
  while (has_shuffles<ExecSpace> && threads_per_row < 32 &&
         row_bytes > thread_bytes * column_threads * threads_per_row)
    threads_per_row *= 2;
  ThreadMapping mapping = ThreadMapping::of(threads, threads_per_row, Tile::width, k, sweeps);
  while (threads > 64 && mapping.rows > 1 && row_bytes * mapping.rows > team_bytes)
    mapping = ThreadMapping::of(threads /= 2, threads_per_row, Tile::width, k, sweeps);

  // Up to three rows for each thread, where rows are short and there are teams for all
  // multiprocessors. More would take scratch memory from the first-level cache, which X needs.
  constexpr double short_row_bytes = 1 << 10;
  const double pass_bytes = row_bytes * mapping.rows;
  const double most_passes =
      std::min(team_bytes / pass_bytes, static_cast<double>(count) / (2048.0 * mapping.rows));
  const int passes =
      row_bytes > short_row_bytes ? 1 : static_cast<int>(std::clamp(most_passes, 1.0, 3.0));
  // Some more, for teams whose rows are longer than the mean.
  auto capacity =
      static_cast<int>(std::min(1.5 * team_bytes, 1.15 * pass_bytes * passes + 256) / block_bytes);
  capacity -= capacity % 2;  // the column indices behind the blocks begin at whole 8 bytes

  const std::int64_t rows_of_team = std::int64_t{mapping.rows} * passes;
  const std::int64_t teams = (count + rows_of_team - 1) / rows_of_team * mapping.sweeps;
  if (teams > std::numeric_limits<int>::max())
    throw CapacityError(concat(label, ": ", teams, " teams are more than one launch can have."));
  using Bounds = Kokkos::LaunchBounds<2 * staged_threads,
                                      std::min(resident, resident_threads / (2 * staged_threads))>;
  using Teams = Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<int>, Bounds>;
  Kokkos::parallel_for(
      label,
      Teams(exec, static_cast<int>(teams), is_host<ExecSpace> ? 1 : mapping.threads)
          .set_scratch_size(0, Kokkos::PerTeam(Kernel::scratch_bytes(capacity) + 16)),
      Kernel{matrix.access, matrix.entries, matrix.values, matrix.block.row_step,
             matrix.block.column_step, count, matrix.rows(), matrix.cols(), x, output, mapping,
             static_cast<int>(k), passes, capacity});
}

/// Chooses the tile: neighbouring columns where X can be loaded 16 bytes at a time, else columns
/// that are apart.
template <int block, class ExecSpace, class Matrix, class T, Columns columns, class Output>
void launch_staged_blocks(const char* label, const ExecSpace& exec, const Matrix& matrix,
                          const MultiVectorSpan<const T, columns>& x, const Output& output,
                          std::int64_t k) {
  require_near_rows(label, x);
  if constexpr (columns == Columns::contiguous) {
    const std::int64_t sweeps = portable::sweeps_for(k, portable::bytes_at_once / sizeof(T), 0.5);
    if (k % AdjacentTile<T>::width == 0 && takes_adjacent<T>(x))
      return launch_staged<block, T, AdjacentTile<T>>(label, exec, matrix, x, output, k, sweeps);
    launch_staged<block, T, SpacedTile<T, 2>>(label, exec, matrix, x, output, k, sweeps);
  } else {
    constexpr int widest = block > 3 ? 2 : 4;
    const std::int64_t sweeps = portable::sweeps_for(k, 64, 0.25);
    with_width(Widths<2, widest>{}, (k + sweeps - 1) / sweeps, [&]<int width>(Width<width>) {
      launch_staged<block, T, SpacedTile<T, width>>(label, exec, matrix, x, output, k, sweeps);
    });
  }
}

}  // namespace fatvec::detail
