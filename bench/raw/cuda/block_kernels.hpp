// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "raw/cuda/row_kernels.hpp"

/// The kernels for fat vectors of Balayre and Gollmann.
namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN {

/// Balayre 2024: in blocks of x by y threads, y rows lie over x columns; here x may be less than k,
/// and nothing is atomic.
template <class Rows>
__global__ void __launch_bounds__(1024) block_2d(const Stored<Rows> a, const Operands o) {
  const unsigned row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= a.rows) return;
  const Slots slots = a.row[row];
  for (int c = threadIdx.x; c < o.k; c += blockDim.x) {
    Scalar sum[1] = {};
    add_row(a, o, Plain{}, slots, 0, 1, c, sum);
    o.store(row, c, sum[0]);
  }
}

/// Gollmann 2020: a fixed grid strides over the rows, a thread takes the columns of its row one
/// after the other. In row layout this is his row-major kernel, in column layout its
/// column-major one.
template <class Rows>
__global__ void grid_stride(const Stored<Rows> a, const Operands o) {
  for (unsigned row = blockIdx.x * blockDim.x + threadIdx.x; row < a.rows;
       row += gridDim.x * blockDim.x) {
    const Slots slots = a.row[row];
    for (int c = 0; c < o.k; ++c) {
      Scalar sum[1] = {};
      add_row(a, o, Plain{}, slots, 0, 1, c, sum);
      o.store(row, c, sum[0]);
    }
  }
}

template <class Rows>
void launch_grid_stride(cudaStream_t stream, const Stored<Rows>& a, const Operands& o) {
  grid_stride<<<256, 256, 0, stream>>>(a, o);
}

/// Gollmann's yardstick (2020): k products with one column each.
template <class Rows>
void launch_column_by_column(cudaStream_t stream, const Stored<Rows>& a, Operands o) {
  const int k = std::exchange(o.k, 1);
  for (int c = 0; c < k; ++c, o.x += o.x_col, o.y += o.y_col) launch_grid_stride(stream, a, o);
}

static __global__ void copy_column(const Scalar* from, int from_step, Scalar* to, int to_step,
                                   int length) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= static_cast<unsigned>(length)) return;
  to[static_cast<std::int64_t>(i) * to_step] = from[static_cast<std::int64_t>(i) * from_step];
}

inline void launch_copy_column(cudaStream_t stream, const Scalar* from, int from_step, Scalar* to,
                               int to_step, int length) {
  if (length == 0) return;
  copy_column<<<blocks_for(length, threads_per_block), threads_per_block, 0, stream>>>(
      from, from_step, to, to_step, length);
}

/// The same through a contiguous copy of each column; x and y have the rows of X and of Y.
template <class Rows>
Multiply<Rows> through_copies(const product::Case& task) {
  using Vector = Kokkos::View<Scalar*, Kokkos::Cuda>;
  const int cols = task.matrix.cols();
  const int rows = task.matrix.rows();
  const auto x = detail::allocate_zeros<Vector>(Kokkos::Cuda(), "fatvec::bench::one_x", cols);
  const auto y = detail::allocate_zeros<Vector>(Kokkos::Cuda(), "fatvec::bench::one_y", rows);
  return as_is<Rows>(
      [x, y, cols, rows](cudaStream_t stream, const Stored<Rows>& a, const Operands& all) {
        Operands one = all;
        one.x = x.data();
        one.y = y.data();
        one.x_row = one.y_row = one.x_col = one.y_col = one.k = 1;
        for (int c = 0; c < all.k; ++c) {
          const Scalar* const from = all.x + static_cast<std::int64_t>(c) * all.x_col;
          Scalar* const to = all.y + static_cast<std::int64_t>(c) * all.y_col;
          launch_copy_column(stream, from, all.x_row, x.data(), 1, cols);
          if (all.beta != 0) launch_copy_column(stream, to, all.y_row, y.data(), 1, rows);
          launch_grid_stride(stream, a, one);
          launch_copy_column(stream, y.data(), 1, to, all.y_row, rows);
        }
      });
}

/// kernel:block-2d in every size of Balayre 2024. Its best on most matrices, 16 x 16, always runs;
/// the others with --sweep block.
template <class Rows>
void add_blocks(Registry& registry) {
  for (const int x : {8, 16, 32, 64}) {
    for (const int y : {1, 2, 4, 8, 16}) {
      const auto launch = [x, y](cudaStream_t stream, const Stored<Rows>& a, const Operands& o) {
        block_2d<<<blocks_for(a.rows, y), dim3(x, y), 0, stream>>>(a, o);
      };
      add<Rows>(registry, {.kernel = "block-2d",
                           .make = [launch](const product::Case&) { return as_is<Rows>(launch); },
                           .more_parameters = {{"block", detail::concat(x, 'x', y)}},
                           .sweep = x == 16 && y == 16 ? "" : "block"});
    }
  }
}

}  // namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN
