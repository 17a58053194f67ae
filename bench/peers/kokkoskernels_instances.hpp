// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <KokkosKernels_default_types.hpp>
#include <KokkosSparse_spmv.hpp>
#include <cstdint>

#include "harness/scalar.hpp"

/// KokkosSparse::spmv compiles every mode (transposed, conjugate) wherever it is called; for BSR it
/// compiles the CSR product, too, and for every product KokkosBlas::scal. Kokkos Kernels has a hook
/// for instances that a library holds. It says here that CSR's products and scal of multivectors
/// are compiled elsewhere: in kokkoskernels_{left,right}.cpp, for the one mode that is measured.
/// The hook is not public: other versions of Kokkos Kernels do without.
#if KOKKOSKERNELS_VERSION / 100 == 404 && !defined(KOKKOSKERNELS_INST_DOUBLE) && \
    !defined(KOKKOSKERNELS_INST_FLOAT)
#define FATVEC_BENCH_KOKKOSKERNELS_INSTANCES

namespace fatvec::bench::instances::inline FATVEC_BENCH_IN {

/// The types that spmv() makes of its arguments, whatever these are.
template <class ExecSpace>
using Handle = KokkosSparse::Impl::SPMVHandleImpl<ExecSpace, typename ExecSpace::memory_space,
                                                  Scalar, std::int32_t, std::int32_t>;
template <class Device>
using Matrix = KokkosSparse::CrsMatrix<const Scalar, const std::int32_t, Device,
                                       Kokkos::MemoryTraits<Kokkos::Unmanaged>, const std::int32_t>;
template <class Data, class Layout, class ExecSpace>
using X = Kokkos::View<Data, Layout, typename ExecSpace::device_type,
                       Kokkos::MemoryTraits<Kokkos::Unmanaged | Kokkos::RandomAccess>>;
template <class Data, class Layout, class ExecSpace>
using Y = Kokkos::View<Data, Layout, typename ExecSpace::device_type,
                       Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace fatvec::bench::instances::inline FATVEC_BENCH_IN

namespace KokkosSparse::Impl {

template <class ExecSpace, class Handle, class Device, class X, class Y>
struct spmv_eti_spec_avail<ExecSpace, Handle, fatvec::bench::instances::Matrix<Device>, X, Y> {
  enum : bool { value = true };
};
template <class ExecSpace, class Handle, class Device, class X, class Y>
struct spmv_mv_eti_spec_avail<ExecSpace, Handle, fatvec::bench::instances::Matrix<Device>, X, Y,
                              false> {
  enum : bool { value = true };
};

}  // namespace KokkosSparse::Impl

namespace KokkosBlas::Impl {

template <class ExecSpace, class R, class X>
struct scal_eti_spec_avail<ExecSpace, R, fatvec::bench::Scalar, X, 2> {
  enum : bool { value = true };
};

}  // namespace KokkosBlas::Impl
#endif
