// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/kernels/host/accumulator.hpp>
#include <fatvec/kernels/host/output.hpp>
#include <fatvec/kernels/host/prefetch.hpp>
#include <fatvec/kernels/host/row_kernel.hpp>
#include <fatvec/kernels/host/transposed_store.hpp>

/// The product of a matrix of dense blocks for CPUs: a work-part sums several rows of a block row
/// at once, so that what it reads of X serves all of them from registers.
namespace fatvec::detail {

/// What the compiler knows of a block: its size (0: nothing), and how many of its rows are summed
/// together.
template <int known_size_, int rows_>
struct BlockTile {
  static constexpr int known_size = known_size_;
  static constexpr int rows = rows_;

  /// Tiles that a block's rows make; the last one may have fewer.
  KOKKOS_FUNCTION static int count(int block_size) {
    return known_size > 0 ? known_size / rows : (block_size + rows - 1) / rows;
  }
};

/// A work-part is a share of the block rows, of about equally many blocks; columns beyond one tile
/// sweep over one block row at a time, which stays in the first-level cache.
template <class T, Columns columns, class Block>
struct BlockRowSweep {
  RowSweep<columns> shares;
  int block_size;
  static constexpr bool vectorised = columns == Columns::contiguous;
  /// Whether the sums of `width` columns, `chains` of each, fit the registers beside a vector of X
  /// and the elements of A.
  static constexpr bool fits(int width, int chains) {
    constexpr int lanes = simd_bytes / sizeof(T);
    return chains * Block::rows * ((width + lanes - 1) / lanes) + Block::rows + 1 <= simd_registers;
  }
  static constexpr int widest = columns == Columns::strided ? 4
                                : fits(64, 1)               ? 64
                                : fits(32, 1)               ? 32
                                : fits(16, 1)               ? 16
                                                            : 8;
  /// As in HostRowKernel: two chains of additions for each sum while there are registers.
  template <int width>
  static constexpr int chains = fits(width, 2) ? 2 : 1;

  /// Block rows first ... last - 1.
  template <class Tile>
  KOKKOS_FUNCTION void visit(std::int64_t first, std::int64_t last, const Tile& tile) const {
    const std::int64_t k = shares.k;
    const bool one_tile = k <= widest && (k & (k - 1)) == 0;
    std::int64_t end = 0;
    for (; first < last; first = end) {
      end = one_tile ? last : first + 1;
      sweep_halves<widest>(k, [&](auto width, std::int64_t c) {
        const int tiles = Block::count(block_size);
        for (std::int64_t i = first; i < end; ++i)
          for (int t = 0; t < tiles; ++t) tile(width, i, t * Block::rows, c);
      });
    }
  }
};

template <class T, class Matrix, Columns columns, class Block>
struct HostBlockKernel {
  using Sweep = BlockRowSweep<T, columns, Block>;
  typename Matrix::Rows block_rows;
  BlockAccess access;
  const typename Matrix::ordinal_type* entries;
  const typename Matrix::value_type* values;
  std::int64_t rows;
  std::int64_t cols;
  MultiVectorSpan<const T, columns> x;
  HostEpilogue<T> epilogue;
  Sweep sweep;

  static constexpr bool can_transpose_y = columns == Columns::contiguous;

  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    const std::int64_t begin = sweep.shares.partition.begin(part, block_rows);
    const std::int64_t end = sweep.shares.partition.begin(part + 1, block_rows);
    std::int64_t distance = 0;
    if constexpr (columns == Columns::contiguous)
      distance = prefetch_row_distance(sweep.shares.prefetch, block_rows, entries, begin, end,
                                       {.rows = sweep.shares.partition.rows,
                                        .x_rows = cols,
                                        .bytes = sweep.shares.k * std::int64_t{sizeof(T)},
                                        .block = access.size});
    if constexpr (can_transpose_y)
      if (sweep.shares.transposes_y) return multiply_transposed(begin, end, distance);
    multiply(begin, end, distance);
    epilogue.finish();
  }

  /// Into a column-major Y.
  [[gnu::noinline]] KOKKOS_FUNCTION void multiply_transposed(std::int64_t begin, std::int64_t end,
                                                             std::int64_t distance) const {
    const std::int64_t size = access.size;
    TransposedStore<T>::run(epilogue, rows, sweep.shares.k, begin * size,
                            Kokkos::min(rows, end * size), size,
                            [&](std::int64_t first, std::int64_t last, std::int64_t c,
                                std::int64_t k, const HostEpilogue<T>& to) {
                              HostBlockKernel some = *this;
                              some.x.data += c;
                              some.sweep.shares.k = k;
                              some.epilogue = to;
                              some.multiply(first / size, (last + size - 1) / size, distance);
                            });
  }

  /// Block rows begin ... end - 1. Not inlined: of several loops over parts, one copy.
  [[gnu::noinline]] KOKKOS_FUNCTION void multiply(std::int64_t begin, std::int64_t end,
                                                  std::int64_t distance) const {
    const HostBlockKernel local =
        *this;  // in registers: of *this the compiler must think that writing Y changes it
    local.sweep.visit(begin, end, [&](auto width, std::int64_t i, int first, std::int64_t c) {
      local.template multiply_tile<decltype(width)::value>(i, first, c, distance);
    });
  }

  /// Rows first, first + 1, ... of block row i.
  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void multiply_tile(std::int64_t i, int first, std::int64_t c,
                                                 std::int64_t distance) const {
    if (distance > 0 && first == 0 && i + distance < sweep.shares.partition.rows)
      for (int b = 0; b < access.size; ++b)
        prefetch_rows(block_rows.walk(i + distance), block_rows.length(i + distance), entries,
                      &x(b, c), access.size * x.row_stride, width * std::int64_t{sizeof(T)});
    Accumulator<T, width, Sweep::vectorised> sum[Block::rows];
    std::int64_t n = block_rows.begin(i);
    const std::int64_t end = n + block_rows.length(i);
    if (c == 0 && first == 0)
      for (std::int64_t v = access.begin(n); v < access.begin(end); v += 8)
        prefetch_entries(values + v, entries + n);
    if constexpr (Sweep::template chains<width> == 2) {
      Accumulator<T, width, Sweep::vectorised> odd[Block::rows];
      for (; n + 1 < end; n += 2) {
        add_block(n, first, c, sum);
        add_block(n + 1, first, c, odd);
      }
      each<Block::rows>([&](auto r) FATVEC_INLINE_LAMBDA { sum[r].add(odd[r]); });
    }
    for (; n < end; ++n) add_block(n, first, c, sum);

    const std::int64_t row = i * access.size + first;
    const std::int64_t inside = rows - row < access.size - first ? rows - row : access.size - first;
    each<Block::rows>([&](auto r) FATVEC_INLINE_LAMBDA {
      if (r < inside) epilogue.store(row + r, c, sum[r]);
    });
  }

  template <class Sum>
  FATVEC_FORCEINLINE_FUNCTION void add_block(std::int64_t n, int first, std::int64_t c,
                                             Sum (&sum)[Block::rows]) const {
    const std::int64_t column = static_cast<std::int64_t>(entries[n]) * access.size;
    const auto* const block = values + access.begin(n);
    const T* const x_rows = &x(column, c);
    if (Block::known_size > 0 && cols - column >= access.size) {
      each<Block::known_size>(
          [&](auto b) FATVEC_INLINE_LAMBDA { add_column(block, x_rows, first, b, sum); });
    } else {  // a size that the compiler does not know, or a block that the matrix ends in
      const int inside =
          cols - column < access.size ? static_cast<int>(cols - column) : access.size;
      for (int b = 0; b < inside; ++b) add_column(block, x_rows, first, b, sum);
    }
  }

  /// sum += column b of the block times its row of X.
  template <class A, class Sum>
  FATVEC_FORCEINLINE_FUNCTION void add_column(const A* block, const T* x_rows, int first, int b,
                                              Sum (&sum)[Block::rows]) const {
    A a[Block::rows];
    each<Block::rows>([&](auto r) FATVEC_INLINE_LAMBDA {
      const int row =
          Block::known_size > 0 || first + r < access.size ? first + r : access.size - 1;
      a[r] = block[access.at(row, b)];
    });
    Sum::add_scaled_to(sum, a, x_rows + b * x.row_stride, x.step());
  }
};

/// run(BlockTile) for blocks of this size (0: unknown) and k columns: up to 5 rows are summed
/// together. Of 4 or 8 rows, with 16 registers, two with twice as many columns are faster than
/// four.
template <int size, class Run>
void with_block_tile(std::int64_t k, const Run& run) {
  if constexpr (size % 4 == 0 && size > 0 && simd_registers <= 16) {
    if (k >= 16) return run(BlockTile<size, 2>{});
  }
  run(BlockTile < size, size == 0 || size == 8 ? 4 : size == 6 ? 3 : size > {});
}

/// Launches the product of a matrix of blocks of this size (0: any) on a host space; no allocation,
/// no fence.
template <int size, class ExecSpace, class Matrix, class T, Columns columns>
void launch_host_blocks(const char* label, const ExecSpace& exec, const host::Policy& policy,
                        const Matrix& matrix, const MultiVectorSpan<const T, columns>& x,
                        const Epilogue<T>& epilogue, std::int64_t k) {
  with_block_tile<size>(k, [&](auto tile) {
    using Kernel = HostBlockKernel<T, Matrix, columns, decltype(tile)>;
    const std::int64_t parts = parts_for(exec, policy, matrix.stored_entries(), k);
    RowSweep<columns> shares{.partition = {matrix.count, parts}, .k = k};
    shares.prefetch = shares.prefetch.for_blocks();
    if (Kernel::can_transpose_y) shares.store_transposed(epilogue);
    launch_parts(label, exec, parts,
                 Kernel{.block_rows = matrix.access,
                        .access = matrix.block,
                        .entries = matrix.entries,
                        .values = matrix.values,
                        .rows = matrix.rows(),
                        .cols = matrix.cols(),
                        .x = x,
                        .epilogue = HostEpilogue<T>::of(epilogue, matrix.rows(), k),
                        .sweep = {shares, matrix.block.size}});
  });
}

}  // namespace fatvec::detail
