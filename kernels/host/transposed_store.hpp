// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/host/output.hpp>
#include <fatvec/kernels/host/pack_operands.hpp>

/// Column-major Y of CPU kernels that form rows. A row of Y would be a cache line per column: rows
/// go into a buffer that stays in cache, and are transposed from there into Y.
namespace fatvec::detail {

template <class T>
struct TransposedStore {
  static constexpr std::int64_t buffer_size = 32'768 / sizeof(T);
  static constexpr std::int64_t line = 64 / sizeof(T);

  /// Whether this is how to write Y.
  [[nodiscard]] static bool applies_to(const ScaledSum<T>& output, std::int64_t k) {
    return output.y.row_stride == 1 && output.y.column_stride != 1 && k > 1;
  }

  /// product(first row, last row, first column, columns, where it goes) until rows first ... last -
  /// 1 and all k columns are done, of Y's `rows`; products begin with multiples of `step` rows.
  template <class Product>
  KOKKOS_FUNCTION static void run(const ScaledSum<T>& output, std::int64_t rows, std::int64_t k,
                                  std::int64_t first, std::int64_t last, std::int64_t step,
                                  const Product& product) {
    using Transpose = HostPack<T, Columns::contiguous>;
    alignas(64) T buffer[buffer_size];
    const std::int64_t columns = Kokkos::min(k, buffer_size / (step > line ? step : line));
    const std::int64_t lines = step * line <= buffer_size / columns ? step * line : step;
    const std::int64_t at_once = buffer_size / columns / lines * lines;
    Transpose transpose =
        Transpose{{{buffer, columns, 1}, output.y, output.beta, rows, k}}.streaming();
    transpose.streams = transpose.streams && first % line == 0 && at_once % line == 0;
    for (; first < last; first += at_once) {
      transpose.rows = Kokkos::min(at_once, last - first);
      for (std::int64_t c = 0; c < k; c += columns) {
        transpose.columns = Kokkos::min(columns, k - c);
        transpose.to.data = &output.y(first, c);
        product(first, first + transpose.rows, c, transpose.columns,
                HostOutput<T, ScaledSum<T>>{{output.alpha, T{}, {buffer, columns, 1}}, first});
        for (std::int64_t n = 0; n < transpose.tiles(); ++n) transpose(n);
      }
    }
  }
};

}  // namespace fatvec::detail
