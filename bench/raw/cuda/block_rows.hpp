// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/bsr.hpp>

#include "raw/cuda/tiles.hpp"

/// BSR by hand, column-major blocks: Stec and Stpiczyński's kernel, and the best that we know to
/// write.
namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN {

struct BlockRows {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Format = BsrMatrix<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* name = "bsr";

  const int* offsets;
  int size;  ///< rows and columns of a block
  int count;
  int cols;

  template <class Matrix>
  static BlockRows of(const Matrix& matrix) {
    return {matrix.row_map.data(), matrix.block_size(), static_cast<int>(matrix.block_rows()),
            matrix.cols()};
  }
  /// Columns of a block that are within the matrix.
  __device__ int width(int block_column) const { return min(size, cols - block_column * size); }
};

using StoredBlocks = Stored<BlockRows>;

/// Algorithm 5 of Stec and Stpiczyński: a thread per block row, which adds to Y in memory; its
/// columns one after the other.
static __global__ void __launch_bounds__(128)
    thread_per_block_row(const StoredBlocks a, const Operands o) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= a.row.count) return;
  const int size = a.row.size;
  const int first = i * size;
  const int last = min(first + size, static_cast<int>(a.rows));
  for (int c = 0; c < o.k; ++c) {
    for (int row = first; row < last; ++row) o.store(row, c, 0);
    for (int n = a.row.offsets[i]; n < a.row.offsets[i + 1]; ++n) {
      const Scalar* column = a.values + static_cast<std::int64_t>(n) * size * size;
      const int x_row = a.columns[n] * size;
      for (int j = 0; j < a.row.width(a.columns[n]); ++j, column += size)
        for (int row = first; row < last; ++row)
          o.y[o.y_at(row, c)] += o.alpha * column[row - first] * o.x[o.x_at(x_row + j, c)];
    }
  }
}

/// sum[r] += row `first + r` of block n times X's rows. All loads of `at_once` columns of the block
/// before their arithmetic.
template <int rows, int at_once, class Tile>
__device__ __forceinline__ void add_columns(const Scalar* column, int size, int x_row,
                                            const Tile& tile, Scalar (&sum)[rows][Tile::width]) {
  Scalar value[at_once][rows];
  Scalar x[at_once][Tile::width];
#pragma unroll
  for (int j = 0; j < at_once; ++j) {
    tile.load(x_row + j, x[j]);
#pragma unroll
    for (int r = 0; r < rows; ++r) value[j][r] = __ldg(column + j * size + r);
  }
#pragma unroll
  for (int j = 0; j < at_once; ++j) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
#pragma unroll
      for (int w = 0; w < Tile::width; ++w) sum[r][w] += value[j][r] * x[j][w];
    }
  }
}

inline constexpr int block_threads = 256;

/// A thread holds all rows of a block of `known` rows by the columns of its tile; known 0: one row
/// of a block of any size.
template <int known, class Tile>
__global__ void __launch_bounds__(block_threads, 2)
    tuned_block_rows(const StoredBlocks a, const Operands o, const int lanes, const int tiles) {
  constexpr int rows = known > 0 ? known : 1;
  constexpr int at_once = known <= 1 ? 1 : known * known <= 18 ? known : 18 / known;
  const int parts = known > 0 ? 1 : a.row.size;
  const unsigned group = blockIdx.x / tiles;
  const unsigned at = group * blockDim.y + threadIdx.y;
  const int i = static_cast<int>(at / parts);
  const Tile tile(o, blockIdx.x - group * tiles, threadIdx.x, lanes);
  if (i >= a.row.count || tile.idle()) return;
  const int size = known > 0 ? known : a.row.size;
  const int first = static_cast<int>(at - i * parts);

  Scalar sum[rows][Tile::width] = {};
  for (int n = __ldg(a.row.offsets + i), end = __ldg(a.row.offsets + i + 1); n < end; ++n) {
    const Scalar* const block = a.values + static_cast<std::int64_t>(n) * size * size + first;
    const int column = __ldg(a.columns + n);
    const int width = a.row.width(column);
    if (known > 0 && width == known) {
#pragma unroll
      for (int j = 0; j < known; j += at_once)
        add_columns<rows, at_once>(block + j * size, size, column * size + j, tile, sum);
    } else {
#pragma unroll 4
      for (int j = 0; j < width; ++j)
        add_columns<rows, 1>(block + j * size, size, column * size + j, tile, sum);
    }
  }
  const int row = i * size + first;
#pragma unroll
  for (int r = 0; r < rows; ++r)
    if (row + r < static_cast<int>(a.rows)) tile.store(o, row + r, sum[r]);
}

template <int known, class Tile>
void launch_block_tile(cudaStream_t stream, const StoredBlocks& a, const Operands& o, int lanes,
                       int tiles) {
  const int rows_per_block = block_threads / lanes;
  const std::int64_t items = static_cast<std::int64_t>(a.row.count) * (known > 0 ? 1 : a.row.size);
  const std::int64_t blocks = (items + rows_per_block - 1) / rows_per_block;
  tuned_block_rows<known, Tile>
      <<<checked_blocks(blocks * tiles), dim3(lanes, rows_per_block), 0, stream>>>(a, o, lanes,
                                                                                   tiles);
}

/// Neighbouring columns lie side by side over the threads, two each where there are many; columns
/// that are apart are a thread's, 4 at once, block rows side by side.
template <int known>
void launch_blocks_of(cudaStream_t stream, const StoredBlocks& a, const Operands& o) {
  const auto launch = [&]<class Tile>(std::type_identity<Tile>, int lanes_wanted) {
    const int tiles = (lanes_wanted + block_threads - 1) / block_threads;
    launch_block_tile<known, Tile>(stream, a, o, (lanes_wanted + tiles - 1) / tiles, tiles);
  };
  if (o.k > 1 && (o.x_col != 1 || o.y_col != 1)) {
    launch_block_tile<known, Spaced<4>>(stream, a, o, 1, (o.k + 3) / 4);
  } else if (o.k >= 32 && in_pairs(o)) {
    launch(std::type_identity<Adjacent<2>>{}, o.k / 2);
  } else {
    launch(std::type_identity<Adjacent<1>>{}, o.k);
  }
}

/// Few columns: a thread per row, for then the threads of a block read its columns side by side.
inline void launch_tuned_blocks(cudaStream_t stream, const StoredBlocks& a, const Operands& o) {
  switch (o.k <= 4 ? 0 : a.row.size) {
    case 2:
      return launch_blocks_of<2>(stream, a, o);
    case 3:
      return launch_blocks_of<3>(stream, a, o);
    case 4:
      return launch_blocks_of<4>(stream, a, o);
    case 6:
      return launch_blocks_of<6>(stream, a, o);
    case 8:
      return launch_blocks_of<8>(stream, a, o);
    default:
      return launch_blocks_of<0>(stream, a, o);
  }
}

}  // namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN
