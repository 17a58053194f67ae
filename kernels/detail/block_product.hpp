// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/kernels/detail/row_product.hpp>

/// The product of a matrix of dense blocks for CPUs, and for GPUs where the compiler does not know the blocks' size
/// (staged_product.hpp where it does): a work-item sums several rows of a block row at once, so that what it reads of X serves
/// all of them from registers. A Shape says which rows and columns a work-item owns.
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

/// CPU shape: a work-item is a share of the block rows, of about equally many blocks; tiles of columns sweep over chunks of
/// them whose part of A stays in the first-level cache.
template <Columns columns, class Block>
struct BlockRowSweep {
  BlockSweep<columns> shares;
  int block_size;
  static constexpr bool many_rows = true;
  static constexpr bool vectorised = columns == Columns::contiguous;
  /// rows · widest sums, a row of X and the elements of A have to fit AVX2's 16 registers of 4 doubles.
  static constexpr int widest = columns == Columns::strided ? 4 : Block::rows <= 2 ? 16 : 8;
  /// As in BlockSweep: two chains of additions for each sum while there are registers.
  template <int width>
  static constexpr int chains = width* Block::rows <= 16 ? 2 : 1;

  [[nodiscard]] std::int64_t items() const { return shares.blocks; }

  template <class Rows, class Tile>
  KOKKOS_FUNCTION void visit(std::int64_t item, const Rows& access, const Tile& tile) const {
    const std::int64_t k = shares.k;
    const bool one_tile = k <= widest && (k & (k - 1)) == 0;
    const std::int64_t chunk = shares.chunk < block_size ? 1 : shares.chunk / block_size;
    const std::int64_t last = shares.cut(item + 1, access);
    std::int64_t end = 0;
    for (std::int64_t first = shares.cut(item, access); first < last; first = end) {
      end = one_tile || last - first < chunk ? last : first + chunk;
      sweep_halves<widest>(k, [&](auto width, std::int64_t c) {
        const int tiles = Block::count(block_size);
        for (std::int64_t i = first; i < end; ++i)
          for (int t = 0; t < tiles; ++t) tile(width, i, t * Block::rows, c, width, Width<1>{});
      });
    }
  }
};

/// GPU shape: a work-item is one tile of a block's rows and `width` columns of them. With contiguous columns the lanes of a
/// tile lie side by side, so that their reads of X are coalesced and A's elements broadcast. Otherwise 32 tiles do, and the
/// lanes of those 32 follow one another, so that A comes from memory once.
template <Columns columns, int width, class Block>
struct BlockLanes {
  std::int64_t block_rows;
  std::int64_t k;
  int block_size;
  static constexpr bool many_rows = false;
  static constexpr bool vectorised = false;
  template <int>
  static constexpr int chains = 1;
  static constexpr std::int64_t side_by_side = columns == Columns::contiguous ? 1 : 32;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t lanes() const { return (k + width - 1) / width; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t tiles() const { return block_rows * Block::count(block_size); }
  [[nodiscard]] std::int64_t items() const { return blocks_along(tiles(), side_by_side) * side_by_side * lanes(); }

  /// 64-bit division costs a GPU some eighty instructions, and nearly every launch fits 32 bits.
  KOKKOS_FUNCTION static std::int64_t divide(std::int64_t a, std::int64_t b) {
    return a <= UINT32_MAX ? static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b) : a / b;
  }

  template <class Rows, class Tile>
  KOKKOS_FUNCTION void visit(std::int64_t item, const Rows&, const Tile& tile) const {
    const std::int64_t group = divide(item, side_by_side * lanes());
    const std::int64_t rest = item - group * side_by_side * lanes();
    const std::int64_t lane = rest / side_by_side;
    const std::int64_t n = group * side_by_side + rest % side_by_side;
    if (n >= tiles()) return;
    const std::int64_t i = divide(n, Block::count(block_size));
    const int first = static_cast<int>(n - i * Block::count(block_size)) * Block::rows;
    if constexpr (columns == Columns::contiguous) {
      tile(Width<width>{}, i, first, lane, static_cast<int>((k - lane + lanes() - 1) / lanes()), lanes());
    } else {
      const std::int64_t c = width * lane;
      tile(Width<width>{}, i, first, c, k - c < width ? static_cast<int>(k - c) : width, 1);
    }
  }
};

template <class T, class Matrix, class X, class Block, class Shape>
struct BlockProduct {
  typename Matrix::Rows block_rows;
  BlockAccess access;
  const typename Matrix::ordinal_type* entries;
  const typename Matrix::value_type* values;
  std::int64_t rows;
  std::int64_t cols;
  X x;
  Epilogue<T> epilogue;
  Shape shape;

  KOKKOS_FUNCTION void operator()(std::int64_t item) const {
    // On a CPU a copy, in registers: of *this the compiler must think that writing Y changes it.
    const std::conditional_t<Shape::many_rows, BlockProduct, const BlockProduct&> local = *this;
    shape.visit(item, block_rows, [&](auto width, std::int64_t i, int first, std::int64_t c, auto count, auto spacing) {
      local.template multiply_tile<decltype(width)::value>(i, first, c, count, spacing);
    });
  }

  /// Rows first, first + 1, ... of block row i.
  template <int width, class Count, class Spacing>
  KOKKOS_FORCEINLINE_FUNCTION void multiply_tile(std::int64_t i, int first, std::int64_t c, Count count,
                                                 Spacing spacing) const {
    // Columns behind the last one repeat it and are not stored, as are rows behind the last: no comparison in the loop.
    const std::int64_t step = spacing * x.step();
    const auto offset = [=](int w) { return (w < count ? w : count - 1) * step; };
    Pack<T, width, Shape::vectorised> sum[Block::rows];
    std::int64_t n = block_rows.begin(i);
    const std::int64_t end = n + block_rows.length(i);
    if constexpr (Shape::template chains<width> == 2) {
      Pack<T, width, Shape::vectorised> odd[Block::rows];
      for (; n + 1 < end; n += 2) {
        add_block(n, first, c, offset, sum);
        add_block(n + 1, first, c, offset, odd);
      }
      unroll<Block::rows>([&](int r) { sum[r].add(odd[r]); });
    }
    for (; n < end; ++n) add_block(n, first, c, offset, sum);

    const std::int64_t row = i * access.size + first;
    const std::int64_t inside = rows - row < access.size - first ? rows - row : access.size - first;
    unroll<Block::rows>([&](int r) {
      T sums[width];
      sum[r].store(sums);
      if (r < inside) epilogue.store(row + r, c, sums, count, spacing);
    });
  }

  template <class Offset, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_block(std::int64_t n, int first, std::int64_t c, const Offset& offset,
                                             Sum (&sum)[Block::rows]) const {
    const std::int64_t column = static_cast<std::int64_t>(entries[n]) * access.size;
    const auto* const block = values + access.begin(n);
    const T* const x_rows = &x(column, c);
    if (Block::known_size > 0 && cols - column >= access.size) {
      unroll<Block::known_size>([&](int b) { add_column(block, x_rows, first, b, offset, sum); });
    } else {  // a size that the compiler does not know, or a block that the matrix ends in
      const int inside = cols - column < access.size ? static_cast<int>(cols - column) : access.size;
      for (int b = 0; b < inside; ++b) add_column(block, x_rows, first, b, offset, sum);
    }
  }

  /// sum += column b of the block times its row of X.
  template <class A, class Offset, class Sum>
  KOKKOS_FORCEINLINE_FUNCTION void add_column(const A* block, const T* x_rows, int first, int b, const Offset& offset,
                                              Sum (&sum)[Block::rows]) const {
    Sum x_row;
    x_row.load(x_rows + b * x.row_stride, offset);
    unroll<Block::rows>([&](int r) {
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
