// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <fatvec/formats/detail/long_rows.hpp>
#include <fatvec/kernels/detail/epilogue.hpp>
#include <fatvec/kernels/detail/lane_tile.hpp>
#include <fatvec/kernels/detail/row_policy.hpp>

/// The row-parallel product as GPUs want it, for every format that can walk the slots of a row: a thread holds a
/// compile-time number of columns of a row in registers; how the threads of a team share rows, entries and columns is data.
namespace fatvec::detail {

/// Whether the threads of a warp can add up among themselves, which Kokkos offers only with a mask that two divisions per call
/// find: 150 instructions where 5 do.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template <class ExecSpace>
inline constexpr bool has_shuffles = !is_cpu<ExecSpace>;
#else
template <class ExecSpace>
inline constexpr bool has_shuffles = false;
#endif

/// value + that of the thread whose rank differs in bit `offset`. Every thread of the warp must call it.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T plus_neighbour(const T& value, [[maybe_unused]] int offset) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_arithmetic_v<T>) {
    return value + __shfl_xor_sync(~0U, value, offset);
  } else {
    return value + T(__shfl_xor_sync(~0U, value.real(), offset), __shfl_xor_sync(~0U, value.imag(), offset));
  }
#elif defined(__HIP_DEVICE_COMPILE__)
  if constexpr (std::is_arithmetic_v<T>) {
    return value + __shfl_xor(value, offset);
  } else {
    return value + T(__shfl_xor(value.real(), offset), __shfl_xor(value.imag(), offset));
  }
#else
  return value;
#endif
}

/// The work-items of the main launch: every row, those longer than `longest` as if they were empty.
struct WholeRows {
  std::int64_t count;
  std::int64_t longest;

  template <class Ordinal, class Rows>
  KOKKOS_FUNCTION RowPart<Ordinal> part(std::int64_t item, const Rows& rows) const {
    const std::int64_t length = rows.length(item);
    return {static_cast<Ordinal>(item), 0, length > longest ? Ordinal{0} : static_cast<Ordinal>(length)};
  }
  template <class Tile, class T>
  KOKKOS_FUNCTION static void store(const Tile& tile, const Epilogue<T>& epilogue, std::int64_t row,
                                    const T (&sum)[Tile::width]) {
    tile.store(epilogue, row, sum);
  }
};

/// The work-items of the second launch: the pieces of the long rows, which meet in Y.
template <class Ordinal_>
struct LongRowPieces {
  const RowPart<Ordinal_>* pieces;
  std::int64_t count;

  template <class Ordinal, class Rows>
  KOKKOS_FUNCTION RowPart<Ordinal> part(std::int64_t item, const Rows&) const {
    return pieces[item];
  }
  template <class Tile, class T>
  KOKKOS_FUNCTION static void store(const Tile& tile, const Epilogue<T>& epilogue, std::int64_t row,
                                    const T (&sum)[Tile::width]) {
    tile.add(epilogue, row, sum);
  }
};

/// How the threads of a team lie over rows, columns and entries: rank = (row · lanes + lane) · splits() + split.
struct LaneShape {
  int split_bits;           ///< 2^split_bits threads share the entries of a row, and add up
  int lanes;                ///< threads side by side over the columns
  int tiles;                ///< so many teams over the columns of the same rows, one after the other: A's rows come from L2
  int rows;                 ///< work-items of a team
  unsigned row_reciprocal;  ///< rank · row_reciprocal / 2^16 is the row of a rank: no division in the kernel

  static constexpr int threads = 256;
  [[nodiscard]] KOKKOS_FUNCTION int splits() const { return 1 << split_bits; }
  static LaneShape of(int splits, std::int64_t columns_per_thread, std::int64_t k) {
    const std::int64_t wanted = (k + columns_per_thread - 1) / columns_per_thread;
    const std::int64_t most = threads / splits;
    const std::int64_t tiles = (wanted + most - 1) / most;
    const auto lanes = static_cast<int>((wanted + tiles - 1) / tiles);
    int split_bits = 0;
    while (2 << split_bits <= splits) ++split_bits;
    const int per_row = lanes << split_bits;
    return {split_bits, lanes, static_cast<int>(tiles), threads / per_row, (1U << 16) / static_cast<unsigned>(per_row) + 1};
  }
};

template <class T, class Matrix, class Parts, class X, class Tile>
struct LaneProduct {
  using Ordinal = typename Matrix::ordinal_type;
  using Value = typename Matrix::value_type;
  static constexpr int width = Tile::width;
  /// Entries whose loads come before the first arithmetic: latency is what a row waits for.
  static constexpr int group = width * sizeof(T) > 32 ? 2 : 4;

  typename Matrix::Rows rows;
  const Ordinal* entries;
  const Value* values;
  Parts parts;
  X x;
  Epilogue<T> epilogue;
  LaneShape shape;
  int k;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const int block = shape.tiles == 1 ? team.league_rank() : team.league_rank() / shape.tiles;
    const int tile = team.league_rank() - block * shape.tiles;
    for (int rank = team.team_rank(); rank < LaneShape::threads; rank += team.team_size()) multiply(block, tile, rank);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void multiply(int block, int tile_index, int rank) const {
    const int within = static_cast<int>((static_cast<unsigned>(rank) * shape.row_reciprocal) >> 16);
    const int place = rank - within * (shape.lanes << shape.split_bits);
    const int splits = shape.splits();
    const int split = place & (splits - 1);
    const int lane = place >> shape.split_bits;
    const std::int64_t item = static_cast<std::int64_t>(block) * shape.rows + within;
    const Tile tile(x, tile_index * shape.lanes + lane, shape.tiles * shape.lanes, k);
    const bool busy = within < shape.rows && item < parts.count && !tile.idle();
    RowPart<Ordinal> part{};
    if (busy) part = parts.template part<Ordinal>(item, rows);

    T sums[width] = {};
    auto slot = rows.walk(part.row);
    slot.advance(part.first + split);
    Ordinal left = part.last - part.first - split;
    for (; left > (group - 1) * splits; left -= group * splits, slot.advance(group * splits))
      add_group<false>(slot, splits, left, tile, sums);
    if (left > 0) add_group<true>(slot, splits, left, tile, sums);

    for (int offset = splits / 2; offset > 0; offset /= 2)  // idle threads, too
      unroll<width>([&](int w) { sums[w] = plus_neighbour(sums[w], offset); });
    if (busy && split == 0) Parts::store(tile, epilogue, rows.row(part.row), sums);
  }

  /// sums += `group` entries from slot on, `step` apart, times X; a partial group has only those among the `left` ones.
  template <bool partial, class Walk>
  KOKKOS_FORCEINLINE_FUNCTION void add_group(const Walk& slot, int step, Ordinal left, const Tile& tile,
                                             T (&sums)[width]) const {
    Ordinal column[group] = {};
    Value value[group] = {};
    T loaded[group][width] = {};
    const auto inside = [&](int u) { return !partial || u * step < left; };
    unroll<group>([&](int u) {
      if (!inside(u)) return;
      const std::int64_t at = slot[u * step];
      column[u] = entries[at];
      value[u] = values[at];
    });
    unroll<group>([&](int u) {
      if (inside(u)) tile.load(column[u], loaded[u]);
    });
    unroll<group>([&](int u) { unroll<width>([&](int w) { sums[w] += value[u] * loaded[u][w]; }); });
  }
};

/// Threads per row such that each has about `entries` of a mean row, at most `most`.
inline int splits_of(std::int64_t nnz, std::int64_t rows, int entries, int most) {
  int splits = 1;
  while (2 * splits <= most && rows * entries * splits < nnz) splits *= 2;
  return splits;
}

/// One matrix, X and epilogue, ready to be multiplied by lanes in any shape and tile.
template <class ExecSpace, class Matrix, class T, class V, Columns columns>
struct LaneLauncher {
  using X = MultiVectorSpan<V, columns>;
  const char* label;
  const ExecSpace& exec;
  const Matrix& matrix;
  const X& x;
  const Epilogue<T>& epilogue;
  std::int64_t k;

  template <class Tile, class Parts>
  void launch(int splits, const Parts& parts) const {
    // The teams per multiprocessor are the compiler's budget of registers: told nothing, it saves them and loads one by one.
    constexpr int teams_resident = Tile::width * sizeof(T) > 32 ? 2 : 4;
    using Teams =
        Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<int>, Kokkos::LaunchBounds<LaneShape::threads, teams_resident>>;
    const LaneShape shape = LaneShape::of(has_shuffles<ExecSpace> ? splits : 1, Tile::width, k);
    const std::int64_t teams = (parts.count + shape.rows - 1) / shape.rows * shape.tiles;
    if (teams > std::numeric_limits<int>::max())
      throw CapacityError(concat(label, ": ", teams, " teams are more than one launch can have."));
    Kokkos::parallel_for(
        label, Teams(exec, static_cast<int>(teams), is_cpu<ExecSpace> ? 1 : LaneShape::threads),
        LaneProduct<T, Matrix, Parts, X, Tile>{matrix.row_access(), matrix.entries.data(), matrix.values.data(), parts, x,
                                               epilogue, shape, static_cast<int>(k)});
  }
};

/// Launches the product of a format on exec; no allocation, no fence.
///
/// Up to 6 neighbouring columns are one thread's, and long rows are shared among threads where the format puts a row's entries
/// side by side. Beyond, threads lie side by side over the columns, 16 bytes of X each. Where columns are apart, each is a
/// stream of its own: up to 8 for a thread, rows side by side.
template <class ExecSpace, class Matrix, class T, class V, Columns columns>
void run_lane_product(const char* label, const ExecSpace& exec, const RowPolicy& policy, const Matrix& matrix,
                      const MultiVectorSpan<V, columns>& x, const Epilogue<T>& epilogue, std::int64_t k) {
  if (x.row_stride * static_cast<std::int64_t>(sizeof(T)) > UINT32_MAX)
    throw CapacityError(concat(label, ": the rows of X are ", x.row_stride, " elements apart, which is 4 GB or more."));
  const LaneLauncher<ExecSpace, Matrix, T, V, columns> lanes{label, exec, matrix, x, epilogue, k};
  const auto splits = [&](int entries, int most) {
    if (policy.threads_per_row > 0) return std::min(policy.threads_per_row, 32);  // within a warp
    return Matrix::Rows::contiguous ? splits_of(matrix.nnz(), matrix.rows(), entries, most) : 1;
  };
  WholeRows rows{matrix.rows(), std::numeric_limits<std::int64_t>::max()};
  if constexpr (requires { matrix.long_rows; }) rows.longest = matrix.long_rows.longest;

  if constexpr (columns == Columns::strided) {
    const std::int64_t most = policy.columns_per_thread > 0 ? policy.columns_per_thread : 8;
    const std::int64_t tiles = (k + most - 1) / most;
    with_width<1, 2, 3, 4, 6, 8>((k + tiles - 1) / tiles, [&](auto width) {
      lanes.template launch<SpacedTile<V, columns, decltype(width)::value>>(splits(8, 32), rows);
    });
  } else {
    constexpr int wide = std::max<int>(2, 16 / sizeof(T));
    const auto fits = [&](auto width) {
      using Tile = AdjacentTile<V, decltype(width)::value>;
      return k % Tile::width == 0 && Tile::aligned(x, epilogue.y);
    };
    bool launched = false;
    if (k <= 6 && policy.columns_per_thread == 0) {
      with_width<1, 2, 3, 4, 5, 6>(k, [&](auto width) {
        if (!fits(width)) return;
        lanes.template launch<AdjacentTile<V, decltype(width)::value>>(splits(8, 32), rows);
        launched = true;
      });
    }
    const int threads_per_row = static_cast<int>(std::min<std::int64_t>((k + wide - 1) / wide, 16));
    if (!launched && policy.columns_per_thread <= wide && fits(Width<wide>{})) {
      lanes.template launch<AdjacentTile<V, wide>>(splits(64, 16 / threads_per_row), rows);
    } else if (!launched) {
      with_width<1, 2, 4>(policy.columns_per_thread > 0 ? policy.columns_per_thread : 2, [&](auto width) {
        lanes.template launch<SpacedTile<V, columns, decltype(width)::value>>(splits(64, 16 / threads_per_row), rows);
      });
    }
  }
  if constexpr (requires { matrix.long_rows; }) {
    const auto& pieces = matrix.long_rows.pieces;
    if (pieces.extent(0) == 0) return;
    int beside = 1;  // a warp on each piece, its threads over the columns first
    while (beside < 32 && beside < k) beside *= 2;
    lanes.template launch<SpacedTile<V, columns, 1>>(
        32 / beside, LongRowPieces<typename Matrix::ordinal_type>{pieces.data(), static_cast<std::int64_t>(pieces.extent(0))});
  }
}

}  // namespace fatvec::detail
