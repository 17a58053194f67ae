// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <fatvec/formats/detail/long_rows.hpp>
#include <fatvec/kernels/detail/epilogue.hpp>
#include <fatvec/kernels/detail/lane_tile.hpp>

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
  int threads;              ///< of a team
  int split_bits;           ///< 2^split_bits threads share the entries of a row, and add up
  int lanes;                ///< threads side by side over the columns
  int tiles;                ///< so many teams over the columns of the same rows, one after the other: A's rows come from L2
  int rows;                 ///< work-items of a team
  unsigned row_reciprocal;  ///< rank · row_reciprocal / 2^20 is the row of a rank: no division in the kernel

  [[nodiscard]] KOKKOS_FUNCTION int splits() const { return 1 << split_bits; }
  [[nodiscard]] KOKKOS_FUNCTION int row_of(int rank) const {
    return static_cast<int>((static_cast<unsigned>(rank) * row_reciprocal) >> 20);
  }
  static LaneShape of(int threads, int splits, std::int64_t columns_per_thread, std::int64_t k) {
    const std::int64_t wanted = (k + columns_per_thread - 1) / columns_per_thread;
    const std::int64_t most = threads / splits;
    const std::int64_t tiles = (wanted + most - 1) / most;
    const auto lanes = static_cast<int>((wanted + tiles - 1) / tiles);
    int split_bits = 0;
    while (2 << split_bits <= splits) ++split_bits;
    const auto per_row = static_cast<unsigned>(lanes << split_bits);
    return {threads,
            split_bits,
            lanes,
            static_cast<int>(tiles),
            threads / static_cast<int>(per_row),
            ((1U << 20) + per_row - 1) / per_row};
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
    for (int rank = team.team_rank(); rank < shape.threads; rank += team.team_size()) multiply(block, tile, rank);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void multiply(int block, int tile_index, int rank) const {
    const int within = shape.row_of(rank);
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

}  // namespace fatvec::detail
