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

  template <class ExecSpace, class M, class T>
  static void run(const ExecSpace& exec, const HostPolicy& policy, const M& matrix,
                  const Operand<const T>& x, const Epilogue<T>& epilogue, std::int64_t k) {
    if constexpr (specialised)
      with_columns(x, k, [&](const auto& columns) {
        launch_host_rows(Kernel::label, exec, policy, matrix, columns, epilogue, k);
      });
    else
      portable::multiply<true>(Kernel::label, exec, {}, RowEntries<M>(matrix), x, epilogue, k);
  }
  /// Devices: the portable kernel, and segments of the rows that are far longer than the mean.
  template <class ExecSpace, class M, class T>
  static void run(const ExecSpace& exec, const DevicePolicy& policy, const M& matrix,
                  const Operand<const T>& x, const Epilogue<T>& epilogue, std::int64_t k) {
    const RowEntries<M> rows(matrix);
    portable::multiply<false>(Kernel::label, exec, policy, without_segments(rows, matrix.segments),
                              x, epilogue, k);
    multiply_segments(Kernel::label, exec, rows, matrix.segments, x, epilogue, k);
  }
};

}  // namespace fatvec::detail
