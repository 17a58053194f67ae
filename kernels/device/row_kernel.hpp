// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/long_rows.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/kernels/device/column_tile.hpp>
#include <fatvec/kernels/device/thread_mapping.hpp>
#include <fatvec/kernels/device/tuning.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/warp.hpp>

/// The row-parallel product as GPUs want it, for every format that can walk the slots of a row: a
/// thread holds a compile-time number of columns of a row in registers; how the threads of a team
/// share rows, entries and columns is data.
namespace fatvec::detail {

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
    if constexpr (is_host<typename Member::execution_space>) {
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
