// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/formats/transpose.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/kernels/launch.hpp>
#include <fatvec/kernels/shared/validate.hpp>

/// The product of a matrix in CSR; include the page of another format beside it, such as
/// <fatvec/kernels/hll.hpp>.
namespace fatvec {
namespace detail {

template <class ExecSpace, class Matrix, class XView, class YView>
constexpr void require_types() {
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
}

/// spmm() for operands that conform, with a policy of either executor: a device's kernels run on
/// host spaces, too, where they are asked for.
template <SpmmKernel Kernel, class ExecSpace, class Policy, class Matrix, class T>
void multiply(const ExecSpace& exec, const Policy& policy, const T& alpha, const Matrix& a,
              const Operand<const T>& x, const T& beta, const Operand<T>& y, std::int64_t k) {
  if (a.rows() == 0 || k == 0) return;
  const Kokkos::Profiling::ScopedRegion region("fatvec::spmm");
  launch<Kernel>(exec, policy, a, x, Epilogue<T>{alpha, beta, y}, k);
}

}  // namespace detail

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
void spmm(const ExecSpace& exec, const PolicyOn<Kernel, ExecSpace>& policy, const Alpha& alpha,
          const Matrix& a, const XView& x, const Beta& beta, const YView& y) {
  using T = typename YView::value_type;
  detail::require_types<ExecSpace, Matrix, XView, YView>();
  detail::validate_operands({Matrix::name, a.rows(), a.cols()}, x, y);
  detail::multiply<Kernel>(exec, policy, static_cast<T>(alpha), a, detail::operand_of(x),
                           static_cast<T>(beta), detail::span_of<detail::Columns::strided>(y),
                           multivector_columns(x));
}

/// The same with the kernel of A's format, in its default policy.
template <class ExecSpace, class Alpha, SparseFormat Matrix, MultiVector XView, class Beta,
          MultiVector YView>
  requires Kokkos::is_execution_space_v<ExecSpace>
void spmm(const ExecSpace& exec, const Alpha& alpha, const Matrix& a, const XView& x,
          const Beta& beta, const YView& y) {
  using Kernel = typename DefaultKernel<Matrix>::type;
  spmm<Kernel>(exec, {}, alpha, a, x, beta, y);
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
