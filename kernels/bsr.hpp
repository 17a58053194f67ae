// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <fatvec/formats/bsr.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/kernels/device/staged_launch.hpp>
#include <fatvec/kernels/host/block_kernel.hpp>
#include <fatvec/kernels/portable/block_row_kernel.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>

namespace fatvec {

/// BSR: all rows of a block together, so that each row of X that the block row needs is read once
/// for all of them (register blocking; Im, Yelick and Vuduc, "Sparsity", 2004; the format of
/// Stec and Stpiczyński). Devices take the rows of a block one by one for few columns, where A is
/// the traffic and X is in the first-level cache, and for sizes that the compiler does not know;
/// otherwise blocks are staged in scratch memory. All of this for float and double.
struct BsrRow {
  static constexpr std::string_view name = "bsr-row";
  static constexpr const char* label = "fatvec::bsr-row";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = BsrMatrix<Scalar, Ordinal, Device, Offset>;
  using HostPolicy = host::Policy;
  using DevicePolicy = portable::TilePolicy;

  /// Blocks of a size that the compiler knows; 0: of any size.
  template <int size>
  struct OfSize {
    template <class Scalar, class Ordinal, class Device, class Offset>
    using Matrix = BsrMatrix<Scalar, Ordinal, Device, Offset>;
    using HostPolicy = host::Policy;
    using DevicePolicy = portable::TilePolicy;

    template <class ExecSpace, class S, class X, class Output>
    static void run(const ExecSpace& exec, const HostPolicy& policy, const S& a, const X& x,
                    const Output& output, std::int64_t k) {
      detail::launch_host_blocks<size>(label, exec, policy, a, x, output, k);
    }
    template <class ExecSpace, class S, class T, detail::Columns columns, class Output>
    static void run(const ExecSpace& exec, const DevicePolicy& policy, const S& a,
                    const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                    std::int64_t k) {
      if constexpr (size > 1)
        if (policy.form == portable::Form::automatic && detail::stages_blocks(columns, k))
          return detail::launch_staged_blocks<size>(label, exec, a, x, output, k);
      portable::multiply_block_rows<false, size>(label, exec, policy, a, x, output, k);
    }
  };

  template <class Scalar, class ExecSpace>
  static bool heeds_policy(const ExecSpace&) {
    return (specialised && std::is_floating_point_v<Scalar>) || !detail::is_host<ExecSpace>;
  }

  template <class, class T, class Policy>
  static bool stores_column_major(const Policy&, std::int64_t k) {
    return std::is_same_v<Policy, HostPolicy> ? std::is_floating_point_v<T>
                                              : portable::stores_column_major(k);
  }

  template <class ExecSpace, class Policy, class S, class X, class Output>
  static void run(const ExecSpace& exec, const Policy& policy, const S& a, const X& x,
                  const Output& output, std::int64_t k) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(x.data)>>;
    constexpr bool host = std::is_same_v<Policy, HostPolicy>;
    // What is compiled for CSR and for each size of block takes X of either kind of columns.
    const detail::Operand<const T> any_x{x.data, x.row_stride, x.column_stride};
    if (a.block.size == 1)  // is CSR
      return detail::launch<CsrRow>(exec, as_policy_of_rows(policy), a, any_x, output, k);
    // Complex numbers, integers, half precision: by the portable kernel.
    // On devices staged blocks form no sums over rows.
    constexpr bool known_sizes = specialised && (host || !detail::Reducing<Output>);
    if constexpr (known_sizes && std::is_floating_point_v<T>)
      run_blocks<2, 3, 4, 5, 6, 8>(exec, policy, a, any_x, output, k);
    else if constexpr (host)
      portable::multiply_block_rows<true, 0>(label, exec, {}, a, x, output, k);
    else
      portable::multiply_block_rows<false, 0>(label, exec, policy, a, x, output, k);
  }

 private:
  static HostPolicy as_policy_of_rows(const HostPolicy& policy) { return policy; }
  static portable::DevicePolicy as_policy_of_rows(const DevicePolicy& policy) { return {policy}; }

  /// By kernels that know the size of the blocks, where it is one of these.
  template <int... sizes, class ExecSpace, class Policy, class S, class T, class Output>
  static void run_blocks(const ExecSpace& exec, const Policy& policy, const S& a,
                         const detail::Operand<const T>& x, const Output& output, std::int64_t k) {
    const auto of_size = [&]<int size>(detail::Width<size>) {
      detail::launch<OfSize<size>>(exec, policy, a, x, output, k);
      return true;
    };
    if (!((a.block.size == sizes && of_size(detail::Width<sizes>{})) || ...))
      of_size(detail::Width<0>{});
  }
};

/// BSR, row by row, by a kernel that every backend shares.
template <>
struct Portable<BsrMatrix> : portable::PortableKernel<BsrMatrix> {
  template <class ExecSpace, class Policy, class S, class X, class Output>
  static void run(const ExecSpace& exec, const Policy& asked, const S& a, const X& x,
                  const Output& output, std::int64_t k) {
    constexpr bool host = std::is_same_v<Policy, HostPolicy>;
    using T = std::remove_const_t<std::remove_pointer_t<decltype(x.data)>>;
    if (a.block.size > 1)
      return portable::multiply_block_rows<host, 0>(label.text, exec, asked, a, x, output, k);
    using OfRows = std::conditional_t<host, portable::HostPolicy, portable::DevicePolicy>;
    detail::launch<CsrPortable>(exec, OfRows{asked}, a,
                                detail::Operand<const T>{x.data, x.row_stride, x.column_stride},
                                output, k);  // is CSR
  }
};
/// BSR's portable kernel.
using BsrPortable = Portable<BsrMatrix>;

/// The parts of these kernels have places of their own on hosts; devices take the rows of a block
/// one by one for sums over rows.
template <>
struct ReducingKernel<BsrRow> {
  using type = BsrRow;
};
/// Of one size, the same.
template <int size>
struct ReducingKernel<BsrRow::OfSize<size>> {
  using type = BsrRow::OfSize<size>;
};
template <>
struct ReducingKernel<Portable<BsrMatrix>> : ReducingKernel<BsrRow> {};

/// The kernel of BsrMatrix, in any layout.
template <class Scalar, class Ordinal, class Device, class Offset, class Layout>
struct DefaultKernel<BsrMatrix<Scalar, Ordinal, Device, Offset, Layout>> {
  using type = BsrRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, BsrRow)
FATVEC_EXTERN(FATVEC_LAUNCH, BsrRow::OfSize<0>)
FATVEC_EXTERN(FATVEC_LAUNCH, BsrRow::OfSize<2>)
FATVEC_EXTERN(FATVEC_LAUNCH, BsrRow::OfSize<3>)
FATVEC_EXTERN(FATVEC_LAUNCH, BsrRow::OfSize<4>)
FATVEC_EXTERN(FATVEC_LAUNCH, BsrRow::OfSize<5>)
FATVEC_EXTERN(FATVEC_LAUNCH, BsrRow::OfSize<6>)
FATVEC_EXTERN(FATVEC_LAUNCH, BsrRow::OfSize<8>)
FATVEC_EXTERN(FATVEC_LAUNCH, BsrPortable)
FATVEC_EXTERN(FATVEC_LAUNCH_FUSED, BsrRow)
