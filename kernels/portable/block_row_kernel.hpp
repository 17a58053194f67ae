// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/rows_of_x.hpp>
#include <fatvec/kernels/shared/tile.hpp>

/// BSR on every backend, row by row.
namespace fatvec::portable {

/// A row of the blocks of a block row times a tile of columns of X, as in row_kernel.hpp. Rows of a
/// block share their columns: no row of X behind the last is read. `size` of the blocks, or 0:
/// known at run time only.
template <bool host, class S, class T, class Output, detail::Columns columns, int width, int size>
struct BlockRowKernel {
  static constexpr bool contiguous = columns == detail::Columns::contiguous;
  static constexpr int columns_of_tile = width;
  static constexpr int resident_blocks = 8;
  static constexpr int rows_of_block = 32;  ///< on hosts
  template <int w>
  using Tile = detail::Tile<T, w, contiguous ? detail::vector_width<T>(w) : 1>;
  /// Columns of a block that are loaded before they are multiplied: of wide tiles of X few, for
  /// want of registers (docs/lab/0056).
  template <int w>
  static constexpr int batch = size > 0 && size <= 4 ? size
                               : w * sizeof(T) > 16  ? 2
                                                     : 4;

  /// Of A: block rows, and rows.
  struct BlockRows {
    typename S::Rows of_blocks;
    std::int64_t rows;
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return rows; }
  };
  BlockRows a;
  detail::BlockAccess block;
  const typename S::ordinal_type* block_columns;
  const typename S::value_type* values;
  typename S::ordinal_type x_rows;
  detail::MultiVectorSpan<const T, columns> x;
  Output output;
  int k;
  int first_column;
  Items items;

  KOKKOS_FUNCTION void operator()(int item) const {
    if constexpr (host) {
      const BlockRowKernel local = *this;
      const std::int64_t first = std::int64_t{item} * rows_of_block;
      const std::int64_t last = Kokkos::min(first + rows_of_block, a.rows);
      for (std::int64_t i = first; i < last; ++i) local.template multiply<width>(i, 0, k);
    } else {
      const auto [i, tile] = items.template at<contiguous>(item);
      multiply_tile(i, tile, item);
    }
  }

  /// Devices: a tile of row i.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_tile(std::int64_t i, int tile, int) const {
    multiply<width>(i, tile * width, Kokkos::min(k, tile * width + width));
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION int block_size() const { return size > 0 ? size : block.size; }

  /// Columns c ... last - 1 of row i.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t i, int c, int last) const {
    const std::int64_t block_row = i / block_size();
    const auto* const of_row = values + (i - block_row * block_size()) * block.row_step;
    const std::int64_t end = a.of_blocks.begin(block_row + 1);
    for (; c + w <= last; c += w) {
      const detail::RowsOfX<T> rows_of_x(x, c);
      Tile<w> sums[host ? 2 : 1];  // a CPU adds to two in turns: an addition need not wait
      for (std::int64_t n = a.of_blocks.begin(block_row); n < end; ++n) {
        const auto first = block_columns[n] * block_size();
        const auto* const of_block = of_row + n * block_size() * block_size();
        if constexpr (size > 0 && size <= 4)  // without a loop inside, that over blocks is unrolled
          add_columns<w>(of_block, first, size, rows_of_x, sums);
        else
          for (int b = 0; b < block_size(); b += batch<w>)
            add_columns<w>(of_block + b * block.column_step, first + b, block_size() - b, rows_of_x,
                           sums);
      }
      alignas(16) T of_sums[w];
      if constexpr (host) sums[0] += sums[1];
      sums[0].copy_to(of_sums);
      output.store(i, first_column + c, of_sums);
    }
    if constexpr (w > 1)
      if (c < last) multiply<w / 2>(i, c, last);
  }

  /// Up to `batch` columns of a block, of the `left` that it still has, times rows first, first +
  /// 1, ... of X.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void add_columns(const typename S::value_type* of_block,
                                               typename S::ordinal_type first, int left,
                                               const detail::RowsOfX<T>& rows_of_x,
                                               Tile<w> (&sums)[host ? 2 : 1]) const {
    typename S::value_type value[batch<w>] = {};
    Tile<w> of_x[batch<w>];
    for (int b = 0; b < batch<w>; ++b) {
      if (b >= left || b >= x_rows - first) continue;
      value[b] = of_block[b * block.column_step];
      of_x[b] = Tile<w>(rows_of_x[first + b], x.step());
    }
    for (int b = 0; b < batch<w>; ++b)
      if (b < left && b < x_rows - first) sums[host ? b % 2 : 0].add_product(value[b], of_x[b]);
  }
};

/// Multiplies A, of blocks of this size (0: any), by X, and gives the sums to `output`.
template <bool host, int size, class ExecSpace, class S, class T, detail::Columns columns,
          class Output>
void multiply_block_rows(const char* label, const ExecSpace& exec, const Choice& asked, const S& a,
                         const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                         std::int64_t k) {
  detail::require_near_rows(label, x);
  const double mean_length =
      static_cast<double>(a.slots * a.block.size) / static_cast<double>(a.count);
  for_sweeps<host>(exec, x, output, k, [&](const auto& from, const Share& share) {
    const Choice choice = chosen(asked, {.host = host,
                                         .strided = columns == detail::Columns::strided,
                                         .contiguous_rows = false,
                                         .rows = a.rows(),
                                         .mean_length = mean_length,
                                         .k = share.columns,
                                         .blocks = true});
    const int wanted = tile_width<host>(choice.width, from, share.columns);
    detail::with_width(
        tiles<host, columns, S, Output>(), wanted, [&]<int width>(detail::Width<width>) {
          launch_whole_rows<host>(label, exec, mean_length,
                                  BlockRowKernel<host, S, T, Output, columns, width, size>{
                                      .a = {a.access, a.rows()},
                                      .block = a.block,
                                      .block_columns = a.entries,
                                      .values = a.values,
                                      .x_rows = a.cols(),
                                      .x = from,
                                      .output = output,
                                      .k = share.columns,
                                      .first_column = share.first_column,
                                      .items = {.tiles = (share.columns + width - 1) / width}});
        });
  });
}

}  // namespace fatvec::portable
