// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/rows_of_x.hpp>
#include <fatvec/kernels/shared/tile.hpp>

/// Formats whose rows are summed in ways of their own, on every backend: BSR (block_row_kernel.hpp)
/// and those whose entries are behind bit masks.
namespace fatvec::portable {

/// `width` columns of X, or of sums.
template <class T, detail::Columns columns, int width>
using TileOf =
    detail::Tile<T, width,
                 columns == detail::Columns::contiguous ? detail::vector_width<T>(width) : 1>;

/// An output from some column on.
template <class Output>
struct OutputFrom {
  Output output;
  int first_column;

  template <class T, int width, int n>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::int64_t row, int c,
                                         const detail::Tile<T, width, n>& sums) const {
    alignas(16) T of_row[width];
    sums.copy_to(of_row);
    output.store(row, first_column + c, of_row);
  }
};

/// A row times a tile of columns of X, as in row_kernel.hpp.
///
/// Rows  count(); mean_length; of_blocks, whether they are BSR's; multiply<host, width>(i, c, last,
///       x, to), which gives columns c ... last - 1 of row i to `to`
template <bool host, class Rows, class T, class Output, detail::Columns columns, int width>
struct WholeRowKernel {
  static constexpr int resident_blocks = 8;
  static constexpr int rows_of_block = 32;  ///< on hosts

  Rows a;
  detail::MultiVectorSpan<const T, columns> x;
  OutputFrom<Output> to;
  int k;
  Items items;

  KOKKOS_FUNCTION void operator()(int item) const {
    if constexpr (host) {
      const WholeRowKernel local = *this;
      const std::int64_t first = std::int64_t{item} * rows_of_block;
      const std::int64_t last = Kokkos::min(first + rows_of_block, a.count());
      for (std::int64_t i = first; i < last; ++i)
        local.a.template multiply<host, width>(i, 0, k, local.x, local.to);
    } else {
      const auto [i, tile] = items.template at<columns == detail::Columns::contiguous>(item);
      a.template multiply<host, width>(i, tile * width, Kokkos::min(k, tile * width + width), x,
                                       to);
    }
  }
};

/// Multiplies such rows by X, and gives the sums to `output`.
template <bool host, class ExecSpace, class Rows, class T, detail::Columns columns, class Output>
void multiply_whole_rows(const char* label, const ExecSpace& exec, const Choice& asked,
                         const Rows& rows, const detail::MultiVectorSpan<const T, columns>& x,
                         const Output& output, std::int64_t k) {
  detail::require_near_rows(label, x);
  const std::int64_t at_once = columns_at_once(host, sizeof(T), k);
  for (std::int64_t c = 0; c < k; c += at_once) {
    const auto from = x.from_column(c);
    const auto share = static_cast<int>(std::min(at_once, k - c));
    const Choice choice = chosen(asked, {.host = host,
                                         .strided = columns == detail::Columns::strided,
                                         .contiguous_rows = false,
                                         .rows = rows.count(),
                                         .mean_length = rows.mean_length,
                                         .k = share,
                                         .blocks = Rows::of_blocks});
    const auto launch = [&]<int width>(detail::Width<width>) {
      const WholeRowKernel<host, Rows, T, Output, columns, width> kernel{
          .a = rows,
          .x = from,
          .to = {output, static_cast<int>(c)},
          .k = share,
          .items = {.tiles = (share + width - 1) / width}};
      if constexpr (host) {
        const HostBlocks blocks(rows.count(), kernel.rows_of_block, rows.mean_length, share);
        if (detail::is_synchronous<ExecSpace> && blocks.are_little_work())
          for (int block = 0; block < blocks.count; ++block) kernel(block);
        else
          Kokkos::parallel_for(label, blocks.policy(exec), kernel);
      } else {
        launch_items(label, exec, kernel);
      }
    };
    detail::with_width(tiles<host, columns, Rows>(), tile_width<host>(choice.width, from, share),
                       launch);
  }
}

/// The rows of a format that visits their entries: for_each_entry<slots in flight>(i, visit(value,
/// column)).
template <class Access>
struct VisitedRows {
  static constexpr bool of_blocks = false;
  Access access;
  std::int64_t rows;
  double mean_length;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return rows; }
  template <bool host, int w, class T, detail::Columns columns, class To>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t i, int c, int last,
                                            const detail::MultiVectorSpan<const T, columns>& x,
                                            const To& to) const {
    using Tile = TileOf<T, columns, w>;
    for (; c + w <= last; c += w) {
      const detail::RowsOfX<T> rows_of_x(x, c);
      Tile sums;
      access.template for_each_entry<host ? 1 : 4>(i, [&](const auto& value, auto column) {
        sums.add_product(value, Tile(rows_of_x[column], x.step()));
      });
      if (const std::int64_t row = access.row(i); row >= 0) to.store(row, c, sums);
    }
    if constexpr (w > 1)
      if (c < last) multiply<host, w / 2>(i, c, last, x, to);
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
