// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <type_traits>

#include "peers/kokkoskernels_instances.hpp"

#if defined(FATVEC_BENCH_KOKKOSKERNELS_INSTANCES)
/// What Kokkos Kernels' own SPMV and SPMV_MV do in mode NoTranspose: the same kernels, by the same
/// algorithms. Its cases of alpha and beta are 0, 1, -1 and any other number; those where the
/// kernels differ by more than a multiplication for an element of Y have instances here.
/// KokkosSparse::spmv leads here after its checks.
namespace fatvec::bench::instances {

/// Calls f with the constant that stands for alpha: 0, 1, or 2 for any other.
template <class F>
void with_alpha(double alpha, const F& f) {
  if (alpha == 0) return f(std::integral_constant<int, 0>());
  if (alpha == 1) return f(std::integral_constant<int, 1>());
  return f(std::integral_constant<int, 2>());
}
/// The same for beta: 0, or 2 for any other.
template <class F>
void with_beta(double beta, const F& f) {
  if (beta == 0) return f(std::integral_constant<int, 0>());
  return f(std::integral_constant<int, 2>());
}

inline void require_no_transpose(const char mode[]) {
  if (mode[0] != KokkosSparse::NoTranspose[0])
    KokkosKernels::Impl::throw_runtime_exception("fatvec-bench has spmv for NoTranspose only");
}

}  // namespace fatvec::bench::instances

namespace KokkosSparse::Impl {

template <class ExecSpace, class Handle, class Matrix, class X, class Y, bool tpl, bool eti>
void SPMV<ExecSpace, Handle, Matrix, X, Y, tpl, eti>::spmv(
    const ExecSpace& exec, Handle* handle, const char mode[], const coefficient_type& alpha,
    const Matrix& a, const X& x, const coefficient_type& beta, const Y& y) {
  fatvec::bench::instances::require_no_transpose(mode);
  if (handle->algo == SPMV_MERGE_PATH || handle->algo == SPMV_NATIVE_MERGE_PATH)
    return SpmvMergeHierarchical<ExecSpace, Matrix, X, Y>::spmv(exec, mode, alpha, a, x, beta, y);
  fatvec::bench::instances::with_beta(beta, [&](auto b) {
    spmv_beta_no_transpose<ExecSpace, Handle, Matrix, X, Y, b(), false>(exec, handle, alpha, a, x,
                                                                        beta, y);
  });
}

template <class ExecSpace, class Handle, class Matrix, class X, class Y, bool integer, bool tpl,
          bool eti>
void SPMV_MV<ExecSpace, Handle, Matrix, X, Y, integer, tpl, eti>::spmv_mv(
    const ExecSpace& exec, Handle*, const char mode[], const coefficient_type& alpha,
    const Matrix& a, const X& x, const coefficient_type& beta, const Y& y) {
  fatvec::bench::instances::require_no_transpose(mode);
  fatvec::bench::instances::with_alpha(alpha, [&](auto c) {
    fatvec::bench::instances::with_beta(beta, [&](auto b) {
      spmv_alpha_beta_mv_no_transpose<ExecSpace, Matrix, X, Y, c(), b(), false>(exec, alpha, a, x,
                                                                                beta, y);
    });
  });
}

}  // namespace KokkosSparse::Impl

namespace KokkosBlas::Impl {

template <class ExecSpace, class R, class A, class X, int rank, bool tpl, bool eti>
void Scal<ExecSpace, R, A, X, rank, tpl, eti>::scal(const ExecSpace& exec, const R& r, const A& a,
                                                    const X& x) {
  Scal<ExecSpace, R, A, X, rank, false, false>::scal(exec, r, a, x);
}

}  // namespace KokkosBlas::Impl

namespace fatvec::bench::instances::inline FATVEC_BENCH_IN {

/// Explicit instantiations of these compile what they point at.
template <class ExecSpace, class Layout>
auto vector_product() {
  return &KokkosSparse::Impl::SPMV<
      ExecSpace, Handle<ExecSpace>, Matrix<typename ExecSpace::device_type>,
      X<const Scalar*, Layout, ExecSpace>, Y<Scalar*, Layout, ExecSpace>>::spmv;
}
template <class ExecSpace, class Layout>
auto multivector_product() {
  return std::tuple(
      &KokkosSparse::Impl::SPMV_MV<
          ExecSpace, Handle<ExecSpace>, Matrix<typename ExecSpace::device_type>,
          X<const Scalar**, Layout, ExecSpace>, Y<Scalar**, Layout, ExecSpace>>::spmv_mv,
      &KokkosBlas::Impl::Scal<ExecSpace, Y<Scalar**, Layout, ExecSpace>, Scalar,
                              Y<const Scalar**, Layout, ExecSpace>>::scal);
}

}  // namespace fatvec::bench::instances::inline FATVEC_BENCH_IN
#endif
