// SPDX-License-Identifier: Apache-2.0
#include "raw/symmetric.hpp"

#include "raw/cuda/common.hpp"

/// Contender `raw-cuda`, format symmetric, with --sweep symmetric:
///   kernel:atomics   threads share a row of the upper triangle, its columns of X and its entries.
///                    What an entry adds to the row of its mirror image, and the row's own sum, are
///                    added to Y by atomics; a launch before scales Y
namespace fatvec::bench {
namespace raw::cuda::inline FATVEC_BENCH_IN {
namespace {

constexpr int threads = 256;  ///< of a block

__global__ void __launch_bounds__(threads) scale_rows(const Operands o, const std::int64_t size) {
  const std::int64_t n = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (n < size) o.store(static_cast<int>(n / o.k), static_cast<int>(n % o.k), 0);
}

/// A row has `columns` · `entries` threads of a warp: neighbouring ones have neighbouring columns.
template <int columns, int entries>
__global__ void __launch_bounds__(threads)
    multiply_upper(const Stored<CsrRows> upper, const Operands o) {
  constexpr int of_row = columns * entries;
  const std::int64_t place = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  const std::int64_t row = place / of_row;
  const int thread = static_cast<int>(place % of_row);
  const int i = row < upper.rows ? static_cast<int>(row) : 0;
  const Slots slots = upper.row[i];
  for (int first = 0; first < o.k; first += columns) {
    const int c = first + thread % columns;
    const bool busy = row < upper.rows && c < o.k;
    Scalar sum = 0;
    if (busy) {
      const Scalar scaled = o.alpha * __ldg(o.x + o.x_at(i, c));
      for (int j = thread / columns; j < slots.length; j += entries) {
        const int column = __ldg(upper.columns + slots.at(j));
        const Scalar value = __ldg(upper.values + slots.at(j));
        sum += value * __ldg(o.x + o.x_at(column, c));
        if (column != i) atomicAdd(o.y + o.y_at(column, c), value * scaled);
      }
    }
    for (int offset = of_row / 2; offset >= columns; offset /= 2)  // idle threads, too
      sum += __shfl_xor_sync(~0U, sum, offset);
    if (busy && thread < columns) atomicAdd(o.y + o.y_at(i, c), o.alpha * sum);
  }
}

void launch_symmetric(cudaStream_t stream, const Stored<CsrRows>& upper, const Operands& o) {
  const std::int64_t size = static_cast<std::int64_t>(upper.rows) * o.k;
  scale_rows<<<blocks_for(size, threads), threads, 0, stream>>>(o, size);
  with_width<1, 2, 4, 8, 16, 32>(o.k, [&](auto width) {
    constexpr int columns = decltype(width)::value;
    constexpr int entries = std::min(8, 32 / columns);
    multiply_upper<columns, entries>
        <<<blocks_for(upper.rows, threads / (columns * entries)), threads, 0, stream>>>(upper, o);
  });
}

struct MultiplySymmetric {
  template <class Matrix, class X, class Y>
  void operator()(const Kokkos::Cuda& exec, Scalar alpha, const Matrix& matrix, const X& x,
                  Scalar beta, const Y& y) const {
    Multiply<CsrRows>{.set_up = {}, .launch = launch_symmetric}(exec, alpha, matrix.upper, x, beta,
                                                                y);
  }
};

}  // namespace
}  // namespace raw::cuda::inline FATVEC_BENCH_IN

inline namespace FATVEC_BENCH_IN {

void add_raw_cuda_symmetric(Registry& registry) {
  registry.add({.name = "raw-cuda",
                .backend = "cuda",
                .format = "symmetric",
                .parameters = {{"kernel", "atomics"}},
                .sweep = "symmetric",
                .prepare = [](const product::Case& task) {
                  return make_of_symmetric<Kokkos::Cuda>(task, raw::cuda::MultiplySymmetric{});
                }});
}

}  // namespace FATVEC_BENCH_IN
}  // namespace fatvec::bench
