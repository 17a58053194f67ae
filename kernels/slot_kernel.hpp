// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <fatvec/core/instantiate.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/device/policy.hpp>
#include <fatvec/kernels/device/segments.hpp>
#include <fatvec/kernels/host/row_kernel.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/entries.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec::detail {

/// What the kernels of formats share whose rows are walked slot by slot; Kernel adds its name and
/// the label of its launches.
template <class Kernel, template <class...> class Format,
          class OnDevices = portable::WholeRowPolicy>
struct SlotKernel {  // NOLINT(bugprone-crtp-constructor-accessibility)
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = Format<Scalar, Ordinal, Device, Offset>;
  using HostPolicy = host::Policy;
  using DevicePolicy = OnDevices;

  template <class M>
  static bool stores_column_major(const HostPolicy&, std::int64_t) {
    return in_matrix_order<typename M::Rows>;
  }
  template <class M>
  static bool stores_column_major(const DevicePolicy&, std::int64_t k) {
    return in_matrix_order<typename M::Rows> && device::stores_column_major(k);
  }

  template <class ExecSpace, class M, class T, Columns columns>
  static void run(const ExecSpace& exec, const HostPolicy& policy, const M& matrix,
                  const MultiVectorSpan<const T, columns>& x, const Epilogue<T>& epilogue,
                  std::int64_t k) {
    if constexpr (specialised) {
      const std::int64_t parts = parts_for(exec, policy, matrix.stored_entries(), k);
      using HostKernel = HostRowKernel<T, M, columns>;
      HostKernel kernel{.rows = matrix.access,
                        .entries = matrix.entries,
                        .values = matrix.values,
                        .cols = matrix.cols(),
                        .x = x,
                        .epilogue = HostEpilogue<T>::of(epilogue, matrix.rows(), k),
                        .sweep = {.partition = {matrix.rows(), parts}, .k = k}};
      if (HostKernel::can_transpose_y) kernel.sweep.store_transposed(epilogue);
      launch_parts(Kernel::label, exec, parts, kernel);
    } else {
      portable::multiply<true>(Kernel::label, exec, {}, RowEntries<M>(matrix), x, epilogue, k);
    }
  }
  /// Devices: the portable kernel, and segments of the rows that are far longer than the mean.
  template <class ExecSpace, class M, class X, class T>
  static void run(const ExecSpace& exec, const DevicePolicy& policy, const M& matrix, const X& x,
                  const Epilogue<T>& epilogue, std::int64_t k) {
    const RowEntries<M> rows(matrix);
    portable::multiply<false>(Kernel::label, exec, policy, without_segments(rows, matrix.segments),
                              x, epilogue, k);
    multiply_segments(Kernel::label, exec, rows, matrix.segments, x, epilogue, k);
  }
};

}  // namespace fatvec::detail
