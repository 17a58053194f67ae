// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace fatvec::bench::raw {

/// One row of A: its entries.
struct Row {
  const std::int32_t* __restrict columns;
  const double* __restrict values;
  std::int64_t length;
};

/// alpha, beta and the distance of two rows (row layout) or two columns (column layout) of X and of Y.
struct Scaling {
  double alpha;
  double beta;
  std::ptrdiff_t x_stride;
  std::ptrdiff_t y_stride;
};

/// `width` columns of one row of Y, summed in registers. x points to X(0, c), y to Y(i, c) for the first column c of the tile.
/// One column is one plain sum: rows overlap out of order, and SIMD over a row would have to gather.
template <bool row_layout, int width>
struct Tile {
  void operator()(const Row& row, const Scaling& by, const double* __restrict x, double* __restrict y) const {
    double sum[width] = {};
    for (std::int64_t n = 0; n < row.length; ++n) {
      const double a = row.values[n];
      const double* __restrict const xj = x + row.columns[n] * (row_layout ? by.x_stride : 1);
      if constexpr (row_layout) {
#pragma omp simd
        for (int c = 0; c < width; ++c) sum[c] += a * xj[c];
      } else {
        for (int c = 0; c < width; ++c) sum[c] += a * xj[c * by.x_stride];  // SIMD over far-apart columns would only shuffle
      }
    }
    for (int c = 0; c < width; ++c) {
      double& target = y[row_layout ? c : c * by.y_stride];
      target = by.beta == 0 ? by.alpha * sum[c] : by.beta * target + by.alpha * sum[c];
    }
  }
};

/// Any number of columns: the widest tiles first, the rest in narrower ones. The entries of the row stay in the first-level
/// cache from tile to tile, so that A is read once whatever k.
template <bool row_layout, int width>
struct Tiles {
  std::int64_t k;
  void operator()(const Row& row, const Scaling& by, const double* __restrict x, double* __restrict y) const {
    const std::ptrdiff_t x_step = row_layout ? 1 : by.x_stride;
    const std::ptrdiff_t y_step = row_layout ? 1 : by.y_stride;
    std::int64_t c = 0;
    for (; c + width <= k; c += width) Tile<row_layout, width>{}(row, by, x + c * x_step, y + c * y_step);
    if constexpr (width > 1) {
      if (c < k) Tiles<row_layout, width / 2>{k - c}(row, by, x + c * x_step, y + c * y_step);
    }
  }
};

/// run(tile) with what multiplies a row of k columns: the usual numbers have code of their own, so that no row asks again how
/// wide it is. Of 32 columns one tile holds all in row layout; in column layout 32 streams would be too many.
template <bool row_layout, class Run>
void with_tile(std::int64_t k, const Run& run) {
  switch (k) {
    case 1:
      return run(Tile<row_layout, 1>{});
    case 2:
      return run(Tile<row_layout, 2>{});
    case 3:
      return run(Tile<row_layout, 3>{});
    case 4:
      return run(Tile<row_layout, 4>{});
    case 6:
      return run(Tile<row_layout, 6>{});
    case 8:
      return run(Tile<row_layout, 8>{});
    default:
      return run(Tiles < row_layout, row_layout ? 32 : 8 > {k});
  }
}

}  // namespace fatvec::bench::raw
