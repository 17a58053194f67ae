// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/tiles.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/host/accumulator.hpp>
#include <fatvec/kernels/host/column_tiles.hpp>
#include <fatvec/kernels/host/output.hpp>
#include <fatvec/kernels/host/partition.hpp>
#include <fatvec/kernels/host/policy.hpp>

namespace fatvec::detail {

/// Windows of rows whose columns make tiles with bit masks (formats/bittcf.hpp): a work-item has
/// some windows, row by row, which find A in the first-level cache.
template <class Access, class T, class V, Columns layout>
struct HostWindowKernel {
  Access a;
  std::int64_t windows;
  std::int64_t parts;
  MultiVectorSpan<V, layout> x;
  HostEpilogue<T> epilogue;
  std::int64_t k;

  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    const std::int64_t last = windows * (part + 1) / parts;
    for (std::int64_t window = windows * part / parts; window < last; ++window)
      for (int place = 0; place < window_rows; ++place) {
        const std::int64_t row = a.permutation[window * window_rows + place];
        if (row < 0) continue;
        sweep_columns<layout, maskable_lanes<T, layout>>(
            k, [&](auto width, std::int64_t c) { multiply_row(width, window, place, row, c); });
      }
  }

 private:
  template <class Width_>
  KOKKOS_INLINE_FUNCTION void multiply_row(Width_ width, std::int64_t window, int place,
                                           std::int64_t row, std::int64_t c) const {
    auto sum = sums_of<T, layout>(width);
    a.for_each_entry(window, place, [&](std::int64_t at, auto column) FATVEC_INLINE_LAMBDA {
      sum.add_scaled(a.values[at], &x(column, c), x.step());
    });
    epilogue.store(row, c, sum);
  }
};

/// Launches the product of a matrix of windows on a host space; no allocation, no fence.
template <class ExecSpace, class Matrix, class T, class V, Columns columns>
void launch_host_windows(const char* label, const ExecSpace& exec, const host::Policy& policy,
                         const Matrix& matrix, const MultiVectorSpan<V, columns>& x,
                         const Epilogue<T>& epilogue, std::int64_t k) {
  const std::int64_t parts = parts_for(exec, policy, matrix.nnz(), k);
  using Kernel = HostWindowKernel<typename Matrix::Access, T, V, columns>;
  launch_parts(label, exec, parts,
               Kernel{matrix.tile_access(), matrix.windows(), parts, x, {epilogue}, k});
}

}  // namespace fatvec::detail
