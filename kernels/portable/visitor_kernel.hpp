// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/rows_of_x.hpp>
#include <fatvec/kernels/shared/tile.hpp>

/// Formats whose entries are behind bit masks, row by row, on every backend.
namespace fatvec::portable {

/// A row times a tile of columns of X, as in row_kernel.hpp.
///
/// Access  for_each_entry<slots in flight>(i, visit(value, column)); row(i), the row of A that it
/// is, or -1
template <bool host, class Access, class T, class Output, detail::Columns columns, int width>
struct VisitorKernel {
  static constexpr bool contiguous = columns == detail::Columns::contiguous;
  static constexpr int columns_of_tile = width;
  static constexpr int resident_blocks = 8;
  static constexpr int rows_of_block = 32;              ///< on hosts
  static constexpr int slots_in_flight = host ? 1 : 4;  ///< that are read together
  template <int w>
  using Tile = detail::Tile<T, w, contiguous ? detail::vector_width<T>(w) : 1>;

  /// Of A, as many as the format visits.
  struct Rows {
    Access access;
    std::int64_t rows;
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return rows; }
  };
  Rows a;
  detail::MultiVectorSpan<const T, columns> x;
  Output output;
  int k;
  int first_column;
  Items items;

  KOKKOS_FUNCTION void operator()(int item) const {
    if constexpr (host) {
      const VisitorKernel local = *this;
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
  /// Columns c ... last - 1 of row i.
  template <int w>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(std::int64_t i, int c, int last) const {
    for (; c + w <= last; c += w) {
      const detail::RowsOfX<T> rows_of_x(x, c);
      Tile<w> sums;
      a.access.template for_each_entry<slots_in_flight>(i, [&](const auto& value, auto column) {
        sums.add_product(value, Tile<w>(rows_of_x[column], x.step()));
      });
      alignas(16) T of_row[w];
      sums.copy_to(of_row);
      if (const std::int64_t row = a.access.row(i); row >= 0)
        output.store(row, first_column + c, of_row);
    }
    if constexpr (w > 1)
      if (c < last) multiply<w / 2>(i, c, last);
  }
};

/// Multiplies A by X, and gives the sums to `output`.
template <bool host, class ExecSpace, class Matrix, class T, detail::Columns columns, class Output>
void multiply_visited_rows(const char* label, const ExecSpace& exec, const Choice& asked,
                           const Matrix& a, const detail::MultiVectorSpan<const T, columns>& x,
                           const Output& output, std::int64_t k) {
  using Access = typename Matrix::Access;
  detail::require_near_rows(label, x);
  const double mean_length = static_cast<double>(a.nnz()) / static_cast<double>(a.rows());
  for_sweeps<host>(exec, x, output, k, [&](const auto& from, const Share& share) {
    const Choice choice = chosen(asked, {.host = host,
                                         .strided = columns == detail::Columns::strided,
                                         .contiguous_rows = false,
                                         .rows = a.visited_rows(),
                                         .mean_length = mean_length,
                                         .k = share.columns});
    const int wanted = tile_width<host>(choice.width, from, share.columns);
    detail::with_width(
        tiles<host, columns, Access, Output>(), wanted, [&]<int width>(detail::Width<width>) {
          launch_whole_rows<host>(label, exec, mean_length,
                                  VisitorKernel<host, Access, T, Output, columns, width>{
                                      .a = {a.row_visitor(), a.visited_rows()},
                                      .x = from,
                                      .output = output,
                                      .k = share.columns,
                                      .first_column = share.first_column,
                                      .items = {.tiles = (share.columns + width - 1) / width}});
        });
  });
}

/// The kernel that every backend shares, of formats whose rows are visited.
template <template <class...> class Format>
struct VisitorPortable {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = Format<Scalar, Ordinal, Device, Offset>;
  using HostPolicy = HostTilePolicy;
  using DevicePolicy = TilePolicy;
  static constexpr auto label = detail::label_of<Format>("-portable");
  static constexpr std::string_view name = label.name();
  static constexpr bool portable = true;

  template <class Scalar, class ExecSpace>
  static bool is_recommended(const ExecSpace&) {
    return false;
  }

  template <class ExecSpace, class Policy, class M, class X, class Output>
  static void run(const ExecSpace& exec, const Policy& asked, const M& a, const X& x,
                  const Output& output, std::int64_t k) {
    constexpr bool host = std::is_same_v<Policy, HostPolicy>;
    multiply_visited_rows<host>(label.text, exec, asked, a, x, output, k);
  }
};

}  // namespace fatvec::portable
