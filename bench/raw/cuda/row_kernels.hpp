// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "raw/cuda/common.hpp"

/// The papers' kernels for one row: a thread or a warp each. What they differ in, how loads are
/// made and how a warp adds up, is a type each. The papers know one column; here a thread holds up
/// to 8 in registers and passes over its row again for more.
namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN {

inline constexpr int warp_size = 32;
inline constexpr int warps_per_block = 8;
inline constexpr int threads_per_block = warp_size * warps_per_block;

/// Ordinary loads.
struct Plain {
  template <class T>
  __device__ T operator()(const T* from) const {
    return *from;
  }
  __device__ Scalar x(const Operands& o, std::int64_t at) const { return o.x[at]; }
};

/// Loads through the read-only path (Calzetta and Lori 2025: "cacheL2", though __ldg is about the
/// first-level cache).
struct ReadOnly {
  template <class T>
  __device__ T operator()(const T* from) const {
    return __ldg(from);
  }
  __device__ Scalar x(const Operands& o, std::int64_t at) const { return __ldg(o.x + at); }
};

/// sum[w] += A's row times column c + w of X, over entries first, first + step, ... Columns behind
/// the last repeat it; their sums are dropped.
template <int width, class Rows, class Load, class RowSlots>
__device__ void add_row(const Stored<Rows>& a, const Operands& o, const Load& load,
                        const RowSlots& slots, int first, int step, int c, Scalar (&sum)[width]) {
  std::int64_t column[width];
  for (int w = 0; w < width; ++w) column[w] = o.x_at(0, min(c + w, o.k - 1));
  for (int j = first; j < slots.length; j += step) {
    const std::int64_t slot = slots.at(j);
    const Scalar value = load(a.values + slot);
    const std::int64_t x_row = o.x_at(load(a.columns + slot), 0);
    for (int w = 0; w < width; ++w) sum[w] += value * load.x(o, x_row + column[w]);
  }
}

template <int width, class Rows, class Load>
__global__ void __launch_bounds__(threads_per_block)
    thread_per_row(const Stored<Rows> a, const Operands o, const Load load) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= a.rows) return;
  const auto slots = a.row[row];
  for (int c = 0; c < o.k; c += width) {
    Scalar sum[width] = {};
    add_row(a, o, load, slots, 0, 1, c, sum);
    for (int w = 0; w < width; ++w)
      if (c + w < o.k) o.store(a.target(row), c + w, sum[w]);
  }
}

/// Ways to add up one number of each lane; lane 0 gets the sum. All 32 lanes must call. A warp uses
/// its own part of shared memory only, so that warps need not wait for each other; the first
/// __syncwarp lets lane 0 read what the call before left.
struct Shuffle {
  static __device__ Scalar total(Scalar partial) {
    for (int offset = warp_size / 2; offset > 0; offset /= 2)
      partial += __shfl_down_sync(~0U, partial, offset);
    return partial;
  }
};

struct Shared1d {  ///< halving in shared memory
  static __device__ Scalar total(Scalar partial) {
    __shared__ Scalar sums[threads_per_block];
    const int lane = threadIdx.x;
    Scalar* const mine = sums + threadIdx.y * warp_size;
    __syncwarp();
    mine[lane] = partial;
    __syncwarp();
    for (int offset = warp_size / 2; offset > 0; offset /= 2) {
      if (lane < offset) mine[lane] += mine[lane + offset];
      __syncwarp();
    }
    return mine[0];
  }
};

struct Shared2d {  ///< a detour through a [warp][lane] array, then shuffles
  static __device__ Scalar total(Scalar partial) {
    __shared__ Scalar sums[warps_per_block][warp_size];
    __syncwarp();
    sums[threadIdx.y][threadIdx.x] = partial;
    __syncwarp();
    return Shuffle::total(sums[threadIdx.y][threadIdx.x]);
  }
};

struct Sequential {  ///< vector strip-mining of Fraga 2018: the first lane adds up the others, one
                     ///< after the other
  static __device__ Scalar total(Scalar partial) {
    __shared__ Scalar sums[threads_per_block];
    const Scalar* const mine = sums + threadIdx.y * warp_size;
    __syncwarp();
    sums[threadIdx.y * warp_size + threadIdx.x] = partial;
    __syncwarp();
    if (threadIdx.x == 0)
      for (int lane = 1; lane < warp_size; ++lane) partial += mine[lane];
    return partial;
  }
};

template <int width, class Sum, class Rows, class Load>
__global__ void __launch_bounds__(threads_per_block)
    warp_per_row(const Stored<Rows> a, const Operands o, const Load load) {
  const unsigned row = blockIdx.x * warps_per_block + threadIdx.y;
  if (row >= a.rows) return;  // the whole warp
  const Slots slots = a.row[row];
  for (int c = 0; c < o.k; c += width) {
    Scalar sum[width] = {};
    add_row(a, o, load, slots, threadIdx.x, warp_size, c, sum);
    for (int w = 0; w < width; ++w) {
      const Scalar total = Sum::total(sum[w]);
      if (threadIdx.x == 0 && c + w < o.k) o.store(row, c + w, total);
    }
  }
}

template <class Rows>
void launch_thread_per_row(cudaStream_t stream, const Stored<Rows>& a, const Operands& o) {
  with_width<1, 2, 3, 4, 6, 8>(o.k, [&](auto width) {
    thread_per_row<decltype(width)::value>
        <<<blocks_for(a.rows, threads_per_block), threads_per_block, 0, stream>>>(a, o, Plain{});
  });
}

template <class Sum, class Rows, class Load = Plain>
void launch_warp_per_row(cudaStream_t stream, const Stored<Rows>& a, const Operands& o,
                         const Load& load = {}) {
  with_width<1, 2, 3, 4, 6, 8>(o.k, [&](auto width) {
    warp_per_row<decltype(width)::value, Sum>
        <<<blocks_for(a.rows, warps_per_block), dim3(warp_size, warps_per_block), 0, stream>>>(
            a, o, load);
  });
}

}  // namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN
