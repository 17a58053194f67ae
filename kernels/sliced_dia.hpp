// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string_view>

#include <fatvec/formats/sliced_dia.hpp>
#include <fatvec/kernels/host/diagonal_kernel.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// Sliced diagonals by the kernel that every format and backend shares: the threads of a slice read
/// the same first columns and masks, and neighbouring values and rows of X.
using SlicedDiaPortable = Portable<SlicedDiaMatrix>;

/// Sliced diagonals: on hosts few dense columns by registers of rows, otherwise the portable
/// kernel.
struct SlicedDiaRow {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = SlicedDiaMatrix<Scalar, Ordinal, Device, Offset>;
  using HostPolicy = host::Policy;
  using DevicePolicy = portable::TilePolicy;
  static constexpr auto label = detail::label_of<SlicedDiaMatrix>("-row");
  static constexpr std::string_view name = label.name();

  /// On hosts, where their vector registers can multiply it.
  template <class Scalar, class Value, class ExecSpace>
  static bool is_recommended(const ExecSpace&) {
    return !detail::is_host<ExecSpace> ||
           (specialised && detail::has_diagonal_kernel<Value, Scalar, std::int32_t>);
  }

  template <class, class>
  static bool stores_column_major(const DevicePolicy&, std::int64_t k) {
    return portable::stores_column_major(k);
  }

  template <class ExecSpace, class M, class T, detail::Columns columns, class Output>
  static void run(const ExecSpace& exec, const HostPolicy& policy, const M& a,
                  const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                  std::int64_t k) {
    if constexpr (specialised && columns == detail::Columns::contiguous)
      if (detail::multiply_diagonals(label.text, exec, policy, a, x, output, k)) return;
    portable::multiply_visited_rows<true>(label.text, exec, {}, a, x, output, k);
  }
  template <class ExecSpace, class M, class X, class Output>
  static void run(const ExecSpace& exec, const DevicePolicy& policy, const M& a, const X& x,
                  const Output& output, std::int64_t k) {
    portable::multiply_visited_rows<false>(label.text, exec, policy, a, x, output, k);
  }
};

/// The parts of this kernel have places of their own; it stands in for the portable one, too.
template <>
struct ReducingKernel<SlicedDiaRow> {
  using type = SlicedDiaRow;
};
template <>
struct ReducingKernel<Portable<SlicedDiaMatrix>> : ReducingKernel<SlicedDiaRow> {};

/// The kernel of SlicedDiaMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<SlicedDiaMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = SlicedDiaRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, SlicedDiaRow)
FATVEC_EXTERN(FATVEC_LAUNCH, SlicedDiaPortable)
FATVEC_EXTERN(FATVEC_LAUNCH_FUSED, SlicedDiaRow)
