// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/kernels/device/column_tile.hpp>
#include <fatvec/kernels/device/thread_mapping.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/static_for.hpp>
#include <fatvec/kernels/shared/warp.hpp>

/// The product of rows of blocks (BSR). A team first copies its rows' part of A into scratch
/// memory, in whole lines. What threads side by side over the columns then read of A are broadcasts
/// of one wavefront each; from memory every row would be one, and on a GPU that pipe is what a
/// product with 8 to 64 columns waits for.
namespace fatvec::detail {

/// A block in scratch memory: column after column, in whole 16 bytes.
template <class Value, int block>
struct alignas(16) StagedBlock {
  Value element[block * block];
};

template <class Ordinal, class Value, int block>
struct StagedRow {
  const Ordinal* columns;
  const StagedBlock<Value, block>* blocks;

  FATVEC_FORCEINLINE_FUNCTION const Value& at(Ordinal n, int r, int c) const {
    return blocks[n].element[c * block + r];
  }
};

/// A row where the format has it, for teams whose rows do not fit into their scratch memory.
template <class Ordinal, class Value, int block>
struct StoredRow {
  const Ordinal* columns;
  const Value* values;
  int row_step;
  int column_step;

  FATVEC_FORCEINLINE_FUNCTION const Value& at(Ordinal n, int r, int c) const {
    return values[static_cast<std::int64_t>(n) * (block * block) + r * row_step + c * column_step];
  }
};

template <class T, class Matrix, int block, class X, class Tile, class Output>
struct StagedKernel {
  using Ordinal = typename Matrix::ordinal_type;
  using Value = typename Matrix::value_type;
  using Block = StagedBlock<Value, block>;
  static constexpr int width = Tile::width;
  /// Blocks whose loads come before the first arithmetic.
  static constexpr int group = block > 2 ? 1 : (width * sizeof(T) > 32 ? 2 : 4) / block;

  typename Matrix::Rows rows;  ///< of blocks
  const Ordinal* entries;
  const Value* values;
  int row_step;  ///< within a block in memory
  int column_step;
  std::int64_t count;  ///< rows of blocks
  Ordinal y_rows;
  Ordinal x_rows;
  X x;
  Output output;
  ThreadMapping mapping;
  int k;
  int passes;    ///< rows that each thread takes, one after the other: what a team copies at a time
                 ///< is worth the wait
  int capacity;  ///< blocks that fit into a team's scratch memory

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const ThreadMapping::Share share = mapping.share_of(team);
    const int rows_of_team = mapping.rows * passes;
    const std::int64_t first = static_cast<std::int64_t>(share.team) * rows_of_team;
    const std::int64_t last = first + rows_of_team < count ? first + rows_of_team : count;
    const std::int64_t begin = rows.begin(first);
    const std::int64_t blocks = rows.begin(last) - begin;
    const auto multiply_all = [&](const auto& row_at) {
      for (int rank = team.team_rank(); rank < mapping.threads; rank += team.team_size())
        multiply(first, last, share.sweep, rank, row_at);
    };
    if (blocks <= capacity) {
      auto* const staged =
          static_cast<Block*>(team.team_scratch(0).get_shmem_aligned(scratch_bytes(capacity), 16));
      auto* const columns = reinterpret_cast<Ordinal*>(staged + capacity);
      copy(team, begin, static_cast<int>(blocks), staged, columns);
      team.team_barrier();
      multiply_all([=](std::int64_t at) {
        return StagedRow<Ordinal, Value, block>{columns + (at - begin), staged + (at - begin)};
      });
    } else {
      multiply_all([&](std::int64_t at) {
        return StoredRow<Ordinal, Value, block>{entries + at, values + at * (block * block),
                                                row_step, column_step};
      });
    }
  }

  KOKKOS_FUNCTION static constexpr int scratch_bytes(int capacity) {
    return capacity * static_cast<int>(sizeof(Block) + sizeof(Ordinal));
  }

 private:
  /// `blocks` blocks from `begin` on. Several loads of a thread are under way at a time.
  template <class Member>
  FATVEC_FORCEINLINE_FUNCTION void copy(const Member& team, std::int64_t begin, int blocks,
                                        Block* staged, Ordinal* columns) const {
    constexpr int size = block * block;
    constexpr int at_once = 4;
    const Value* const from = values + begin * size;
    const int step = team.team_size();
    for (int e = team.team_rank(); e < blocks * size; e += at_once * step) {
      Value loaded[at_once] = {};
      unroll<at_once>([&](int u) {
        if (e + u * step < blocks * size) loaded[u] = from[e + u * step];
      });
      unroll<at_once>([&](int u) {
        if (e + u * step >= blocks * size) return;
        const int n = (e + u * step) / size;
        const int within = (e + u * step) - n * size;
        const int a = within / block;
        const int b = within - a * block;
        staged[n].element[row_step == 1 ? within : b * block + a] = loaded[u];
      });
    }
    for (int n = team.team_rank(); n < blocks; n += at_once * step) {
      Ordinal loaded[at_once] = {};
      unroll<at_once>([&](int u) {
        if (n + u * step < blocks) loaded[u] = entries[begin + n + u * step];
      });
      unroll<at_once>([&](int u) {
        if (n + u * step < blocks) columns[n + u * step] = loaded[u];
      });
    }
  }

  template <class RowAt>
  FATVEC_FORCEINLINE_FUNCTION void multiply(std::int64_t first, std::int64_t last, int sweep,
                                            int rank, const RowAt& row_at) const {
    const int within = mapping.row_of(rank);
    const int place = rank - within * (mapping.column_threads << mapping.thread_bits);
    const int threads = mapping.threads_per_row();
    const int thread = place & (threads - 1);
    const Tile tile(x, mapping.columns_of(sweep, k), place >> mapping.thread_bits,
                    mapping.column_threads);
    std::int64_t item = first + within;
    for (int pass = 0; pass < passes; ++pass, item += mapping.rows) {
      const bool busy = within < mapping.rows && item < last && !tile.idle();
      const std::int64_t begin = busy ? rows.begin(item) : 0;
      const auto length = static_cast<Ordinal>(busy ? rows.begin(item + 1) - begin : 0);

      T sums[block][width] = {};
      const auto row = row_at(begin);
      Ordinal n = thread;
      for (; n < length - (group - 1) * threads; n += group * threads)
        add_group<false>(row, n, threads, length, tile, sums);
      if (n < length) add_group<true>(row, n, threads, length, tile, sums);

      for (int offset = threads / 2; offset > 0; offset /= 2) {  // idle threads, too
        unroll<block>([&](int r) {
          unroll<width>([&](int w) { sums[r][w] = warp_add_xor(sums[r][w], offset); });
        });
      }
      if (!busy || thread != 0) continue;
      unroll<block>([&](int r) {
        if (item * block + r < y_rows) tile.store(output, item * block + r, sums[r]);
      });
    }
  }

  /// sums += `group` blocks of the row from n on, `step` apart, times X; a partial group has only
  /// those before `length`.
  template <bool partial, class Row>
  FATVEC_FORCEINLINE_FUNCTION void add_group(const Row& row, Ordinal n, int step, Ordinal length,
                                             const Tile& tile, T (&sums)[block][width]) const {
    const auto inside = [&](int u) { return !partial || n + u * step < length; };
    Ordinal column[group] = {};
    T loaded[group][block][width] = {};
    unroll<group>([&](int u) {
      if (inside(u)) column[u] = row.columns[n + u * step];
    });
    unroll<group>([&](int u) {
      if (!inside(u)) return;
      unroll<block>([&](int c) {
        const Ordinal first = column[u] * block;
        if (c < x_rows - first)
          tile.load(first + c, loaded[u][c]);  // behind the last column there is no X
      });
    });
    unroll<group>([&](int u) {
      if (!inside(u)) return;
      unroll<block>([&](int c) {
        unroll<block>([&](int r) {
          const Value value = row.at(n + u * step, r, c);
          unroll<width>([&](int w) { sums[r][w] += value * loaded[u][c][w]; });
        });
      });
    });
  }
};

}  // namespace fatvec::detail
