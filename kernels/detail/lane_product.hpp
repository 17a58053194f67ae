// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/host_pass.hpp>
#include <fatvec/formats/detail/long_rows.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/kernels/detail/epilogue.hpp>
#include <fatvec/kernels/detail/lane_tile.hpp>

/// The row-parallel product as GPUs want it, for every format that can walk the slots of a row: a
/// thread holds a compile-time number of columns of a row in registers; how the threads of a team
/// share rows, entries and columns is data.
namespace fatvec::detail {

/// Whether the threads of a warp can add up among themselves, which Kokkos offers only with a mask
/// that two divisions per call find: 150 instructions where 5 do.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template <class ExecSpace>
inline constexpr bool has_shuffles = !is_cpu<ExecSpace>;
#else
template <class ExecSpace>
inline constexpr bool has_shuffles = false;
#endif

/// value + that of the thread whose rank differs in bit `offset`. Every thread of the warp must
/// call it.
template <class T>
FATVEC_FORCEINLINE_FUNCTION T plus_neighbour(const T& value, [[maybe_unused]] int offset) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_arithmetic_v<T>) {
    return value + __shfl_xor_sync(~0U, value, offset);
  } else {
    return value + T(__shfl_xor_sync(~0U, value.real(), offset),
                     __shfl_xor_sync(~0U, value.imag(), offset));
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

/// The work-items of the main launch: every row, those longer than `longest` as if they were empty
/// where any `may_be_long`.
template <class Ordinal_, bool may_be_long>
struct WholeRows {
  std::int64_t count;
  Ordinal_ longest;  ///< of 32 bits with 32-bit ordinals: all entries wait for this comparison

  template <class Ordinal, class Rows>
  KOKKOS_FUNCTION RowPart<Ordinal> part(std::int64_t item, const Rows& rows) const {
    const auto length = static_cast<Ordinal>(rows.length(item));
    return {static_cast<Ordinal>(item), 0, may_be_long && length > longest ? Ordinal{0} : length};
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

/// Threads of a team: few, so that the last teams of a launch are soon done.
inline constexpr int lane_threads = 128;

/// What a multiprocessor has, by the architecture that Kokkos was configured for. Kokkos takes the
/// teams of a LaunchBounds for a demand, and refuses a launch that cannot have them. (On AMD GPUs
/// the bound counts waves of a SIMD unit: few.)
#if defined(KOKKOS_ENABLE_HIP)
inline constexpr int resident_threads = 512;
inline constexpr int scratch_of_multiprocessor = 64 << 10;
#elif defined(KOKKOS_ARCH_TURING75)
inline constexpr int resident_threads = 1024;
inline constexpr int scratch_of_multiprocessor = 64 << 10;
#elif defined(KOKKOS_ARCH_AMPERE86) || defined(KOKKOS_ARCH_AMPERE87) || \
    defined(KOKKOS_ARCH_ADA89) || defined(KOKKOS_ARCH_BLACKWELL120)
inline constexpr int resident_threads = 1536;
inline constexpr int scratch_of_multiprocessor = 96 << 10;
#elif defined(KOKKOS_ARCH_AMPERE80) || defined(KOKKOS_ARCH_HOPPER) || \
    defined(KOKKOS_ARCH_BLACKWELL100)
inline constexpr int resident_threads = 2048;
inline constexpr int scratch_of_multiprocessor = 160 << 10;
#else
inline constexpr int resident_threads = 2048;
inline constexpr int scratch_of_multiprocessor = 64 << 10;
#endif

/// How the threads of a team lie over rows, columns and entries: rank = (row · lanes + lane) ·
/// splits() + split.
struct LaneShape {
  int threads;     ///< of a team
  int split_bits;  ///< 2^split_bits threads share the entries of a row, and add up
  int lanes;       ///< threads side by side over the columns
  int rows;        ///< work-items of a team
  int sweeps;      ///< over all rows, one after the other, each for its part of the columns
  int columns;     ///< of a sweep; the last one has those that are left
  unsigned row_reciprocal;  ///< rank · row_reciprocal / 2^20 is the row of a rank: no division in
                            ///< the kernel

  [[nodiscard]] KOKKOS_FUNCTION int splits() const { return 1 << split_bits; }
  [[nodiscard]] KOKKOS_FUNCTION int row_of(int rank) const {
    return static_cast<int>((static_cast<unsigned>(rank) * row_reciprocal) >> 20);
  }
  struct Share {
    int block;  ///< of rows
    int sweep;
  };
  template <class Member>
  [[nodiscard]] KOKKOS_FUNCTION Share share_of(const Member& team) const {
    if (sweeps == 1) return {team.league_rank(), 0};
    const int teams = team.league_size() / sweeps;
    const int sweep = team.league_rank() / teams;
    return {team.league_rank() - sweep * teams, sweep};
  }
  [[nodiscard]] KOKKOS_FUNCTION ColumnRange columns_of(int sweep, int k) const {
    const int first = sweep * columns;
    return {first, k - first < columns ? k : first + columns};
  }
  /// In at least `sweeps` sweeps: more where a team is too small for the columns of one.
  static LaneShape of(int threads, int splits, std::int64_t columns_per_thread, std::int64_t k,
                      std::int64_t sweeps) {
    const std::int64_t places = (k + columns_per_thread - 1) / columns_per_thread;
    const std::int64_t most = threads / splits;
    sweeps = std::max(sweeps, (places + most - 1) / most);
    const auto lanes = static_cast<int>((places + sweeps - 1) / sweeps);
    int split_bits = 0;
    while (2 << split_bits <= splits) ++split_bits;
    const auto per_row = static_cast<unsigned>(lanes << split_bits);
    return {threads,
            split_bits,
            lanes,
            threads / static_cast<int>(per_row),
            static_cast<int>((places + lanes - 1) / lanes),
            lanes * static_cast<int>(columns_per_thread),
            ((1U << 20) + per_row - 1) / per_row};
  }
};

/// What a thread loads before it multiplies, and the registers that this takes: latency is what a
/// row waits for, so entries are loaded several at a time, and more threads are resident where each
/// needs little. Measured on an H200 (docs/performance.md).
template <class T, class Rows, class Tile>
struct LaneTuning {
  static constexpr int bytes = Tile::width * sizeof(T);   ///< of a row of X
  static constexpr int of_slot = elements_of_slot<Rows>;  ///< rows of X for each slot
  static constexpr bool by_rows = Rows::contiguous && of_slot == 1;
  /// Neighbouring columns that cannot be loaded together, as with an odd k.
  static constexpr bool single = !Tile::adjacent && !Tile::streams && Tile::width > 1 &&
                                 bytes <= 32 && sizeof(T) <= 8;
  /// Entries, and slots, whose loads come before the first arithmetic.
  static constexpr int entries = single && by_rows ? 2
                                 : !Tile::adjacent ? (bytes <= 32 ? 4 : 2)
                                 : bytes <= 8      ? 4
                                 : bytes <= 24     ? (Rows::contiguous ? 2 : 4)
                                 : bytes <= 56     ? 2
                                                   : 1;
  static constexpr int group = of_slot == 0 ? 1 : (entries + of_slot - 1) / of_slot;
  static constexpr int loaded = group * (of_slot == 0 ? 1 : of_slot) * bytes;
  /// Teams of lane_threads threads on a multiprocessor at a time: the compiler's budget of
  /// registers. Told nothing, it saves them and loads one by one.
  static constexpr int teams = single && by_rows                               ? 10
                               : single && bytes <= 16                         ? 12
                               : !Tile::adjacent                               ? (bytes <= 32   ? 8
                                                                                  : bytes <= 48 ? 6
                                                                                                : 4)
                               : bytes <= 8 && of_slot == 1                    ? (by_rows ? 8 : 12)
                               : bytes <= 16 && by_rows && sizeof(T) <= 8      ? 16
                               : bytes <= 16 && of_slot == 1 && sizeof(T) <= 8 ? 12
                               : loaded <= 64 || (bytes <= 24 && of_slot == 1) ? 10
                               : loaded <= 128                                 ? 8
                               : loaded <= 160                                 ? 6
                                                                               : 4;
  /// Whether a RangePolicy launches it: a TeamPolicy has scratch memory, which the first-level
  /// cache then lacks, and spares registers. A whole sector of X a thread gains nothing by it.
  static constexpr bool without_teams =
      !Rows::contiguous && !Tile::streams && bytes > 16 && (single || bytes != 32);
};

template <class T, class Rows, class Ordinal, class Value, class Parts, class X, class Tile>
struct LaneProduct {
  static constexpr int width = Tile::width;
  static constexpr int group = LaneTuning<T, Rows, Tile>::group;
  static constexpr int of_slot = elements_of_slot<Rows>;

  Rows rows;
  const Ordinal* entries;
  const Value* values;
  Parts parts;
  Ordinal x_rows;
  X x;
  Epilogue<T> epilogue;
  LaneShape shape;
  int k;

  int teams_of_sweep = 0;  ///< of a RangePolicy, the threads of whose teams are neighbours
  int first_team = 0;

  KOKKOS_FUNCTION void operator()(int thread) const {
    const int team = first_team + static_cast<int>(static_cast<unsigned>(thread) / lane_threads);
    const int sweep = shape.sweeps == 1 ? 0 : team / teams_of_sweep;
    multiply(team - sweep * teams_of_sweep, sweep,
             static_cast<int>(static_cast<unsigned>(thread) % lane_threads));
  }
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto [block, sweep] = shape.share_of(team);
    if constexpr (is_cpu<typename Member::execution_space>) {
      for (int rank = team.team_rank(); rank < shape.threads; rank += team.team_size())
        multiply(block, sweep, rank);
    } else {
      multiply(block, sweep, team.team_rank());  // a loop would cost registers
    }
  }

 private:
  FATVEC_FORCEINLINE_FUNCTION void multiply(int block, int sweep, int rank) const {
    const int within = shape.row_of(rank);
    const int place = rank - within * (shape.lanes << (Rows::contiguous ? shape.split_bits : 0));
    const int splits = Rows::contiguous
                           ? shape.splits()
                           : 1;  // of interleaved rows one thread each: constant addresses
    const int split = place & (splits - 1);
    const int lane = Rows::contiguous ? place >> shape.split_bits : place;
    const std::int64_t item = static_cast<std::int64_t>(block) * shape.rows + within;
    const Tile tile(x, shape.columns_of(sweep, k), lane, shape.lanes);
    const bool busy = within < shape.rows && item < parts.count && !tile.idle();
    RowPart<Ordinal> part{};
    if (busy) part = parts.template part<Ordinal>(item, rows);

    T sums[width] = {};
    with_walk(rows, part.row, [&](auto slot) {
      const Value* const elements = elements_of(part.row);
      slot.advance(part.first + split);
      Ordinal left = part.last - part.first - split;
      // Whole groups as long as all that share the row have one: a warp would else do a whole one
      // and a partial one.
      const int whole = group > 1 ? group * splits - split : 1;
      for (; left >= whole; left -= group * splits, slot.advance(group * splits))
        add_group<false>(slot, elements, splits, left, tile, sums);
      if (group > 1 && left > 0) add_group<true>(slot, elements, splits, left, tile, sums);
    });

    for (int offset = splits / 2; offset > 0; offset /= 2)  // idle threads, too
      unroll<width>([&](int w) { sums[w] = plus_neighbour(sums[w], offset); });
    if (busy && split == 0) Parts::store(tile, epilogue, rows.row(part.row), sums);
  }

  /// The values, or in a matrix of blocks those of a row within its block.
  [[nodiscard]] FATVEC_FORCEINLINE_FUNCTION const Value* elements_of(
      [[maybe_unused]] std::int64_t row) const {
    if constexpr (of_slot == 1)
      return values;
    else
      return values + rows.within(row);
  }

  /// sums += `group` slots from `slot` on, `step` apart, times X; a partial group has only those
  /// among the `left` ones.
  template <bool partial, class Walk>
  FATVEC_FORCEINLINE_FUNCTION void add_group(const Walk& slot, const Value* elements, int step,
                                             Ordinal left, const Tile& tile,
                                             T (&sums)[width]) const {
    if constexpr (of_slot == 0) {
      add_block(slot[0], elements, tile, sums);
    } else {
      Ordinal column[group] = {};
      Value value[group][of_slot] = {};
      T loaded[group][of_slot][width] = {};
      const auto inside = [&](int u) { return !partial || u * step < left; };
      unroll<group>([&](int u) {
        if (!inside(u)) return;
        const std::int64_t at = slot[u * step];
        column[u] = entries[at];
        unroll<of_slot>(
            [&](int c) { value[u][c] = elements[at * (of_slot * of_slot) + c * element_step()]; });
      });
      unroll<group>([&](int u) {
        if (!inside(u)) return;
        const Ordinal first = column[u] * of_slot;
        unroll<of_slot>([&](int c) {
          if (of_slot == 1 || c < x_rows - first)
            tile.load(first + c, loaded[u][c]);  // behind the last column there is no X
        });
      });
      unroll<group>([&](int u) {
        unroll<of_slot>([&](int c) {
          unroll<width>([&](int w) { sums[w] += value[u][c] * loaded[u][c][w]; });
        });
      });
    }
  }

  /// The same for one block of a size that the compiler does not know.
  FATVEC_FORCEINLINE_FUNCTION void add_block(std::int64_t at, const Value* elements,
                                             const Tile& tile, T (&sums)[width]) const {
    const int size = rows.size();
    const Value* const of_block = elements + at * size * size;
    const Ordinal first = entries[at] * size;
    for (int c = 0; c < size && c < x_rows - first; ++c) {
      T loaded[width];
      tile.load(first + c, loaded);
      const Value value = of_block[c * element_step()];
      unroll<width>([&](int w) { sums[w] += value * loaded[w]; });
    }
  }

  [[nodiscard]] FATVEC_FORCEINLINE_FUNCTION int element_step() const {
    if constexpr (of_slot == 1)
      return 0;
    else
      return rows.block.column_step;
  }
};

}  // namespace fatvec::detail
