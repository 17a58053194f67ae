// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/formats/transpose.hpp>
#include <fatvec/kernels/choice.hpp>
#include <fatvec/kernels/detail/validate.hpp>
#include <fatvec/kernels/registry.hpp>

namespace fatvec {

/// Y = beta · Y + alpha · A · X with a named kernel and policy.
///
/// @param exec    execution-space instance; the call only enqueues work on it: no fence, no
/// allocation, no transfer
/// @param policy  how the kernel cuts up its work; Policy{} leaves that to the kernel
/// @param alpha   any value that converts to the scalar type
/// @param a       rows × cols matrix in any format that Kernel multiplies, in memory that exec
/// reaches
/// @param x,y     cols × k and rows × k Views, rank 1 (k = 1) or 2, any layout, strides and
/// padding; elements between are left
///                alone
/// @param beta    0 overwrites Y, even where it holds NaN or Inf
///
/// Sums are formed in Y's scalar type, in an order that the kernel, its policy, k, the layouts and
/// a CPU's number of threads fix: runs are reproducible, but for the rows that A lists in
/// long_rows, which GPUs add up in pieces. Throws ShapeError where extents do not conform or X and
/// Y overlap, before anything is launched.
template <SpmmKernel Kernel, class ExecSpace, class Alpha, SparseFormat Matrix, MultiVector XView,
          class Beta, MultiVector YView>
void spmm(const ExecSpace& exec, const typename Kernel::Policy& policy, const Alpha& alpha,
          const Matrix& a, const XView& x, const Beta& beta, const YView& y) {
  using T = typename YView::value_type;
  static_assert(!std::is_const_v<T>, "Y is written: its View must not be of const elements");
  static_assert(std::is_same_v<std::remove_const_t<typename XView::value_type>, T>,
                "X and Y must have the same scalar type");
  static_assert(Kokkos::SpaceAccessibility<ExecSpace, typename Matrix::memory_space>::accessible,
                "exec cannot reach A's memory");
  static_assert(Kokkos::SpaceAccessibility<ExecSpace, typename XView::memory_space>::accessible,
                "exec cannot reach X's memory");
  static_assert(Kokkos::SpaceAccessibility<ExecSpace, typename YView::memory_space>::accessible,
                "exec cannot reach Y's memory");
  detail::validate_operands(a, x, y);
  const std::int64_t k = multivector_columns(x);
  if (a.rows() == 0 || k == 0) return;
  const Kokkos::Profiling::ScopedRegion region("fatvec::spmm");
  const detail::Epilogue<T> epilogue{static_cast<T>(alpha), static_cast<T>(beta),
                                     detail::span_of<detail::Columns::strided>(y)};
  if (detail::has_contiguous_columns(x)) {
    Kernel::run(exec, policy, a, detail::span_of<detail::Columns::contiguous>(x), epilogue, k);
  } else {
    Kernel::run(exec, policy, a, detail::span_of<detail::Columns::strided>(x), epilogue, k);
  }
}

/// The same with the kernel that fatvec chooses for A's format, k and the backend, in its default
/// policy.
template <class ExecSpace, class Alpha, SparseFormat Matrix, MultiVector XView, class Beta,
          MultiVector YView>
  requires Kokkos::is_execution_space_v<ExecSpace>
void spmm(const ExecSpace& exec, const Alpha& alpha, const Matrix& a, const XView& x,
          const Beta& beta, const YView& y) {
  with_default_kernel<Matrix>(exec, a, multivector_columns(x), [&](auto kernel) {
    using Kernel = decltype(kernel);
    spmm<Kernel>(exec, typename Kernel::Policy{}, alpha, a, x, beta, y);
  });
}

/// Y = beta · Y + alpha · op(A) · X, X and Y having the extents of op(A).
///
/// Every call but with Op::none makes op(A), as CSR, and drops it: it allocates what apply() does,
/// takes several times as long as the product, and returns when Y is complete. Keep apply(exec, op,
/// A), or a Plan, for more than one product.
template <class ExecSpace, class Alpha, SparseFormat Matrix, MultiVector XView, class Beta,
          MultiVector YView>
  requires Kokkos::is_execution_space_v<ExecSpace>
void spmm(const ExecSpace& exec, Op op, const Alpha& alpha, const Matrix& a, const XView& x,
          const Beta& beta, const YView& y) {
  if (op == Op::none) return spmm(exec, alpha, a, x, beta, y);
  const auto of_a = apply(exec, op, a.to_csr(exec));
  spmm(exec, alpha, of_a, x, beta, y);
  exec.fence("fatvec::spmm");  // of_a goes at the end of this function
}

/// The same on a default instance of the matrix's execution space; returns when Y is complete.
template <class Alpha, SparseFormat Matrix, MultiVector XView, class Beta, MultiVector YView>
void spmm(const Alpha& alpha, const Matrix& a, const XView& x, const Beta& beta, const YView& y) {
  const typename Matrix::execution_space exec;
  spmm(exec, alpha, a, x, beta, y);
  exec.fence("fatvec::spmm");
}

}  // namespace fatvec
