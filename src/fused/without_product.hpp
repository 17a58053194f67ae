// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/instantiate.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/shared/fused_output.hpp>

namespace fatvec::detail {

/// The rows of a product with alpha = 0, which reads neither A nor X: rows of zeros for an output,
/// in tiles of columns as of portable/row_kernel.hpp.
template <bool host, class T, int width>
struct RowsOfZeros {
  static constexpr bool contiguous = true;
  static constexpr int columns_of_tile = width;
  static constexpr int resident_blocks = 8;
  static constexpr int rows_of_block = 32;

  /// As many as Y has.
  struct Rows {
    std::int64_t rows;
    [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return rows; }
  };
  Rows a;
  FusedOutput<T> output;
  int k;
  int first_column;
  portable::Items items;

  KOKKOS_FUNCTION void operator()(int block) const {
    const std::int64_t first = std::int64_t{block} * rows_of_block;
    const std::int64_t last = Kokkos::min(first + rows_of_block, a.rows);
    for (std::int64_t i = first; i < last; ++i)
      for (int tile = 0; tile < items.tiles; ++tile) multiply_tile(i, tile, 0, false);
  }
  KOKKOS_FUNCTION void multiply_tile(std::int64_t i, int tile, int, bool idle) const {
    if (idle) return;
    int c = tile * width;
    if (c + width <= k) {
      const T zeros[width] = {};
      return output.store(i, first_column + c, zeros);
    }
    const T zero[1] = {};
    for (; c < k; ++c) output.store(i, first_column + c, zero);
  }
};

/// The output of a product with alpha = 0.
template <class ExecSpace, class T>
void store_zeros(const ExecSpace& exec, const FusedOutput<T>& output, std::int64_t rows,
                 std::int64_t k) {
  constexpr bool host = is_host<ExecSpace>;
  constexpr int width = 4;
  if (rows == 0) return;
  const std::int64_t at_once = portable::columns_at_once<host, T, FusedOutput<T>>(k);
  for (std::int64_t c = 0; c < k; c += at_once) {
    const auto share = static_cast<int>(std::min(at_once, k - c));
    const RowsOfZeros<host, T, width> zeros{.a = {rows},
                                            .output = output,
                                            .k = share,
                                            .first_column = static_cast<int>(c),
                                            .items = {.tiles = (share + width - 1) / width}};
    begin_sums(output, c, share);
    if constexpr (host)
      portable::launch_blocks("fatvec::fused::scale", exec, 1, zeros);
    else
      portable::launch_items("fatvec::fused::scale", exec, zeros);
    join_sums(exec, output);
  }
}

}  // namespace fatvec::detail

#define FATVEC_STORE_ZEROS(how, Space, Scalar)   \
  how template void fatvec::detail::store_zeros( \
      const Space&, const fatvec::detail::FusedOutput<Scalar>&, std::int64_t, std::int64_t);
FATVEC_EXTERN_FOR_SCALARS(FATVEC_STORE_ZEROS)
