// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/instantiate.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/formats/transpose.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/prepare.hpp>
#include <fatvec/kernels/shared/fused_output.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/partial_sums.hpp>
#include <fatvec/kernels/shared/slots.hpp>
#include <fatvec/kernels/shared/validate.hpp>

/// The door to every kernel: the page of a format, such as <fatvec/kernels/csr.hpp>, brings it.
namespace fatvec {
namespace detail {

template <class ExecSpace, class Space>
inline constexpr bool can_reach = Kokkos::SpaceAccessibility<ExecSpace, Space>::accessible;

/// Whether exec can multiply A and X. A type that does not fit fails a static_assert with a
/// message. The result is false then, and the caller compiles nothing else: further errors would
/// bury the message.
template <class ExecSpace, class Matrix, class X>
constexpr bool types_fit() {
  constexpr bool reaches_a = can_reach<ExecSpace, typename Matrix::memory_space>;
  static_assert(MultiVector<X>, "X must be a Kokkos::View of rank 1 (one column) or 2");
  static_assert(reaches_a, "exec cannot reach A's memory");
  if constexpr (MultiVector<X>) {
    constexpr bool reaches_x = can_reach<ExecSpace, typename X::memory_space>;
    static_assert(reaches_x, "exec cannot reach X's memory");
    return reaches_a && reaches_x;
  }
  return false;
}

/// The same of A, X and Y.
template <class ExecSpace, class Matrix, class X, class Y>
constexpr bool types_fit() {
  constexpr bool read = types_fit<ExecSpace, Matrix, X>();
  static_assert(MultiVector<Y>, "Y must be a Kokkos::View of rank 1 (one column) or 2");
  if constexpr (MultiVector<X> && MultiVector<Y>) {
    using T = typename Y::value_type;
    constexpr bool written = !std::is_const_v<T>;
    constexpr bool same =
        std::is_same_v<std::remove_const_t<typename X::value_type>, std::remove_const_t<T>>;
    constexpr bool reached = can_reach<ExecSpace, typename Y::memory_space>;
    constexpr std::size_t k = static_columns<X>;
    constexpr bool as_many = k == 0 || static_columns<Y> == 0 || k == static_columns<Y>;
    static_assert(written, "Y is written: its View must not be of const elements");
    static_assert(same, "X and Y must have the same scalar type");
    static_assert(reached, "exec cannot reach Y's memory");
    static_assert(as_many, "X and Y must have the same number of columns");
    return read && written && same && reached && as_many;
  }
  return false;
}

/// The kernel that is launched for an output, as `type`.
template <class Kernel, class Output>
struct KernelFor {
  using type = Kernel;
};
template <class Kernel, Reducing Output>
struct KernelFor<Kernel, Output> : ReducingKernel<Kernel> {};

/// The product of operands that conform; the output has what becomes of it. In front of this call
/// are the caller's Views and formats, behind it slots_of(A) and X of one type each: for Y = beta ·
/// Y + alpha · A · X it is what is compiled once (src/core/instantiate.hpp), and never inline, for
/// then every caller would compile it. A policy of either executor: a device's kernels run on host
/// spaces, too.
template <class Kernel, class ExecSpace, class Policy, class S, class T, class Output>
void launch(const ExecSpace& exec, const Policy& policy, const S& a, const Operand<const T>& x,
            const Output& output, std::int64_t k) {
  if (a.rows() == 0 || k == 0) return;
  if constexpr (is_scaled_sum<Output>)
    if (output.alpha == T{}) return scale_output(exec, output, a.rows(), k);
  using Taken = typename KernelFor<Kernel, Output>::type;
  if constexpr (!std::is_same_v<Taken, Kernel>) {
    constexpr bool host = std::is_same_v<Policy, typename Kernel::HostPolicy>;
    using PolicyOfTaken =
        std::conditional_t<host, typename Taken::HostPolicy, typename Taken::DevicePolicy>;
    launch<Taken>(exec, PolicyOfTaken{}, a, x, output, k);
  } else if (k == 1 || x.column_stride == 1) {
    Kernel::run(exec, policy, a,
                MultiVectorSpan<const T, Columns::contiguous>{x.data, x.row_stride}, output, k);
  } else {
    Kernel::run(exec, policy, a, x, output, k);
  }
}

}  // namespace detail

/// Y = beta · Y + alpha · A · X with a named kernel and policy.
///
/// @param exec    execution-space instance; the call only enqueues work on it: no fence, no
/// allocation, no transfer
/// @param policy  how the kernel cuts up its work; Policy{} leaves that to the kernel
/// @param alpha   any value that converts to the scalar type; 0 scales Y and reads neither A nor X,
/// even where they hold NaN or Inf
/// @param a       rows × cols matrix in any format that Kernel multiplies, in memory that exec
/// reaches
/// @param x,y     cols × k and rows × k Views, rank 1 (k = 1) or 2, any layout, strides and
/// padding; elements between are left
///                alone
/// @param beta    0 overwrites Y, even where it holds NaN or Inf
///
/// Sums are formed in Y's scalar type, in an order that the kernel, its policy, k, the layouts and
/// a CPU's number of threads fix: runs are reproducible. On GPUs rows that are far longer than the
/// mean have launches of their own. prepare() or a Plan finds them once, and shares each among many
/// teams; otherwise every product looks for them, which takes some microseconds, and gives each to
/// a team. Throws ShapeError where extents do not conform, or Y overlaps with X, with an array of A
/// or with itself, before anything is launched; UsageError for a policy out of range.
template <SpmmKernel Kernel, class ExecSpace, class Alpha, SparseFormat Matrix, class XView,
          class Beta, class YView>
void spmm(const ExecSpace& exec, const PolicyOn<Kernel, ExecSpace>& policy, const Alpha& alpha,
          const Matrix& a, const XView& x, const Beta& beta, const YView& y) {
  if constexpr (detail::types_fit<ExecSpace, Matrix, XView, YView>()) {
    using T = typename YView::value_type;
    detail::validate_operands({Matrix::name, a.rows(), a.cols()}, x, y);
    detail::require_apart_from_matrix(a, detail::operand_of(y), a.rows(), multivector_columns(y));
    const Kokkos::Profiling::ScopedRegion region("fatvec::spmm");
    const detail::ScaledSum<T> output{static_cast<T>(alpha), static_cast<T>(beta),
                                      detail::span_of<detail::Columns::strided>(y)};
    detail::launch<Kernel>(exec, policy, detail::slots_of(a), detail::operand_of(x), output,
                           multivector_columns(x));
  }
}

/// A · X, whose rows go to an output of the caller's, with a named kernel and policy. Kernels are
/// compiled for it where this is called.
///
/// @param exec    execution-space instance; the call only enqueues work on it
/// @param policy  how the kernel cuts up its work; Policy{} leaves that to the kernel
/// @param a       rows × cols matrix in any format that Kernel multiplies
/// @param x       cols × k View, rank 1 (k = 1) or 2, any layout
/// @param output  models Output for X's scalar type (shared/output.hpp); gets each element of A · X
/// once; whatever it writes must not be what the product reads
///
/// Throws ShapeError where X has not as many rows as A has columns.
template <SpmmKernel Kernel, class ExecSpace, SparseFormat Matrix, class XView, class To>
  requires Output<To, std::remove_const_t<typename XView::value_type>>
void spmm(const ExecSpace& exec, const PolicyOn<Kernel, ExecSpace>& policy, const Matrix& a,
          const XView& x, const To& output) {
  if constexpr (detail::types_fit<ExecSpace, Matrix, XView>()) {
    detail::validate_x({Matrix::name, a.rows(), a.cols()}, x);
    const Kokkos::Profiling::ScopedRegion region("fatvec::spmm");
    detail::launch<Kernel>(exec, policy, detail::slots_of(a), detail::operand_of(x), output,
                           multivector_columns(x));
  }
}

/// The same with the kernel of A's format, in its default policy.
template <class ExecSpace, SparseFormat Matrix, class XView, class To>
  requires Kokkos::is_execution_space_v<ExecSpace>
void spmm(const ExecSpace& exec, const Matrix& a, const XView& x, const To& output) {
  using Kernel = typename DefaultKernel<Matrix>::type;
  spmm<Kernel>(exec, {}, a, x, output);
}

/// Y = beta · Y + alpha · A · X with the kernel of A's format, in its default policy.
template <class ExecSpace, class Alpha, SparseFormat Matrix, class XView, class Beta, class YView>
  requires Kokkos::is_execution_space_v<ExecSpace>
void spmm(const ExecSpace& exec, const Alpha& alpha, const Matrix& a, const XView& x,
          const Beta& beta, const YView& y) {
  using Kernel = typename DefaultKernel<Matrix>::type;
  spmm<Kernel>(exec, {}, alpha, a, x, beta, y);
}

/// Y = beta · Y + alpha · op(A) · X, X and Y having the extents of op(A).
///
/// mode is an Op or its letter, as of KokkosSparse::spmv: "N" for A, "T" for its transpose, "C" for
/// its conjugate, "H" for both. Throws UsageError for others.
///
/// Every call but with Op::none makes op(A), as CSR, and drops it: it allocates what apply() does,
/// takes several times as long as the product, and returns when Y is complete. Keep apply(exec, op,
/// A), or a Plan, for more than one product.
template <class ExecSpace, OpOrLetter Mode, class Alpha, SparseFormat Matrix, class XView,
          class Beta, class YView>
  requires Kokkos::is_execution_space_v<ExecSpace>
void spmm(const ExecSpace& exec, const Mode& mode, const Alpha& alpha, const Matrix& a,
          const XView& x, const Beta& beta, const YView& y) {
  const Op op = op_of(mode);
  if (op == Op::none) return spmm(exec, alpha, a, x, beta, y);
  if constexpr (detail::types_fit<ExecSpace, Matrix, XView, YView>()) {
    detail::require_op(op);
    const auto rows = transposes(op) ? a.cols() : a.rows();
    const auto cols = transposes(op) ? a.rows() : a.cols();
    detail::validate_operands({Matrix::name, rows, cols}, x, y);
    detail::require_apart_from_matrix(a, detail::operand_of(y), rows, multivector_columns(y));
    const auto of_a = apply(exec, op, detail::without_const(a.to_csr(exec)));
    spmm(exec, alpha, of_a, x, beta, y);
    exec.fence("fatvec::spmm");  // of_a goes at the end of this function
  }
}

/// The same on a default instance of the matrix's execution space; returns when Y is complete.
template <OpOrLetter Mode, class Alpha, SparseFormat Matrix, class XView, class Beta, class YView>
void spmm(const Mode& mode, const Alpha& alpha, const Matrix& a, const XView& x, const Beta& beta,
          const YView& y) {
  const typename Matrix::execution_space exec;
  spmm(exec, mode, alpha, a, x, beta, y);
  exec.fence("fatvec::spmm");
}

/// Y = beta · Y + alpha · A · X on a default instance of the matrix's execution space; returns when
/// Y is complete.
template <class Alpha, SparseFormat Matrix, class XView, class Beta, class YView>
void spmm(const Alpha& alpha, const Matrix& a, const XView& x, const Beta& beta, const YView& y) {
  const typename Matrix::execution_space exec;
  spmm(exec, alpha, a, x, beta, y);
  exec.fence("fatvec::spmm");
}

}  // namespace fatvec

#define FATVEC_LAUNCH(how, Space, Scalar, Offset, Kernel) \
  FATVEC_LAUNCH_STORED(how, Space, Scalar, Offset, Kernel, Scalar)
/// The same with values of A that are Stored, X and Y being of Scalar.
#define FATVEC_LAUNCH_STORED(how, Space, Scalar, Offset, Kernel, Stored)                           \
  how template void fatvec::detail::launch<fatvec::Kernel>(                                        \
      const Space&, const fatvec::PolicyOn<fatvec::Kernel, Space>&,                                \
      const fatvec::detail::SlotsOf<fatvec::Kernel::Matrix<Stored, std::int32_t, Space, Offset>>&, \
      const fatvec::detail::Operand<const Scalar>&, const fatvec::detail::ScaledSum<Scalar>&,      \
      std::int64_t);
/// The same for fused products (<fatvec/fused/fused.hpp>), of a kernel that forms sums over rows.
#define FATVEC_LAUNCH_FUSED(how, Space, Scalar, Offset, Kernel)                                    \
  how template void fatvec::detail::launch<fatvec::Kernel>(                                        \
      const Space&, const fatvec::PolicyOn<fatvec::Kernel, Space>&,                                \
      const fatvec::detail::SlotsOf<fatvec::Kernel::Matrix<Scalar, std::int32_t, Space, Offset>>&, \
      const fatvec::detail::Operand<const Scalar>&, const fatvec::detail::FusedOutput<Scalar>&,    \
      std::int64_t);
