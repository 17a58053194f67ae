// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/instantiate.hpp>
#include <fatvec/formats/bittcf.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/device/window_kernel.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// BitTCF, a window of 8 rows per warp: NVIDIA's tensor cores of compute capability 8.0, 9.0 and
/// 10.0 multiply doubles, in full precision. Other scalars, other GPUs and CPUs take the portable
/// kernel, which is right, and slower than CSR.
struct BitTcfWindow {
  static constexpr std::string_view name = "bittcf-window";
  static constexpr const char* label = "fatvec::bittcf-window";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = BitTcfMatrix<Scalar, Ordinal, Device, Offset>;
  using HostPolicy = portable::HostTilePolicy;
  using DevicePolicy = device::WindowPolicy;

  template <class Scalar, class ExecSpace>
  static bool is_recommended(const ExecSpace& exec) {
    return detail::has_tensor_tiles<Scalar>(exec);
  }

  template <class Scalar, class ExecSpace>
  static bool heeds_policy(const ExecSpace& exec) {
    return detail::is_host<ExecSpace> || is_recommended<Scalar>(exec);
  }

  /// GPUs whose tensor cores do not multiply doubles are not told apart: plans do not think of
  /// BitTCF there.
  template <class, class T>
  static bool stores_column_major(const DevicePolicy&, std::int64_t k) {
    return std::is_same_v<T, double> || portable::stores_column_major(k);
  }

  template <class ExecSpace, class M, class X, class Output>
  static void run(const ExecSpace& exec, const HostPolicy& policy, const M& a, const X& x,
                  const Output& output, std::int64_t k) {
    portable::multiply_visited_rows<true>(label, exec, policy, a, x, output, k);
  }
  template <class ExecSpace, class M, class T, detail::Columns columns, class Output>
  static void run(const ExecSpace& exec, const DevicePolicy& policy, const M& a,
                  const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                  std::int64_t k) {
    if constexpr (specialised && detail::may_have_tensor_tiles<ExecSpace, T>)
      if (detail::has_tensor_tiles<T>(exec))
        return detail::launch_tensor_windows(label, exec, policy.column_tiles, a, x, output, k);
    portable::multiply_visited_rows<false>(label, exec, {}, a, x, output, k);
  }
};

/// BitTCF, row by row, by the kernel that every format and backend shares.
using BitTcfPortable = Portable<BitTcfMatrix>;

/// Sums over rows are formed by the portable kernel.
template <>
struct ReducingKernel<Portable<BitTcfMatrix>> {
  using type = Portable<BitTcfMatrix>;
};
template <>
struct ReducingKernel<BitTcfWindow> : ReducingKernel<Portable<BitTcfMatrix>> {};

/// The kernel of BitTcfMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<BitTcfMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = BitTcfWindow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, BitTcfWindow)
FATVEC_EXTERN(FATVEC_LAUNCH, BitTcfPortable)
FATVEC_EXTERN(FATVEC_LAUNCH_FUSED, BitTcfPortable)
