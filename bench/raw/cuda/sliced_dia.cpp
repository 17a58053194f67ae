// SPDX-License-Identifier: Apache-2.0
#include <fatvec/formats/sliced_dia.hpp>

#include "raw/cuda/tiles.hpp"

/// Contender `raw-cuda`, format sliced-dia:
///   kernel:tiles   a thread for a row and a tile of columns: the threads of a slice read the same
///                  slots, and neighbouring values and rows of X
namespace fatvec::bench {
namespace raw::cuda::inline FATVEC_BENCH_IN {
namespace {

struct DiagonalRows {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Format = SlicedDiaMatrix<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* name = "sliced-dia";
  static constexpr int slice_size = 32;  ///< on devices
  static constexpr int threads = 128;    ///< of a block

  const int* offsets;
  const int* rest_offsets;
  const detail::SlicedDiagonal<int>* slots;

  template <class Matrix>
  static DiagonalRows of(const Matrix& matrix) {
    return {matrix.slot_offsets.data(), matrix.rest_offsets.data(), matrix.diagonals.data()};
  }
};

using StoredDiagonals = Stored<DiagonalRows>;

template <class Tile>
__global__ void __launch_bounds__(DiagonalRows::threads)
    multiply_diagonals(const StoredDiagonals a, const Operands o) {
  const unsigned row = blockIdx.x * blockDim.y + threadIdx.y;
  const Tile tile(o, blockIdx.y, threadIdx.x, blockDim.x);
  constexpr int slice_size = DiagonalRows::slice_size;
  if (row >= a.rows || tile.idle()) return;
  const unsigned slice = row / slice_size;
  const unsigned place = row % slice_size;
  const int end = a.row.offsets[slice + 1];
  const int rest = a.row.rest_offsets[slice];
  const int first_rest = end - (a.row.rest_offsets[slice + 1] - rest);
  const Scalar* const values = a.values + place;
  const int* const columns =
      a.columns + (static_cast<std::int64_t>(rest) - first_rest) * slice_size + place;

  Scalar sum[Tile::width] = {};
  const auto add = [&](std::int64_t n, int column) {
    const Scalar value = __ldg(values + n * slice_size);
    Scalar x[Tile::width];
    tile.load(column, x);
#pragma unroll
    for (int w = 0; w < Tile::width; ++w) sum[w] += value * x[w];
  };
  int n = a.row.offsets[slice];
#pragma unroll 4
  for (; n < first_rest; ++n) {
    const detail::SlicedDiagonal<int> slot = a.row.slots[n];
    if (slot.mask >> place & 1) add(n, slot.first_column + static_cast<int>(place));
  }
#pragma unroll 4
  for (; n < end; ++n)
    if (a.row.slots[n].mask >> place & 1)
      add(n, __ldg(columns + static_cast<std::int64_t>(n) * slice_size));
  tile.store(o, static_cast<int>(row), sum);
}

/// `lanes` threads side by side over the columns of a row, which they share with other sweeps where
/// there are more.
template <class Tile>
void launch_lanes(cudaStream_t stream, const StoredDiagonals& a, const Operands& o, int lanes) {
  const int rows = DiagonalRows::threads / lanes;
  const int sweeps = (o.k + Tile::width * lanes - 1) / (Tile::width * lanes);
  multiply_diagonals<Tile>
      <<<dim3(blocks_for(a.rows, rows), sweeps), dim3(lanes, rows), 0, stream>>>(a, o);
}

/// Neighbouring columns lie side by side over the threads, two or four each; of columns that are
/// apart a thread has up to four, and rows lie side by side.
void launch_diagonals(cudaStream_t stream, const StoredDiagonals& a, const Operands& o) {
  const auto lanes = [&](int width) { return std::min((o.k + width - 1) / width, 32); };
  if (o.k == 1) return launch_lanes<Adjacent<1>>(stream, a, o, 1);
  if (o.x_col != 1 || o.y_col != 1)
    return with_width<2, 3, 4>(
        o.k, [&](auto width) { launch_lanes<Spaced<decltype(width)::value>>(stream, a, o, 1); });
  if (!in_pairs(o)) return launch_lanes<Spaced<2>>(stream, a, o, lanes(2));
  if (o.k % 4 == 0) return launch_lanes<Adjacent<4>>(stream, a, o, lanes(4));
  launch_lanes<Adjacent<2>>(stream, a, o, lanes(2));
}

}  // namespace
}  // namespace raw::cuda::inline FATVEC_BENCH_IN

inline namespace FATVEC_BENCH_IN {

void add_raw_cuda_sliced_dia(Registry& registry) {
  using namespace raw::cuda;
  add<DiagonalRows>(registry, {.kernel = "tiles", .make = [](const product::Case&) {
                                 return as_is<DiagonalRows>(launch_diagonals);
                               }});
}

}  // namespace FATVEC_BENCH_IN
}  // namespace fatvec::bench
