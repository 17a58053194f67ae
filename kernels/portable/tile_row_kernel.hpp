// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/detail/tiles.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/rows_of_x.hpp>
#include <fatvec/kernels/shared/tile.hpp>

/// BitTCF on every backend, row by row.
namespace fatvec::portable {

/// A row of a window of tiles with bit masks times a tile of columns of X, as in row_kernel.hpp.
template <bool host, class Access, class T, class Output, detail::Columns columns, int width>
struct TileRowKernel {
  static constexpr bool contiguous = columns == detail::Columns::contiguous;
  static constexpr int resident_blocks = 8;
  static constexpr int rows_of_block = 32;  ///< on hosts
  template <int w>
  using Tile = detail::Tile<T, w, contiguous ? detail::vector_width<T>(w) : 1>;

  /// Of A: its windows, and places of rows.
  struct Places {
    Access windows;
    std::int64_t places;  ///< for rows: 8 in each window
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return places; }
  };
  Places a;
  detail::MultiVectorSpan<const T, columns> x;
  Output output;
  int k;
  int first_column;
  Items items;

  KOKKOS_FUNCTION void operator()(int item) const {
    if constexpr (host) {
      const TileRowKernel local = *this;
      const std::int64_t first = std::int64_t{item} * rows_of_block;
      const std::int64_t last = Kokkos::min(first + rows_of_block, a.places);
      for (std::int64_t i = first; i < last; ++i) local.template multiply<width>(i, 0, k);
    } else {
      const auto [i, tile] = items.template at<contiguous>(item);
      multiply<width>(i, tile * width, Kokkos::min(k, tile * width + width));
    }
  }

 private:
  /// Columns c ... last - 1 of the row in place i.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t i, int c, int last) const {
    for (; c + w <= last; c += w) {
      const detail::RowsOfX<T> rows_of_x(x, c);
      Tile<w> sums;
      a.windows.for_each_entry(i / detail::window_rows, static_cast<int>(i % detail::window_rows),
                               [&](std::int64_t at, auto column) {
                                 sums.add_product(a.windows.values[at],
                                                  Tile<w>(rows_of_x[column], x.step()));
                               });
      alignas(16) T of_row[w];
      sums.copy_to(of_row);
      if (const std::int64_t row = a.windows.permutation[i]; row >= 0)
        output.store(row, first_column + c, of_row);
    }
    if constexpr (w > 1)
      if (c < last) multiply<w / 2>(i, c, last);
  }
};

/// Multiplies A by X, and gives the sums to `output`.
template <bool host, class ExecSpace, class Matrix, class T, detail::Columns columns, class Output>
void multiply_tile_rows(const char* label, const ExecSpace& exec, const Choice& asked,
                        const Matrix& a, const detail::MultiVectorSpan<const T, columns>& x,
                        const Output& output, std::int64_t k) {
  using Access = typename Matrix::Access;
  detail::require_near_rows(label, x);
  const double mean_length = static_cast<double>(a.nnz()) / static_cast<double>(a.rows());
  const std::int64_t places = a.windows() * detail::window_rows;
  for_sweeps<host>(x, k, [&](const auto& from, const Share& share) {
    const Choice choice = chosen(asked, {.host = host,
                                         .strided = columns == detail::Columns::strided,
                                         .contiguous_rows = false,
                                         .rows = places,
                                         .mean_length = mean_length,
                                         .k = share.columns});
    const int wanted = tile_width<host>(choice.width, from, share.columns);
    detail::with_width(
        tiles<host, columns, Access>(), wanted, [&]<int width>(detail::Width<width>) {
          launch_whole_rows<host>(label, exec, mean_length,
                                  TileRowKernel<host, Access, T, Output, columns, width>{
                                      .a = {a.tile_access(), places},
                                      .x = from,
                                      .output = output,
                                      .k = share.columns,
                                      .first_column = share.first_column,
                                      .items = {.tiles = (share.columns + width - 1) / width}});
        });
  });
}

}  // namespace fatvec::portable
