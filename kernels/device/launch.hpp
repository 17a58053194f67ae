// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/kernels/device/column_tile.hpp>
#include <fatvec/kernels/device/policy.hpp>
#include <fatvec/kernels/device/row_kernel.hpp>
#include <fatvec/kernels/device/staged_kernel.hpp>
#include <fatvec/kernels/shared/slots.hpp>

/// Which lanes a product is given to, for which k and layout of X: the policy of the GPU kernels.
namespace fatvec::detail {

/// The rows that lanes walk: the format's, or those of its blocks one by one (block = 0: blocks of
/// a size known at run time). Where a format hides its long rows, which are the pieces' launch's,
/// they look empty.
template <int block, class Matrix>
auto lane_rows(const Matrix& matrix) {
  if constexpr (block == 1) {
    auto rows = matrix.access;
    if constexpr (HidesLongRows<Matrix>)
      if (matrix.long_rows.pieces.extent(0) > 0) rows.row_lengths = matrix.long_rows.lengths.data();
    return rows;
  } else {
    using Offset = std::remove_cvref_t<decltype(*matrix.access.row_map)>;
    return BlockedRows<Offset, block>{matrix.access.row_map, matrix.block};
  }
}

/// The threads' part of a product: chosen before it is launched.
struct LaneChoice {
  int width;            ///< columns of a thread
  bool adjacent;        ///< neighbours; otherwise as far apart as there are lanes
  bool staged;          ///< A through scratch memory
  std::int64_t sweeps;  ///< over the rows, each for a part of the columns
};

/// One matrix, X and epilogue, ready to be multiplied by lanes. `block` is the size of A's blocks.
template <int block, class ExecSpace, class Matrix, class T, class V, Columns columns>
struct LaneLauncher {
  using X = MultiVectorSpan<V, columns>;
  static constexpr bool contiguous = Matrix::Rows::contiguous;
  static constexpr int pair = std::max<int>(2, 16 / sizeof(T));
  static constexpr int wide = std::max<int>(2, 32 / sizeof(T));
  const char* label;
  const ExecSpace& exec;
  const device::RowPolicy& policy;
  const Matrix& matrix;
  const X& x;
  const Epilogue<T>& epilogue;
  std::int64_t k;

  /// The policy table of the GPU kernels, measured on an H200 (docs/performance.md).
  ///
  /// Up to 7 neighbouring columns are one thread's. Beyond, threads lie side by side over the
  /// columns, 16 or 32 bytes of X each; rows of blocks, and long rows from 96 bytes of X on, are
  /// staged in scratch memory (where X cannot be loaded 16 bytes at a time, for some k). Where
  /// columns are apart, each is a stream of its own: several for a thread, rows side by side.
  /// Columns beyond some 512 bytes of a row (16 streams) take another sweep, for which A comes from
  /// memory again: less than the rows of X that more columns would drive out of the caches.
  [[nodiscard]] LaneChoice choose() const {
    const int asked = policy.columns_per_thread;
    if constexpr (columns == Columns::strided) {
      const std::int64_t n = sweeps(block <= 1 ? 16 : 64, 0.25);
      return {spaced_width((k + n - 1) / n), false, block > 1, n};
    } else {
      const std::int64_t n = sweeps(512 / sizeof(T), 0.5);
      const auto adjacent = [&](int width) {
        return k % width == 0 && in_registers(width) && takes_adjacent<T>(width, x);
      };
      if (asked == 0 && k <= 7 && adjacent(static_cast<int>(k)))
        return {static_cast<int>(k), true, false, 1};
      const bool long_rows = contiguous && block == 1 && mean_length() >= 24;
      const bool staged =
          block > 1 || (long_rows && k * static_cast<std::int64_t>(sizeof(T)) >= 96);
      const bool wider = block == 1 ? !contiguous || (!long_rows && k >= 6 * pair) : k <= 8;
      if ((asked == 0 ? wider : asked == wide) && adjacent(wide)) return {wide, true, false, n};
      if (asked <= pair && adjacent(pair)) return {pair, true, staged, n};
      const bool staged_apart = block > 1 || (long_rows && k >= 6 * pair && k <= 24 * pair);
      return {asked > 0 ? asked : (staged_apart || k < 24 ? 2 : 4), false, staged_apart, n};
    }
  }

  /// Launches rows, but those longer than rows.longest, as chosen.
  template <class Rows>
  void launch(const Rows& rows) const {
    const LaneChoice choice = choose();
    if (choice.adjacent) {
      if constexpr (columns == Columns::contiguous)
        with_width<1, 2, 3, 4, 5, 6, 7, std::max(7, pair), std::max(7, wide)>(
            choice.width, [&](auto width) {
              constexpr int w = decltype(width)::value;
              using Tile = AdjacentTile<V, w>;
              if constexpr (contiguous && block != 0 && w == pair)
                if (choice.staged) return launch_staged<Tile>(rows.longest, choice.sweeps);
              if constexpr (in_registers(w)) launch_rows<Tile>(rows, choice.sweeps);
            });
      return;
    }
    with_spaced_width(choice.width, [&](auto width) {
      using Tile = SpacedTile<V, columns, decltype(width)::value>;
      if constexpr (contiguous && block != 0)
        if (choice.staged) return launch_staged<Tile>(rows.longest, choice.sweeps);
      if constexpr (block <= 1) launch_rows<Tile>(rows, choice.sweeps);
    });
  }

  /// A thread for each row and lane, or where a row's entries lie side by side several: with all
  /// columns in one lane each has at least 4 entries (two threads 3; 8 blocks beyond 2 columns, 12
  /// entries beyond 4 that are apart), beyond 8 threads 16. Where every entry is a miss of its own,
  /// 2 of at least 16: more loads are on their way. Beside up to four lanes two threads share a row
  /// from 9 entries on, where columns are apart from 48 on.
  template <class Tile, class Rows>
  void launch_rows(const Rows& rows, std::int64_t sweeps) const {
    int splits = 1;
    if constexpr (contiguous) {
      splits = std::min(policy.threads_per_row, 32);
      if (splits == 0) {
        splits = 1;
        const std::int64_t lanes = (k + Tile::width - 1) / Tile::width;
        const bool streams = columns == Columns::strided && Tile::width > 4;
        int least = streams ? 12 : (block != 1 && Tile::width > 2 ? 8 : 4);
        if constexpr (block == 1 && columns != Columns::strided)
          if (matrix.scattered && mean_length() >= 16) least = 2;
        if (lanes == 1) {
          if (block == 1 && columns == Columns::contiguous && mean_length() >= 6) splits = 2;
          while (splits < 32 && mean_length() >= 2 * splits * (splits < 8 ? least : 16))
            splits *= 2;
        } else if (block == 1 && (columns == Columns::strided ? mean_length() >= 48
                                                              : lanes <= 4 && mean_length() >= 9))
          splits = 2;
        // Few rows: threads that multiprocessors would else lack, as long as each has an entry.
        constexpr std::int64_t few_threads = 1 << 16;
        const std::int64_t threads = lanes * rows.count;
        if (columns != Columns::strided)  // there it is not measured
          while (lanes * splits <= 16 && threads * splits * 2 <= few_threads &&
                 mean_length() >= 2 * splits)
            splits *= 2;
      }
    }
    launch_walk<Tile>(splits, rows, sweeps);
  }

  template <class Tile, class Parts>
  void launch_walk(int splits, const Parts& parts, std::int64_t sweeps) const {
    const LaneShape shape =
        LaneShape::of(lane_threads, has_shuffles<ExecSpace> ? splits : 1, Tile::width, k, sweeps);
    with_known_rows(lane_rows<block>(matrix), [&](const auto& rows) {
      using Rows = std::decay_t<decltype(rows)>;
      using Tuning = LaneTuning<T, Rows, Tile>;
      LaneProduct<T, Rows, typename Matrix::ordinal_type, typename Matrix::value_type, Parts, X,
                  Tile>
          product{rows,     matrix.entries, matrix.values,      parts, matrix.cols(), x,
                  epilogue, shape,          static_cast<int>(k)};
      if constexpr (Tuning::without_teams) {
        const int all = count_teams(parts.count, shape.rows, shape);
        product.teams_of_sweep = all / shape.sweeps;
        for (; product.first_team < all;
             product.first_team += std::min(all - product.first_team, teams_at_once))
          Kokkos::parallel_for(
              label, threads<Tuning::teams>(std::min(all - product.first_team, teams_at_once)),
              product);
      } else {
        Kokkos::parallel_for(
            label, teams<lane_threads, Tuning::teams>(parts.count, shape.rows, shape), product);
      }
    });
  }

  /// Measured on an H200: small teams that copy 20 KB at a time; threads share a row only where a
  /// team could not have scratch memory for all of its rows.
  template <class Tile>
  void launch_staged(std::int64_t longest, std::int64_t sweeps) const {
    using Product = StagedProduct<T, Matrix, block, X, Tile>;
    // With what a team has beyond its rows, so many teams of any capacity fit.
    constexpr double team_bytes =
        std::min(20 << 10, (scratch_of_multiprocessor / staged_teams<Tile> - (2 << 10)) * 2 / 3);
    constexpr double thread_bytes = 288;
    constexpr double block_bytes = Product::scratch_bytes(1);
    const std::int64_t count = matrix.count;
    const double row_bytes =
        block_bytes * static_cast<double>(matrix.slots) / static_cast<double>(count);
    int threads = lane_threads;
    int splits = 1;
    if (has_shuffles<ExecSpace>) {
      const double lanes =
          std::ceil(static_cast<double>(k) / static_cast<double>(Tile::width * sweeps));
      splits = std::min(policy.threads_per_row, 32);
      for (splits = std::max(splits, 1); policy.threads_per_row == 0 && splits < 32; splits *= 2)
        if (row_bytes <= thread_bytes * lanes * splits) break;
    }
    LaneShape shape = LaneShape::of(threads, splits, Tile::width, k, sweeps);
    while (threads > 64 && shape.rows > 1 && row_bytes * shape.rows > team_bytes)
      shape = LaneShape::of(threads /= 2, splits, Tile::width, k, sweeps);

    // Up to three rows for each thread, as long as there are teams for all multiprocessors: what
    // more of them would take of scratch memory the first-level cache wants for X.
    const double pass_bytes = row_bytes * shape.rows;
    const double most_passes =
        std::min(team_bytes / pass_bytes, static_cast<double>(count) / (2048.0 * shape.rows));
    const int passes = static_cast<int>(std::clamp(most_passes, 1.0, 3.0));
    // Some more, for teams whose rows are longer than the mean.
    auto capacity = static_cast<int>(std::min(1.5 * team_bytes, 1.15 * pass_bytes * passes + 256) /
                                     block_bytes);
    capacity -= capacity % 2;  // the column indices behind the blocks begin at whole 8 bytes
    Kokkos::parallel_for(
        label,
        teams<2 * lane_threads, staged_teams<Tile>>(count, shape.rows * passes, shape)
            .set_scratch_size(0, Kokkos::PerTeam(Product::scratch_bytes(capacity) + 16)),
        Product{matrix.access, matrix.entries, matrix.values, matrix.block.row_step,
                matrix.block.column_step, count, longest, matrix.rows(), matrix.cols(), x, epilogue,
                shape, static_cast<int>(k), passes, capacity});
  }

 private:
  /// Whether a thread can hold what it loads for such a tile: a row of a block takes a row of X for
  /// each column of the block.
  static constexpr bool in_registers(int width) {
    return block <= 1 || block * width * int{sizeof(T)} <= 192;
  }

  /// How often to sweep over the rows so that a sweep has about `at_once` columns, and at most
  /// `more` times as many more.
  [[nodiscard]] std::int64_t sweeps(std::int64_t at_once, double more) const {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(k) / static_cast<double>(at_once) + 1 -
                                     more));
  }

  /// Entries, or blocks, of a row; of interleaved rows nobody asks.
  [[nodiscard]] double mean_length() const {
    if constexpr (contiguous) {
      const auto rows = static_cast<double>(matrix.count);
      return rows > 0 ? static_cast<double>(matrix.slots) / rows : 0;
    }
    return 0;
  }

  /// run(Width<w>) for the columns of a thread, which are apart. A block's rows multiply the sums
  /// that a thread holds.
  template <class Run>
  static void with_spaced_width(std::int64_t wanted, const Run& run) {
    if constexpr (block > 3 || (block > 1 && columns == Columns::contiguous))
      with_width<1, 2>(wanted, run);
    else if constexpr (block > 1 || columns == Columns::contiguous)
      with_width<1, 2, 4>(wanted, run);
    else
      with_width<1, 2, 3, 4, 6, 8>(wanted, run);
  }
  /// The width that leaves the least idle, wide ones before narrow ones: a lane more costs A's
  /// loads once more.
  [[nodiscard]] int spaced_width(std::int64_t columns_of_sweep) const {
    if (policy.columns_per_thread > 0) return policy.columns_per_thread;
    int best = 1;
    double least = std::numeric_limits<double>::max();
    for (const int width : {1, 2, 3, 4, 6, 8}) {
      const auto lanes = static_cast<double>((columns_of_sweep + width - 1) / width);
      const double cost = lanes * (width + 1);
      if (cost <= least) {
        best = width;
        least = cost;
      }
    }
    return best;
  }

  /// In halves, of teams twice as large: Kokkos refuses teams of which so many do not fit, be it
  /// for their scratch memory.
  template <class Tile>
  static constexpr int staged_teams = block * Tile::width * sizeof(T) > 48 ? 2 : 4;

  /// `resident` teams of `threads` on a multiprocessor at a time: the compiler's budget of
  /// registers.
  template <int threads, int resident>
  auto teams(std::int64_t items, int items_of_team, const LaneShape& shape) const {
    using Bounds = Kokkos::LaunchBounds<threads, std::min(resident, resident_threads / threads)>;
    using Teams = Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<int>, Bounds>;
    return Teams(exec, count_teams(items, items_of_team, shape),
                 is_host<ExecSpace> ? 1 : shape.threads);
  }
  /// The same without teams that have a scratch memory, of at most teams_at_once: a RangePolicy
  /// counts threads.
  template <int resident>
  auto threads(int teams) const {
    using Bounds =
        Kokkos::LaunchBounds<lane_threads, std::min(resident, resident_threads / lane_threads)>;
    return Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>, Bounds>(exec, 0,
                                                                          teams * lane_threads);
  }
  static constexpr int teams_at_once = std::numeric_limits<int>::max() / lane_threads;
  [[nodiscard]] int count_teams(std::int64_t items, int items_of_team,
                                const LaneShape& shape) const {
    const std::int64_t count = (items + items_of_team - 1) / items_of_team * shape.sweeps;
    if (count > std::numeric_limits<int>::max())
      throw CapacityError(concat(label, ": ", count, " teams are more than one launch can have."));
    return static_cast<int>(count);
  }
};

/// Launches the product of a format on exec; no allocation, no fence.
template <int block = 1, class ExecSpace, class Matrix, class T, class V, Columns columns>
void run_lanes(const char* label, const ExecSpace& exec, const device::RowPolicy& policy,
               const Matrix& matrix, const MultiVectorSpan<V, columns>& x,
               const Epilogue<T>& epilogue, std::int64_t k) {
  if (static_cast<std::uint64_t>(matrix.rows()) > UINT32_MAX)
    throw CapacityError(concat(label, ": ", matrix.rows(),
                               " rows; lanes count them in 32 bits. Split the matrix by rows."));
  require_near_rows(label, x);
  using Ordinal = typename Matrix::ordinal_type;
  constexpr bool has_long_rows = block == 1;
  constexpr bool may_be_long = has_long_rows && !HidesLongRows<Matrix>;
  WholeRows<Ordinal, may_be_long> rows{matrix.rows(), std::numeric_limits<Ordinal>::max()};
  if constexpr (may_be_long)
    rows.longest =
        static_cast<Ordinal>(std::min<std::int64_t>(matrix.long_rows.longest, rows.longest));
  const LaneLauncher<block, ExecSpace, Matrix, T, V, columns> lanes{label, exec,     policy, matrix,
                                                                    x,     epilogue, k};
  lanes.launch(rows);
  if constexpr (has_long_rows) {
    const auto& pieces = matrix.long_rows.pieces;
    if (pieces.extent(0) == 0) return;
    int beside = 1;  // a warp on each piece, its threads over the columns first
    while (beside < 32 && beside < k) beside *= 2;
    const auto shared = shared_slots(matrix);
    const LaneLauncher<block, ExecSpace, std::remove_cvref_t<decltype(shared)>, T, V, columns>
        warps{label, exec, policy, shared, x, epilogue, k};
    warps.template launch_walk<SpacedTile<V, columns, 1>>(
        32 / beside,
        LongRowPieces<Ordinal>{pieces.data(), static_cast<std::int64_t>(pieces.extent(0))}, 1);
  }
}

}  // namespace fatvec::detail
