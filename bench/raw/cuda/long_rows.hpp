// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "raw/cuda/common.hpp"

/// Rows far longer than the mean, which would keep a few threads busy when all others are done. The
/// tuned kernels take them for empty, which leaves beta · Y; then a warp per chunk of their entries
/// adds to that.
namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN {

struct Chunk {
  int row;
  int from;  ///< the first entry, counted within the row
  int to;    ///< behind the last
};

/// Lists the chunks of the rows longer than `longest`, as a scan over the rows; counts them only
/// where there is no list yet.
template <class Rows>
struct ListChunks {
  static constexpr int size = 128;  ///< entries: 4 for each lane of a warp where k = 1
  Rows rows;
  int longest;
  Kokkos::View<Chunk*, Kokkos::Cuda> list;

  KOKKOS_FUNCTION void operator()(int row, int& next, bool final) const {
    const int length = rows[row].length;
    if (length <= longest) return;
    const int chunks = (length - 1) / size + 1;
    if (final && list.data() != nullptr) {
      for (int n = 0; n < chunks; ++n) {
        const int from = n * size;
        list(next + n) = {row, from, length - from < size ? length : from + size};
      }
    }
    next += chunks;
  }
};

template <class Rows>
struct LongRows {
  int longest;  ///< row that is not long
  Kokkos::View<Chunk*, Kokkos::Cuda> chunks;

  static LongRows of(const Kokkos::Cuda& exec, const Stored<Rows>& a) {
    LongRows found;
    found.longest =
        a.rows == 0 ? 0 : static_cast<int>(std::clamp<std::int64_t>(4 * a.nnz / a.rows, 64, 4096));
    const Kokkos::RangePolicy<Kokkos::Cuda> all(exec, 0, a.rows);
    int count = 0;
    Kokkos::parallel_scan("fatvec::raw::count_chunks", all,
                          ListChunks<Rows>{a.row, found.longest, {}}, count);
    if (count == 0) return found;
    using List = Kokkos::View<Chunk*, Kokkos::Cuda>;
    found.chunks = detail::allocate<List>(exec, "fatvec::raw::chunks", count);
    Kokkos::parallel_scan("fatvec::raw::list_chunks", all,
                          ListChunks<Rows>{a.row, found.longest, found.chunks}, count);
    return found;
  }
};

/// A warp per chunk: `column_threads` of it (a power of two) lie side by side over the columns,
/// those of a column share the chunk's entries. Chunks of a row meet in Y, hence atomic.
template <class Rows>
__global__ void __launch_bounds__(256)
    add_chunks(const Stored<Rows> a, const Operands o, const Chunk* chunks, unsigned count,
               int column_threads) {
  const unsigned warp = blockIdx.x * blockDim.y + threadIdx.y;
  if (warp >= count) return;  // the whole warp
  const Chunk chunk = chunks[warp];
  const auto slots = a.row[chunk.row];
  const int thread = threadIdx.x;
  const int place = thread & (column_threads - 1);
  const int threads_per_row = warpSize / column_threads;
  for (int c = place; c - place < o.k; c += column_threads) {
    const Scalar* const x = o.x + o.x_at(0, min(c, o.k - 1));
    Scalar sum = 0;
#pragma unroll 4
    for (int j = chunk.from + thread / column_threads; j < chunk.to; j += threads_per_row) {
      const std::int64_t slot = slots.at(j);
      sum += __ldg(a.values + slot) * __ldg(x + o.x_at(__ldg(a.columns + slot), 0));
    }
    for (int offset = column_threads; offset < warpSize; offset *= 2)
      sum += __shfl_xor_sync(~0U, sum, offset);
    if (thread < column_threads && c < o.k)
      atomicAdd(o.y + o.y_at(a.target(chunk.row), c), o.alpha * sum);
  }
}

template <class Rows>
void launch_add_chunks(cudaStream_t stream, const Stored<Rows>& a, const Operands& o,
                       const LongRows<Rows>& long_rows) {
  const auto count = static_cast<unsigned>(long_rows.chunks.extent(0));
  if (count == 0) return;
  int column_threads = 1;
  while (column_threads < 32 && column_threads < o.k) column_threads *= 2;
  add_chunks<<<blocks_for(count, 8), dim3(32, 8), 0, stream>>>(a, o, long_rows.chunks.data(), count,
                                                               column_threads);
}

}  // namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN
