// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/instantiate.hpp>
#include <fatvec/formats/bittcf.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/device/policy.hpp>
#include <fatvec/kernels/device/window_kernel.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/shared/entries.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// BitTCF, a window of 8 rows per warp: NVIDIA's tensor cores of compute capability 8.0, 9.0 and
/// 10.0 multiply doubles, in full precision. Other scalars, other GPUs and CPUs take the portable
/// kernel, which is right, and slower than CSR.
struct BitTcfWindow {
  static constexpr const char* name = "bittcf-window";
  static constexpr const char* label = "fatvec::BitTcfWindow";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = BitTcfMatrix<Scalar, Ordinal, Device, Offset>;
  using HostPolicy = portable::HostPolicy;
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
  template <class M>
  static bool stores_column_major(const DevicePolicy&, std::int64_t k) {
    return std::is_same_v<typename M::value_type, double> || device::stores_column_major(k);
  }

  template <class ExecSpace, class M, class X, class T>
  static void run(const ExecSpace& exec, const HostPolicy& policy, const M& matrix, const X& x,
                  const detail::Epilogue<T>& epilogue, std::int64_t k) {
    const detail::TileEntries<M> rows(matrix);
    portable::multiply<true>(label, exec, policy, rows, x, epilogue, k);
  }
  template <class ExecSpace, class M, class X, class T>
  static void run(const ExecSpace& exec, const DevicePolicy& policy, const M& matrix, const X& x,
                  const detail::Epilogue<T>& epilogue, std::int64_t k) {
    if constexpr (specialised && detail::may_have_tensor_tiles<ExecSpace, T>)
      if (detail::has_tensor_tiles<T>(exec))
        return detail::launch_tensor_windows(label, exec, policy.column_tiles, matrix, x, epilogue,
                                             k);
    const detail::TileEntries<M> rows(matrix);
    portable::multiply<false>(label, exec, {}, rows, x, epilogue, k);
  }
};

/// BitTCF, row by row, by the kernel that every format and backend shares.
struct BitTcfPortable : detail::PortableKernel<BitTcfPortable, BitTcfMatrix> {
  static constexpr const char* name = "bittcf-portable";
  static constexpr const char* label = "fatvec::BitTcfPortable";

  template <class A>
  static auto entries(const A& a) {
    return detail::TileEntries<A>(a);
  }
};

/// The kernel of BitTcfMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<BitTcfMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = BitTcfWindow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, BitTcfWindow)
FATVEC_EXTERN(FATVEC_LAUNCH, BitTcfPortable)
