// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/kernels/detail/lane_product.hpp>
#include <fatvec/kernels/detail/row_policy.hpp>
#include <fatvec/kernels/detail/staged_product.hpp>

/// Which lanes a product is given to, for which k and layout of X: the policy of the GPU kernels.
namespace fatvec::detail {

/// How a format's blocks lie in memory; the entries of CSR are blocks of 1.
inline BlockAccess block_access_of(const auto& matrix) {
  if constexpr (requires { matrix.block_access(); })
    return matrix.block_access();
  else
    return {1, 1, 1};
}

/// One matrix, X and epilogue, ready to be multiplied by lanes in any shape and tile. `block` is the size of A's blocks.
template <int block, class ExecSpace, class Matrix, class T, class V, Columns columns>
struct LaneLauncher {
  using X = MultiVectorSpan<V, columns>;
  const char* label;
  const ExecSpace& exec;
  const RowPolicy& policy;
  const Matrix& matrix;
  const X& x;
  const Epilogue<T>& epilogue;
  std::int64_t k;

  /// A row for each group of threads: where a row's entries lie side by side as many as have some 8 of the mean row each.
  template <class Tile>
  void launch_rows(const WholeRows& rows) const {
    int splits = std::min(policy.threads_per_row, 32);
    if (splits == 0) {
      splits = 1;
      while (Matrix::Rows::contiguous && splits < 32 && rows.count * 8 * splits < matrix.nnz()) splits *= 2;
    }
    launch_walk<Tile>(splits, rows);
  }

  template <class Tile, class Parts>
  void launch_walk(int splits, const Parts& parts) const {
    const LaneShape shape = LaneShape::of(most_threads, has_shuffles<ExecSpace> ? splits : 1, Tile::width, k);
    Kokkos::parallel_for(
        label, teams<Tile>(parts.count, shape.rows, shape),
        LaneProduct<T, Matrix, Parts, X, Tile>{matrix.row_access(), matrix.entries.data(), matrix.values.data(), parts, x,
                                               epilogue, shape, static_cast<int>(k)});
  }

  /// Measured on an H200: small teams that copy 20 KB at a time; threads share a row only where a team could not have
  /// scratch memory for all of its rows.
  template <class Tile>
  void launch_staged(std::int64_t longest) const {
    using Product = StagedProduct<T, Matrix, block, X, Tile>;
    constexpr double team_bytes = 20 << 10;
    constexpr double thread_bytes = 288;
    constexpr double block_bytes = Product::scratch_bytes(1);
    const auto count = static_cast<std::int64_t>(matrix.row_map.extent(0)) - 1;
    const double row_bytes = block_bytes * static_cast<double>(matrix.entries.extent(0)) / static_cast<double>(count);
    int threads = most_threads / 2;
    int splits = 1;
    if (has_shuffles<ExecSpace>) {
      const double lanes = static_cast<double>((k + Tile::width - 1) / Tile::width);
      splits = std::min(policy.threads_per_row, 32);
      for (splits = std::max(splits, 1); policy.threads_per_row == 0 && splits < 32; splits *= 2)
        if (row_bytes <= thread_bytes * lanes * splits) break;
    }
    LaneShape shape = LaneShape::of(threads, splits, Tile::width, k);
    while (threads > 64 && shape.rows > 1 && row_bytes * shape.rows > team_bytes)
      shape = LaneShape::of(threads /= 2, splits, Tile::width, k);

    // Several rows for each thread, as long as there are teams for all multiprocessors.
    const double pass_bytes = row_bytes * shape.rows;
    const double most_passes = std::min(team_bytes / pass_bytes, static_cast<double>(count) / (2048.0 * shape.rows));
    const int passes = static_cast<int>(std::clamp(most_passes, 1.0, 8.0));
    // A quarter more, for teams whose rows are longer than the mean.
    const auto capacity = static_cast<int>(std::min(1.5 * team_bytes, 1.25 * pass_bytes * passes + 256) / block_bytes);
    const BlockAccess access = block_access_of(matrix);
    Kokkos::parallel_for(
        label,
        teams<Tile>(count, shape.rows * passes, shape)
            .set_scratch_size(0, Kokkos::PerTeam(Product::scratch_bytes(capacity) + 16)),
        Product{matrix.row_access(), matrix.entries.data(), matrix.values.data(), access.row_step, access.column_step, count,
                longest, matrix.rows(), matrix.cols(), x, epilogue, shape, static_cast<int>(k), passes, capacity});
  }

 private:
  static constexpr int most_threads = 256;  ///< of a team
  /// Teams of so many threads on a multiprocessor at a time: the compiler's budget of registers. Told nothing, it saves them
  /// and loads one by one.
  template <class Tile>
  static constexpr int teams_resident = block* Tile::width * sizeof(T) > 48   ? 2
                                        : block* Tile::width * sizeof(T) > 32 ? 3
                                                                              : 4;

  template <class Tile>
  auto teams(std::int64_t items, int items_of_team, const LaneShape& shape) const {
    using Teams =
        Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<int>, Kokkos::LaunchBounds<most_threads, teams_resident<Tile>>>;
    const std::int64_t count = (items + items_of_team - 1) / items_of_team * shape.tiles;
    if (count > std::numeric_limits<int>::max())
      throw CapacityError(concat(label, ": ", count, " teams are more than one launch can have."));
    return Teams(exec, static_cast<int>(count), is_cpu<ExecSpace> ? 1 : shape.threads);
  }
};

/// Launches the product of a format on exec; no allocation, no fence.
///
/// Few neighbouring columns are one thread's, and long rows are shared among threads where the format puts a row's entries
/// side by side. Beyond, threads lie side by side over the columns, 16 bytes of X each. Where columns are apart, each is a
/// stream of its own: several for a thread, rows side by side.
template <int block = 1, class ExecSpace, class Matrix, class T, class V, Columns columns>
void run_lanes(const char* label, const ExecSpace& exec, const RowPolicy& policy, const Matrix& matrix,
               const MultiVectorSpan<V, columns>& x, const Epilogue<T>& epilogue, std::int64_t k) {
  if (x.row_stride * static_cast<std::int64_t>(sizeof(T)) > UINT32_MAX)
    throw CapacityError(concat(label, ": the rows of X are ", x.row_stride, " elements apart, which is 4 GB or more."));
  const LaneLauncher<block, ExecSpace, Matrix, T, V, columns> lanes{label, exec, policy, matrix, x, epilogue, k};
  WholeRows rows{matrix.rows(), std::numeric_limits<std::int64_t>::max()};
  if constexpr (requires { matrix.long_rows; }) rows.longest = matrix.long_rows.longest;
  const std::int64_t asked = policy.columns_per_thread;
  const auto launch_rows = [&]<class Tile>(std::type_identity<Tile>) {
    if constexpr (block == 1)
      lanes.template launch_rows<Tile>(rows);
    else
      lanes.template launch_staged<Tile>(rows.longest);
  };
  const auto launch_lanes = [&]<class Tile>(std::type_identity<Tile>) {
    if constexpr (Matrix::Rows::contiguous)
      lanes.template launch_staged<Tile>(rows.longest);
    else
      lanes.template launch_rows<Tile>(rows);
  };

  if constexpr (columns == Columns::strided) {
    const std::int64_t most = asked > 0 ? asked : 8;
    const std::int64_t tiles = (k + most - 1) / most;
    const auto launch = [&](auto width) { launch_rows(std::type_identity<SpacedTile<V, columns, decltype(width)::value>>{}); };
    // A block's rows multiply the sums that a thread holds.
    if constexpr (block == 1)
      with_width<1, 2, 3, 4, 6, 8>((k + tiles - 1) / tiles, launch);
    else if constexpr (block <= 3)
      with_width<1, 2, 4>((k + tiles - 1) / tiles, launch);
    else
      with_width<1, 2>((k + tiles - 1) / tiles, launch);
  } else {
    constexpr int wide = std::max<int>(2, 16 / sizeof(T));
    const auto fits = [&](auto width) {
      using Tile = AdjacentTile<V, decltype(width)::value>;
      return k % Tile::width == 0 && Tile::aligned(x, epilogue.y);
    };
    bool launched = false;
    const auto launch_few = [&](auto width) {
      if (!fits(width)) return;
      launch_rows(std::type_identity<AdjacentTile<V, decltype(width)::value>>{});
      launched = true;
    };
    if (asked == 0) {
      if constexpr (block == 1) {
        if (k <= 6) with_width<1, 2, 3, 4, 5, 6>(k, launch_few);
      } else {
        if (k <= 3) with_width<1, 2, 3>(k, launch_few);
      }
    }
    if (!launched && asked <= wide && fits(Width<wide>{})) {
      launch_lanes(std::type_identity<AdjacentTile<V, wide>>{});
    } else if (!launched) {
      const auto launch = [&](auto width) {
        launch_lanes(std::type_identity<SpacedTile<V, columns, decltype(width)::value>>{});
      };
      if constexpr (block == 1)
        with_width<1, 2, 4>(asked > 0 ? asked : 2, launch);
      else
        with_width<1, 2>(asked > 0 ? asked : 2, launch);
    }
  }
  if constexpr (requires { matrix.long_rows; }) {
    const auto& pieces = matrix.long_rows.pieces;
    if (pieces.extent(0) == 0) return;
    int beside = 1;  // a warp on each piece, its threads over the columns first
    while (beside < 32 && beside < k) beside *= 2;
    lanes.template launch_walk<SpacedTile<V, columns, 1>>(
        32 / beside, LongRowPieces<typename Matrix::ordinal_type>{pieces.data(), static_cast<std::int64_t>(pieces.extent(0))});
  }
}

}  // namespace fatvec::detail
