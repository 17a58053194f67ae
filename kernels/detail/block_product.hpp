// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/kernels/detail/row_product.hpp>

/// The product of a matrix of dense blocks for CPUs: a work-item sums several rows of a block row at once, so that what it
/// reads of X serves all of them from registers.
namespace fatvec::detail {

/// What the compiler knows of a block: its size (0: nothing), and how many of its rows are summed together.
template <int known_size_, int rows_>
struct BlockTile {
  static constexpr int known_size = known_size_;
  static constexpr int rows = rows_;

  /// Tiles that a block's rows make; the last one may have fewer.
  KOKKOS_FUNCTION static int count(int block_size) {
    return known_size > 0 ? known_size / rows : (block_size + rows - 1) / rows;
  }
};

/// A work-item is a share of the block rows, of about equally many blocks; tiles of columns sweep over chunks of them whose
/// part of A stays in the first-level cache.
template <Columns columns, class Block>
struct BlockRowSweep {
  BlockSweep<columns> shares;
  int block_size;
  static constexpr bool vectorised = columns == Columns::contiguous;
  /// rows · widest sums, a row of X and the elements of A have to fit AVX2's 16 registers of 4 doubles.
  static constexpr int widest = columns == Columns::strided ? 4 : Block::rows <= 2 ? 16 : 8;
  /// As in BlockSweep: two chains of additions for each sum while there are registers.
  template <int width>
  static constexpr int chains = width* Block::rows <= 16 ? 2 : 1;

  template <class Rows, class Tile>
  KOKKOS_FUNCTION void visit(std::int64_t item, const Rows& access, const Tile& tile) const {
    const std::int64_t k = shares.k;
    const bool one_tile = k <= widest && (k & (k - 1)) == 0;
    const std::int64_t chunk = Kokkos::max<std::int64_t>(1, shares.chunk() / block_size);
    const std::int64_t last = shares.cut(item + 1, access);
    std::int64_t end = 0;
    for (std::int64_t first = shares.cut(item, access); first < last; first = end) {
      end = one_tile || last - first < chunk ? last : first + chunk;
      sweep_halves<widest>(k, [&](auto width, std::int64_t c) {
        const int tiles = Block::count(block_size);
        for (std::int64_t i = first; i < end; ++i)
          for (int t = 0; t < tiles; ++t) tile(width, i, t * Block::rows, c);
      });
    }
  }
};

template <class T, class Matrix, class V, Columns columns, class Block>
struct BlockProduct {
  using Sweep = BlockRowSweep<columns, Block>;
  typename Matrix::Rows block_rows;
  BlockAccess access;
  const typename Matrix::ordinal_type* entries;
  const typename Matrix::value_type* values;
  std::int64_t rows;
  std::int64_t cols;
  MultiVectorSpan<V, columns> x;
  Epilogue<T> epilogue;
  Sweep sweep;

  [[gnu::noinline]] KOKKOS_FUNCTION void operator()(std::int64_t item) const {  // of several loops over items, one copy
    const BlockProduct local = *this;  // in registers: of *this the compiler must think that writing Y changes it
    sweep.visit(item, block_rows, [&](auto width, std::int64_t i, int first, std::int64_t c) {
      local.template multiply_tile<decltype(width)::value>(i, first, c);
    });
    local.epilogue.finish();
  }

  /// Rows first, first + 1, ... of block row i.
  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_tile(std::int64_t i, int first, std::int64_t c) const {
    Pack<T, width, Sweep::vectorised> sum[Block::rows];
    std::int64_t n = block_rows.begin(i);
    const std::int64_t end = n + block_rows.length(i);
    if constexpr (Sweep::template chains<width> == 2) {
      Pack<T, width, Sweep::vectorised> odd[Block::rows];
      for (; n + 1 < end; n += 2) {
        add_block(n, first, c, sum);
        add_block(n + 1, first, c, odd);
      }
      each<Block::rows>([&](auto r) { sum[r].add(odd[r]); });
    }
    for (; n < end; ++n) add_block(n, first, c, sum);

    const std::int64_t row = i * access.size + first;
    const std::int64_t inside = rows - row < access.size - first ? rows - row : access.size - first;
    each<Block::rows>([&](auto r) {
      if (r < inside) epilogue.store(row + r, c, sum[r]);
    });
  }

  template <class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_block(std::int64_t n, int first, std::int64_t c, Sum (&sum)[Block::rows]) const {
    const std::int64_t column = static_cast<std::int64_t>(entries[n]) * access.size;
    const auto* const block = values + access.begin(n);
    const T* const x_rows = &x(column, c);
    if (Block::known_size > 0 && cols - column >= access.size) {
      each<Block::known_size>([&](auto b) { add_column(block, x_rows, first, b, sum); });
    } else {  // a size that the compiler does not know, or a block that the matrix ends in
      const int inside = cols - column < access.size ? static_cast<int>(cols - column) : access.size;
      for (int b = 0; b < inside; ++b) add_column(block, x_rows, first, b, sum);
    }
  }

  /// sum += column b of the block times its row of X.
  template <class A, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_column(const A* block, const T* x_rows, int first, int b,
                                              Sum (&sum)[Block::rows]) const {
    Sum x_row;
    x_row.load(x_rows + b * x.row_stride, x.step());
    each<Block::rows>([&](auto r) {
      const int row = Block::known_size > 0 || first + r < access.size ? first + r : access.size - 1;
      sum[r].add_scaled(block[access.at(row, b)], x_row);
    });
  }
};

/// run(BlockTile) for blocks of this size on a CPU: sizes that systems of so many unknowns per node have are known to the
/// compiler, and up to 4 rows are summed together.
template <class Run>
void with_block_tile(int block_size, const Run& run) {
  switch (block_size) {
    case 1:
      return run(BlockTile<1, 1>{});
    case 2:
      return run(BlockTile<2, 2>{});
    case 3:
      return run(BlockTile<3, 3>{});
    case 4:
      return run(BlockTile<4, 4>{});
    case 6:
      return run(BlockTile<6, 3>{});
    case 8:
      return run(BlockTile<8, 4>{});
    default:
      return run(BlockTile<0, 4>{});
  }
}

}  // namespace fatvec::detail
