// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <fatvec/formats/bsr.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/kernels/device/staged_launch.hpp>
#include <fatvec/kernels/host/block_kernel.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/shared/entries.hpp>

namespace fatvec {

/// BSR: all rows of a block together, so that each row of X that the block row needs is read once
/// for all of them (register blocking; Im, Yelick and Vuduc, "Sparsity", 2004; the format of
/// Stec and Stpiczyński). Devices take the rows of a block one by one for few columns, where A is
/// the traffic and X is in the first-level cache, and for sizes that the compiler does not know;
/// otherwise blocks are staged in scratch memory. All of this for float and double.
struct BsrRow {
  static constexpr const char* name = "bsr-row";
  static constexpr const char* label = "fatvec::BsrRow";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = BsrMatrix<Scalar, Ordinal, Device, Offset>;
  using HostPolicy = host::Policy;
  using DevicePolicy = portable::DevicePolicy;

  /// Blocks of a size that the compiler knows; 0: of any size.
  template <int size>
  struct OfSize {
    template <class Scalar, class Ordinal, class Device, class Offset>
    using Matrix = BsrMatrix<Scalar, Ordinal, Device, Offset>;
    using HostPolicy = host::Policy;
    using DevicePolicy = portable::DevicePolicy;

    template <class ExecSpace, class M, class X, class T>
    static void run(const ExecSpace& exec, const HostPolicy& policy, const M& matrix, const X& x,
                    const detail::Epilogue<T>& epilogue, std::int64_t k) {
      detail::launch_host_blocks<size>(label, exec, policy, matrix, x, epilogue, k);
    }
    template <class ExecSpace, class M, class T, detail::Columns columns>
    static void run(const ExecSpace& exec, const DevicePolicy& policy, const M& matrix,
                    const detail::MultiVectorSpan<const T, columns>& x,
                    const detail::Epilogue<T>& epilogue, std::int64_t k) {
      if constexpr (size > 1)
        if (policy.form == portable::Form::automatic && detail::stages_blocks(columns, k))
          return detail::launch_staged_blocks<size>(label, exec, matrix, x, epilogue, k);
      portable::multiply<false>(label, exec, policy, detail::BlockEntries<M, size>(matrix), x,
                                epilogue, k);
    }
  };

  template <class M>
  static bool stores_column_major(const HostPolicy&, std::int64_t) {
    return std::is_floating_point_v<typename M::value_type>;
  }
  template <class>
  static bool stores_column_major(const DevicePolicy&, std::int64_t k) {
    return device::stores_column_major(k);
  }

  template <class ExecSpace, class Policy, class M, class X, class T>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix, const X& x,
                  const detail::Epilogue<T>& epilogue, std::int64_t k) {
    // What is compiled for CSR and for each size of block takes X of either kind of columns.
    const detail::Operand<const T> any_x{x.data, x.row_stride, x.column_stride};
    if (matrix.block.size == 1)  // is CSR
      return detail::launch<CsrRow>(exec, policy, matrix, any_x, epilogue, k);
    // Complex numbers, integers, half precision: by the portable kernel.
    if constexpr (specialised && std::is_floating_point_v<T>)
      run_blocks<2, 3, 4, 5, 6, 8>(exec, policy, matrix, any_x, epilogue, k);
    else if constexpr (std::is_same_v<Policy, DevicePolicy>)
      portable::multiply<false>(label, exec, policy, detail::BlockEntries<M>(matrix), x, epilogue,
                                k);
    else
      portable::multiply<true>(label, exec, {}, detail::BlockEntries<M>(matrix), x, epilogue, k);
  }

 private:
  /// By kernels that know the size of the blocks, where it is one of these.
  template <int... sizes, class ExecSpace, class Policy, class M, class T>
  static void run_blocks(const ExecSpace& exec, const Policy& policy, const M& matrix,
                         const detail::Operand<const T>& x, const detail::Epilogue<T>& epilogue,
                         std::int64_t k) {
    const auto of_size = [&]<int size>(detail::Width<size>) {
      detail::launch<OfSize<size>>(exec, policy, matrix, x, epilogue, k);
      return true;
    };
    if (!((matrix.block.size == sizes && of_size(detail::Width<sizes>{})) || ...))
      of_size(detail::Width<0>{});
  }
};

/// BSR, row by row, by the kernel that every format and backend shares.
struct BsrPortable : detail::PortableKernel<BsrPortable, BsrMatrix> {
  static constexpr const char* name = "bsr-portable";
  static constexpr const char* label = "fatvec::BsrPortable";

  template <class A>
  static auto entries(const A& a) {
    return detail::BlockEntries<A>(a);
  }
};

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
