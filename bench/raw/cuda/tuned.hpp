// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "raw/cuda/long_rows.hpp"
#include "raw/cuda/tiles.hpp"

/// Written by hand and tuned for an H200: what the Kokkos kernels are compared with.
/// One kernel, whose threads hold a compile-time number of columns; how the threads of a block
/// share rows, entries and columns is data.
namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN {

inline constexpr int tuned_threads = 128;

/// A thread block has (2^thread_bits · column_threads) x (rows) threads.
struct Shape {
  int thread_bits;     ///< 2^thread_bits neighbouring threads share the entries of a row, and add
                       ///< up by shuffles
  int column_threads;  ///< side by side over the columns
  int sweeps;          ///< over all rows, one after the other, each for its part of the columns

  [[nodiscard]] int threads_of_row() const { return column_threads << thread_bits; }
};

/// Adds `unroll` entries from j on, `step` apart: all loads first, for latency is what a row waits
/// for. A partial group stops at the row's end.
template <int unroll, bool partial, class Rows, class Slots, class Tile>
__device__ __forceinline__ void add_entries(const Stored<Rows>& a, const Slots& slots, int j,
                                            int step, const Tile& tile,
                                            Scalar (&sum)[Tile::width]) {
  int column[unroll] = {};
  Scalar value[unroll] = {};
  Scalar x[unroll][Tile::width] = {};
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    if (partial && j + u * step >= slots.length) continue;
    const std::int64_t slot = slots.at(j + u * step);
    column[u] = __ldg(a.columns + slot);
    value[u] = __ldg(a.values + slot);
  }
#pragma unroll
  for (int u = 0; u < unroll; ++u)
    if (!partial || j + u * step < slots.length) tile.load(column[u], x[u]);
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    if (partial && j + u * step >= slots.length) continue;  // 0 · Inf would not be 0
#pragma unroll
    for (int w = 0; w < Tile::width; ++w) sum[w] += value[u] * x[u][w];
  }
}

/// The blocks per multiprocessor are the compiler's budget of registers: told nothing, it saves
/// them and loads one by one.
template <class Tile, class Rows>
inline constexpr int tuned_blocks = Tile::width == 1 ? (Rows::neighbours ? 8 : 12)
                                    : Tile::width == 2 && Rows::neighbours ? 16
                                    : Tile::width <= 4                     ? 10
                                    : Tile::width <= 6                     ? 8
                                                                           : 4;

template <class Tile, class Rows>
__global__ void __launch_bounds__(tuned_threads, tuned_blocks<Tile, Rows>)
    tuned_product(const Stored<Rows> a, const Operands o, const Shape shape, const int longest) {
  constexpr int unroll = Tile::width == 1 || (Tile::width == 2 && !Rows::neighbours) ? 4 : 2;
  const unsigned blocks = gridDim.x / shape.sweeps;
  const unsigned sweep = blockIdx.x / blocks;
  const unsigned block = blockIdx.x - sweep * blocks;
  const unsigned row = block * blockDim.y + threadIdx.y;
  // A constant where rows lie side by side: so is the distance to the next entries.
  const int threads_per_row = Rows::neighbours ? 1 << shape.thread_bits : 1;
  const int thread = threadIdx.x & (threads_per_row - 1);
  const int place = Rows::neighbours ? threadIdx.x >> shape.thread_bits : threadIdx.x;
  const Tile tile(o, sweep, place, shape.column_threads);
  const bool busy = row < a.rows && !tile.idle();
  auto slots = a.row[busy ? row : 0];
  if (!busy || slots.length > longest) slots.length = 0;

  Scalar sum[Tile::width] = {};
  int j = thread;
  for (; j + (unroll - 1) * threads_per_row < slots.length; j += unroll * threads_per_row)
    add_entries<unroll, false>(a, slots, j, threads_per_row, tile, sum);
  if (j < slots.length) add_entries<unroll, true>(a, slots, j, threads_per_row, tile, sum);

  for (int offset = threads_per_row / 2; offset > 0;
       offset /= 2) {  // idle threads, too: a warp shuffles as a whole
#pragma unroll
    for (int w = 0; w < Tile::width; ++w) sum[w] += __shfl_xor_sync(~0U, sum[w], offset);
  }
  if (busy && thread == 0) tile.store(o, a.target(row), sum);
}

/// Threads per row, at most `most`, such that each has about `entries` of a mean row. Only where
/// the entries lie side by side: otherwise the rows do, and threads on neighbouring rows read them
/// coalesced.
template <class Rows>
int thread_bits(const Stored<Rows>& a, int entries, int most) {
  int bits = 0;
  if (Rows::neighbours)
    while ((2 << bits) <= most && static_cast<std::int64_t>(a.rows) * (entries << bits) < a.nnz)
      ++bits;
  return bits;
}

template <class Tile, class Rows>
void launch_tile(cudaStream_t stream, const Stored<Rows>& a, const Operands& o, const Shape& shape,
                 int longest) {
  const int rows_per_block = tuned_threads / shape.threads_of_row();
  const std::int64_t blocks =
      (static_cast<std::int64_t>(a.rows) + rows_per_block - 1) / rows_per_block;
  tuned_product<Tile>
      <<<checked_blocks(blocks * shape.sweeps), dim3(shape.threads_of_row(), rows_per_block), 0,
         stream>>>(a, o, shape, longest);
}

/// Up to 6 neighbouring columns are one thread's, which shares long rows with others. Beyond,
/// threads lie side by side over the columns, two each, or four where rows are interleaved or
/// short. Where columns are apart, each is a stream of its own: up to 8 for a thread, rows side by
/// side.
template <class Rows>
void launch_tuned(cudaStream_t stream, const Stored<Rows>& a, const Operands& o, int longest) {
  const int narrow_bits = thread_bits(a, 4, 8);
  const bool side_by_side = o.k == 1 || (o.x_col == 1 && o.y_col == 1);
  const bool paired = side_by_side && in_pairs(o);
  if (!side_by_side) {
    const int sweeps = (o.k + 7) / 8;
    with_width<2, 3, 4, 5, 6, 7, 8>((o.k + sweeps - 1) / sweeps, [&](auto width) {
      launch_tile<Spaced<decltype(width)::value>>(stream, a, o, {narrow_bits, 1, sweeps}, longest);
    });
  } else if (o.k <= 6 && (o.k % 2 == 1 || paired)) {
    with_width<1, 2, 3, 4, 5, 6>(o.k, [&](auto width) {
      launch_tile<Adjacent<decltype(width)::value>>(stream, a, o, {narrow_bits, 1, 1}, longest);
    });
  } else {
    const bool fours = paired && o.k % 4 == 0 &&
                       (!Rows::neighbours || (o.k >= 24 && a.nnz < 24 * std::int64_t{a.rows}));
    const int columns = fours ? 4 : 2;
    const int wanted =
        std::max(1, (o.k + 32) / 64);  // more columns at once drive rows of X out of the caches
    const int column_threads = (o.k + columns * wanted - 1) / (columns * wanted);
    const int sweeps = (o.k + columns * column_threads - 1) / (columns * column_threads);
    const bool whole_warps = 32 % column_threads == 0;  // shuffles want them
    const Shape shape{whole_warps && column_threads <= 8 ? thread_bits(a, 6, 2) : 0, column_threads,
                      sweeps};
    if (fours) return launch_tile<Adjacent<4>>(stream, a, o, shape, longest);
    if (paired) return launch_tile<Adjacent<2>>(stream, a, o, shape, longest);
    launch_tile<Spaced<2>>(stream, a, o, shape, longest);
  }
}

/// kernel:tuned of a format.
template <class Rows>
void add_tuned(Registry& registry) {
  const auto set_up = [](const Kokkos::Cuda& exec, const Stored<Rows>& a) -> Launch<Rows> {
    return [long_rows = LongRows<Rows>::of(exec, a)](
               cudaStream_t stream, const Stored<Rows>& matrix, const Operands& o) {
      launch_tuned(stream, matrix, o, long_rows.longest);
      launch_add_chunks(stream, matrix, o, long_rows);
    };
  };
  add<Rows>(registry, {.kernel = "tuned",
                       .make = [set_up](const product::Case&) { return Multiply<Rows>{set_up}; }});
}

}  // namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN
