// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "raw/vectors.hpp"

/// Gollmann's two ways (2020) of reducing a vector on a GPU, a tree in shared memory and warp
/// shuffles, for any type and any length. A grid of blocks strides over the vector, each block
/// leaves one partial result, and a block of a second launch joins those: his atomics exist
/// for int, but there is no atomicMin of double, and sums would differ from run to run.
namespace fatvec::bench::raw::cuda {

/// Joins what the threads of a block have, a power of two; thread 0 gets it. Every thread of the
/// block calls, those without elements, too.
template <int block_threads = 256>
struct SharedTree {
  static constexpr const char* name = "shared-memory";
  static constexpr int threads = block_threads;

  template <class Result>
  static __device__ Result joined(const Result& mine) {
    __shared__ alignas(Result) unsigned char memory[threads * sizeof(Result)];
    auto* const all = reinterpret_cast<Result*>(memory);
    const int thread = static_cast<int>(threadIdx.x);
    all[thread] = mine;
    for (int half = threads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (thread < half) all[thread].join(all[thread + half]);
    }
    return all[thread];
  }
};

template <int block_threads = 256>
struct WarpShuffles {
  static constexpr const char* name = "shuffle";
  static constexpr int threads = block_threads;
  static constexpr int warp = 32;

  template <class Result>
  static __device__ Result joined(Result mine) {
    constexpr int warps = threads / warp;
    __shared__ alignas(Result) unsigned char memory[warps * sizeof(Result)];
    auto* const all = reinterpret_cast<Result*>(memory);
    const int thread = static_cast<int>(threadIdx.x);
    mine = joined_in_warp(mine, warp);
    if (thread % warp == 0) all[thread / warp] = mine;
    __syncthreads();
    if (thread < warp) mine = joined_in_warp(all[thread % warps], warps);
    return mine;
  }

 private:
  template <class Result>
  static __device__ Result joined_in_warp(Result mine, int lanes) {
    for (int offset = lanes / 2; offset > 0; offset /= 2) mine.join(from_lane_behind(mine, offset));
    return mine;
  }
  /// Shuffles move words, results are several.
  template <class Result>
  static __device__ Result from_lane_behind(const Result& mine, int offset) {
    int words[sizeof(Result) / sizeof(int)];
    memcpy(words, &mine, sizeof mine);
    for (int& word : words) word = __shfl_down_sync(~0U, word, offset);
    Result other;
    memcpy(&other, words, sizeof other);
    return other;
  }
};

/// Elements of one vector, or of two, `step` apart.
template <class T>
struct OneVector {
  using Element = T;
  using Result = Seven<T>;
  const T* x;
  std::int64_t step;
  __device__ void add_to(Result& result, std::int64_t i) const { result.add(x[i * step]); }
};
template <class T>
struct TwoVectors {
  using Element = T;
  using Result = Product<T>;
  const T* x;
  const T* y;
  std::int64_t step;
  __device__ void add_to(Result& result, std::int64_t i) const {
    result.add(x[i * step], y[i * step]);
  }
};

template <class Join, class Vectors>
__global__ void __launch_bounds__(Join::threads)
    reduce_vector(const Vectors vectors, std::int64_t n, typename Vectors::Result* of_block) {
  typename Vectors::Result mine;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * Join::threads;
#pragma unroll 4
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * Join::threads + threadIdx.x; i < n;
       i += stride)
    vectors.add_to(mine, i);
  const auto all = Join::joined(mine);
  if (threadIdx.x == 0) of_block[blockIdx.x] = all;
}

template <class Join, class Result>
__global__ void __launch_bounds__(Join::threads)
    join_blocks(const Result* of_block, int blocks, Result* result) {
  Result mine;
  for (int block = static_cast<int>(threadIdx.x); block < blocks; block += Join::threads)
    mine.join(of_block[block]);
  const auto all = Join::joined(mine);
  if (threadIdx.x == 0) *result = all.settled();
}

/// Enqueues the reduction of n elements, by a block for each block_elements of them, Join::threads
/// unless it is told, and by most_blocks at most. of_block: room for most_blocks results. An empty
/// vector gives Result{}.
template <class Join, class Vectors>
void reduce(cudaStream_t stream, const Vectors& vectors, std::int64_t n, int most_blocks,
            typename Vectors::Result* of_block, typename Vectors::Result* result,
            std::int64_t block_elements = Join::threads) {
  const std::int64_t wanted = (n + block_elements - 1) / block_elements;
  const int blocks = static_cast<int>(std::clamp<std::int64_t>(wanted, 1, most_blocks));
  reduce_vector<Join><<<blocks, Join::threads, 0, stream>>>(vectors, n, of_block);
  join_blocks<Join><<<1, Join::threads, 0, stream>>>(of_block, blocks, result);
}

}  // namespace fatvec::bench::raw::cuda
