// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/rows_of_x.hpp>
#include <fatvec/kernels/shared/tile.hpp>

/// Formats whose rows are summed in ways of their own, on every backend: BSR (block_row_kernel.hpp)
/// and those whose entries are behind bit masks.
namespace fatvec::portable {

/// A row times a tile of columns of X, as in row_kernel.hpp.
///
/// Rows, besides count() and mean_length, have:
///   of_blocks      whether they are BSR's
///   of_masks       whether they are those of sliced diagonals; or absent
///   mean_parts     what of a row threads may share, such as blocks
///   matrix_row(i)  the row of A that row i is, or -1
///   operator()(i)  where row i is
///   add_up<host>(row, tile of X, lane, lanes)  the sums of every lanes-th part of the row
template <class ExecSpace, bool host, class Rows, class T, class Output, detail::Columns columns,
          int width>
struct WholeRowKernel {
  static constexpr bool contiguous = columns == detail::Columns::contiguous;
  static constexpr bool shares_rows = !host && Rows::of_blocks && detail::has_shuffles<ExecSpace>;
  static constexpr int columns_of_tile = width;
  static constexpr int resident_blocks = 8;
  static constexpr int rows_of_block = 32;  ///< on hosts
  template <int w>
  using Tile = detail::Tile<T, w, contiguous ? detail::vector_width<T>(w) : 1>;

  Rows a;
  detail::MultiVectorSpan<const T, columns> x;
  Output output;
  int k;
  int first_column;
  Items items;
  int lane_bits = 0;  ///< log2 of the threads that share a row

  KOKKOS_FUNCTION void operator()(int item) const {
    if constexpr (host) {
      const WholeRowKernel local = *this;
      const std::int64_t first = std::int64_t{item} * rows_of_block;
      const std::int64_t last = Kokkos::min(first + rows_of_block, a.count());
      for (std::int64_t i = first; i < last; ++i) {
        const auto row = local.a(i);
        local.template multiply<width>(row, 0, k, local.a.matrix_row(i));
      }
    } else {
      const auto [i, tile] = items.template at<contiguous>(shares_rows ? item >> lane_bits : item);
      multiply_tile(i, tile, item, shares_rows && !items.have(i));
    }
  }

  /// Devices: a tile of row i, or the part of it that is the thread's, as in row_kernel.hpp.
  KOKKOS_FORCEINLINE_FUNCTION void multiply_tile(std::int64_t i, int tile, int thread,
                                                 bool idle) const {
    if (idle && !shares_rows) return;
    const int lane = shares_rows ? thread & (lanes() - 1) : 0;
    auto row = a(idle ? 0 : i);
    if constexpr (shares_rows)
      if (idle) row.end = row.first;
    const std::int64_t to = !idle && lane == 0 ? a.matrix_row(i) : -1;
    const int c = tile * width;
    if constexpr (contiguous) {
      const int first = detail::first_of_tile<width>(c, k);
      const detail::TilesOfX<T, Tile<width>> tiles(x, first);
      finish<width>(to, c, first, a.template add_up<host>(row, tiles, lane, lanes()));
    } else {
      multiply<width>(row, c, Kokkos::min(k, c + width), to, lane);
    }
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int lanes() const {
    return shares_rows ? 1 << lane_bits : 1;
  }

  /// Columns c ... last - 1 of a row, for row `to` of Y; -1: for none.
  template <int w, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Row& row, int c, int last, std::int64_t to,
                                            int lane = 0) const {
    for (; c + w <= last; c += w) {
      const detail::TilesOfX<T, Tile<w>> tiles(x, c);
      finish<w>(to, c, c, a.template add_up<host>(row, tiles, lane, lanes()));
    }
    if constexpr (w > 1)
      if (c < last) multiply<w / 2>(row, c, last, to, lane);
  }

  template <int w, class Sums>
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int64_t to, int c, int first,
                                          const Sums& sums) const {
    alignas(16) T of_row[w];
    sums.copy_to(of_row);
    if constexpr (shares_rows)
      for (int offset = lanes() / 2; offset > 0; offset /= 2)
        for (int e = 0; e < w; ++e) of_row[e] = detail::warp_add_xor(of_row[e], offset);
    if (to >= 0) detail::store_from(output, to, c, first, first_column, of_row);
  }
};

/// Multiplies such rows by X, and gives the sums to `output`.
template <bool host, class ExecSpace, class Rows, class T, detail::Columns columns, class Output>
void multiply_whole_rows(const char* label, const ExecSpace& exec, const Choice& asked,
                         const Rows& rows, const detail::MultiVectorSpan<const T, columns>& x,
                         const Output& output, std::int64_t k) {
  detail::require_near_rows(label, x);
  const std::int64_t at_once = columns_at_once<host, T, Output>(k);
  for (std::int64_t c = 0; c < k; c += at_once) {
    const auto from = x.from_column(c);
    const auto share = static_cast<int>(std::min(at_once, k - c));
    detail::begin_sums(output, c, share);
    const Choice choice = chosen(asked, {.host = host,
                                         .strided = columns == detail::Columns::strided,
                                         .contiguous_rows = false,
                                         .rows = rows.count(),
                                         .mean_length = rows.mean_parts,
                                         .k = share,
                                         .blocks = Rows::of_blocks});
    const auto launch = [&]<int width>(detail::Width<width>) {
      using Kernel = WholeRowKernel<ExecSpace, host, Rows, T, Output, columns, width>;
      Kernel kernel{.a = rows,
                    .x = from,
                    .output = output,
                    .k = share,
                    .first_column = static_cast<int>(c),
                    .items = {.tiles = (share + width - 1) / width}};
      if constexpr (host) {
        launch_blocks(label, exec, rows.mean_length, kernel);
      } else {
        const int lanes = Kernel::shares_rows ? fitted_threads<Output, columns>(
                                                    choice.threads_per_row, kernel.items.tiles)
                                              : 1;
        kernel.lane_bits = std::countr_zero(static_cast<unsigned>(lanes));
        launch_items(label, exec, kernel, lanes);
      }
    };
    detail::with_width(tiles<host, columns, Rows, Output>(),
                       tile_width<host>(choice.width, from, share), launch);
    detail::join_sums(exec, output);
  }
}

/// The rows of a format that visits their entries: for_each_entry<slots in flight>(i, visit(value,
/// column)).
template <class Access>
struct VisitedRows {
  static constexpr bool of_blocks = false;
  static constexpr bool of_masks = requires { requires Access::of_masks; };
  static constexpr double mean_parts = 1;
  Access access;
  std::int64_t rows;
  double mean_length;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return rows; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t matrix_row(std::int64_t i) const {
    return access.row(i);
  }
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return i; }
  template <bool host, class Tiles>
  KOKKOS_FORCEINLINE_FUNCTION typename Tiles::Tile add_up(std::int64_t i, const Tiles& tiles, int,
                                                          int) const {
    typename Tiles::Tile sums;
    Tiles of_x = tiles;
    of_x.rows.keep_in_registers();
    const auto add = [&](const auto& value, auto column) { sums.add_product(value, of_x[column]); };
    // With sums as small as one column of doubles it pays more to have many threads.
    constexpr bool loads_ahead = !host && sizeof sums > sizeof(double);
    if constexpr (of_masks)
      access.template for_each_entry<host ? 1 : 4, loads_ahead>(i, add);
    else
      access.template for_each_entry<host ? 1 : 4>(i, add);
    return sums;
  }
};

/// Multiplies A, of a format whose entries are visited, by X.
template <bool host, class ExecSpace, class Matrix, class X, class Output>
void multiply_visited_rows(const char* label, const ExecSpace& exec, const Choice& asked,
                           const Matrix& a, const X& x, const Output& output, std::int64_t k) {
  const double mean_length = static_cast<double>(a.nnz()) / static_cast<double>(a.rows());
  const VisitedRows<typename Matrix::Access> rows{a.row_visitor(), a.visited_rows(), mean_length};
  multiply_whole_rows<host>(label, exec, asked, rows, x, output, k);
}

}  // namespace fatvec::portable
