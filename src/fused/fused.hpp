// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/fused/parts.hpp>
#include <fatvec/fused/without_product.hpp>
#include <fatvec/kernels/spmm.hpp>
#include <fatvec/plan/plan.hpp>
#include <fatvec/statistics/vector_statistics.hpp>

/// Products and what stands around them in one pass: residuals, dot products, steps of iterations.
namespace fatvec {
namespace detail {

/// What a fused product asks of A: a matrix, Prepared or not, or a Plan.
template <SparseFormat Matrix>
Shape shape_of(const Matrix& a) {
  return {Matrix::name, a.rows(), a.cols()};
}
template <class Csr, class Kernels, class T>
Shape shape_of(const Plan<Csr, Kernels, T>& plan) {
  return {"a plan", plan.rows(), plan.cols()};
}
template <SparseFormat Matrix, class T>
void require_y_apart(const Matrix& a, const Operand<T>& y, std::int64_t rows, std::int64_t k) {
  require_apart_from_matrix(a, y, rows, k);
}
template <class Csr, class Kernels, class T, class U>
void require_y_apart(const Plan<Csr, Kernels, T>& plan, const Operand<const U>& y, std::int64_t,
                     std::int64_t k) {
  plan.require_apart(y, k);
}

/// The format whose memory is asked for.
template <class A>
struct MatrixOf {
  using type = typename A::Csr;
};
template <SparseFormat A>
struct MatrixOf<A> {
  using type = A;
};

/// Those that fused products multiply on one device.
template <class A>
concept FusedOperand = requires(const A& a) { shape_of(a); };

/// The workspace among the parts, or A's.
template <class A>
auto workspace_among(const A& a) {
  static_assert(
      requires { a.workspace(); },
      "a fused product that forms sums wants a matrix from prepare(), a Plan, or a "
      "fused::Workspace behind its other parts");
  if constexpr (requires { a.workspace(); }) return a.workspace();
}
template <class A, class First, class... Rest>
auto workspace_among(const A& a, const First& first, const Rest&... rest) {
  if constexpr (detail::parts::is_workspace<First>)
    return first;
  else
    return workspace_among(a, rest...);
}

/// Gives the sums of an output of k columns the workspace. Throws ShapeError where it is too small.
template <class ExecSpace, class T, class Workspace>
void use_workspace(FusedOutput<T>& output, const Workspace& workspace, std::int64_t k) {
  static_assert(can_reach<ExecSpace, typename Workspace::memory_space>,
                "exec cannot reach the workspace's memory");
  using Sum = typename FusedOutput<T>::Sum;
  if (output.sums.number > workspace.sums_of(k))
    throw ShapeError(concat("spmm: the workspace has room for ", workspace.sums(), " sums of ",
                            workspace.columns(), " columns, and ", output.sums.number, " of ", k,
                            " are wanted; pass a fused::Workspace(exec, ", k, ", ",
                            output.sums.number, ")."));
  output.sums.room = workspace.template data<Sum>();
  output.sums.capacity = workspace.template size<Sum>();
  output.sums.most_parts = workspace.parts();
}

/// The output of a fused product: checks the parts.
template <class ExecSpace, class T, class A, class Y, class... Parts>
FusedOutput<T> fused_output(const A& a, const T& alpha, const T& beta, const Y& y,
                            std::int64_t rows, SumsOnHost<typename FusedOutput<T>::Sum>& on_host,
                            const Parts&... parts) {
  static_assert(detail::parts::at_most_one<detail::parts::Operand::b, Parts...> &&
                    detail::parts::at_most_one<detail::parts::Operand::diagonal, Parts...> &&
                    detail::parts::at_most_one<detail::parts::Operand::z, Parts...>,
                "a fused product takes plus, rows_scaled and from once each; residual has a plus "
                "already, chebyshev_step a plus and a rows_scaled");
  const std::int64_t k = multivector_columns(y);
  FusedOutput<T> output;
  output.alpha = alpha;
  output.beta = beta;
  output.z = operand_of(y);
  output.y = span_of<Columns::strided>(y);
  output.sums.on_host = &on_host;
  const detail::parts::Product<ExecSpace, Y> product{y, rows, k};
  [[maybe_unused]] const auto add = [&](const auto& part) {  // there may be no parts
    if constexpr (!detail::parts::is_workspace<std::decay_t<decltype(part)>>)
      part.add_to(output, product);
  };
  (add(parts), ...);
  if constexpr ((detail::parts::forms_sum<Parts> || ...))
    use_workspace<ExecSpace>(output, workspace_among(a, parts...), k);
  return output;
}

/// product(output), and results of 0 where there were no rows.
template <class ExecSpace, class T, class Product>
void run_fused(const ExecSpace& exec, const FusedOutput<T>& output, std::int64_t rows,
               std::int64_t k, const Product& product) {
  if (output.alpha == T{})
    store_zeros(exec, output, rows, k);
  else
    product(output);
  if (output.sums.number == 0 || k == 0 || output.sums.on_host->products > 0) return;
  output.sums.begin(0, k);
  output.sums.join(exec);
}

}  // namespace detail

/// Y = beta · Y + alpha · A · X, and what the parts add (fused/parts.hpp): with all of them
///
///     Y = D · (alpha · A · X + gamma · B) + beta · Z
///
/// and sums over the rows of the new Y. One pass: what is stored is not read again.
///
/// @param exec   execution-space instance; the call only enqueues work on it: no fence, no
/// allocation, no transfer
/// @param alpha,beta  any values that convert to the scalar type
/// @param a      a matrix in any format, prepared or not, or a Plan
/// @param x,y    cols × k and rows × k Views, rank 1 (k = 1) or 2, any layout
/// @param parts  fused::dot_with(), square_norms(), plus(), rows_scaled(), from(), not_stored(), in
/// any order; with sums also a fused::Workspace, where A is neither prepared nor a Plan, or those
/// were made for fewer columns
///
/// alpha = 0 reads neither A nor X, but in dot_with(X); beta = 0 reads neither Y nor Z. Results are
/// the same bits in every run with as many threads. Long rows are taken by whole teams of a GPU,
/// not in segments; BitTCF and, on GPUs, BSR by portable kernels. Throws ShapeError
/// where extents do not conform, or Y overlaps with what is read elsewhere, before anything is
/// launched.
template <class ExecSpace, class Alpha, detail::FusedOperand A, MultiVector X, class Beta,
          MultiVector Y, fused::Part... Parts>
  requires(Kokkos::is_execution_space_v<ExecSpace> && sizeof...(Parts) > 0)
void spmm(const ExecSpace& exec, const Alpha& alpha, const A& a, const X& x, const Beta& beta,
          const Y& y, const Parts&... parts) {
  if constexpr (detail::types_fit<ExecSpace, typename detail::MatrixOf<A>::type, X, Y>()) {
    using T = typename Y::value_type;
    const std::int64_t k = multivector_columns(x);
    const std::int64_t rows = detail::shape_of(a).rows;
    detail::validate_operands(detail::shape_of(a), x, y);
    detail::require_y_apart(a, detail::operand_of(y), rows, k);
    detail::SumsOnHost<typename detail::FusedOutput<T>::Sum> on_host;
    const auto output = detail::fused_output<ExecSpace, T>(
        a, static_cast<T>(alpha), static_cast<T>(beta), y, rows, on_host, parts...);
    const Kokkos::Profiling::ScopedRegion region("fatvec::fused");
    detail::run_fused(exec, output, rows, k, [&](const auto& to) { spmm(exec, a, x, to); });
  }
}

/// Y = beta · Y + alpha · A · X and dots(c) = the dot product of column c of X with that of the new
/// Y, of a square A: fused::dot_with(X, dots). more: a fused::Workspace, or further parts.
template <class ExecSpace, class Alpha, class A, MultiVector X, class Beta, MultiVector Y,
          class Dots, fused::Part... More>
void spmm_dot(const ExecSpace& exec, const Alpha& alpha, const A& a, const X& x, const Beta& beta,
              const Y& y, const Dots& dots, const More&... more) {
  spmm(exec, alpha, a, x, beta, y, fused::dot_with(x, dots), more...);
}

/// R = B - A · X, which may be formed in B's place.
template <class ExecSpace, MultiVector B, class A, MultiVector X, MultiVector R,
          fused::Part... More>
void residual(const ExecSpace& exec, const B& b, const A& a, const X& x, const R& r,
              const More&... more) {
  spmm(exec, -1, a, x, 0, r, fused::plus(1, b), more...);
}

/// The same, and norms(c) = the square of the 2-norm of column c of R: fused::square_norms(norms).
/// more: a fused::Workspace, or further parts.
template <class ExecSpace, MultiVector B, class A, MultiVector X, MultiVector R, class Norms,
          fused::Part... More>
  requires(!fused::Part<Norms>)
void residual(const ExecSpace& exec, const B& b, const A& a, const X& x, const R& r,
              const Norms& norms, const More&... more) {
  spmm(exec, -1, a, x, 0, r, fused::plus(1, b), fused::square_norms(norms), more...);
}

/// W = alpha · D⁻¹ · (B - A · X) + beta · W: what Chebyshev's iteration adds to X, or with beta = 0
/// Jacobi's.
///
/// @param exec              execution-space instance; the call only enqueues work on it
/// @param alpha,beta        any values that convert to the scalar type
/// @param diagonal_inverse  the diagonal of D⁻¹: a View of rank 1 with as many elements as A has
/// rows
/// @param b,x               rows × k and cols × k Views
/// @param a                 a matrix in any format, prepared or not, or a Plan
/// @param w                 rows × k, apart from X; beta = 0 does not read it
/// @param more              further parts, as of spmm()
template <class ExecSpace, class Alpha, MultiVector D, MultiVector B, class A, MultiVector X,
          class Beta, MultiVector W, fused::Part... More>
void chebyshev_step(const ExecSpace& exec, const Alpha& alpha, const D& diagonal_inverse,
                    const B& b, const A& a, const X& x, const Beta& beta, const W& w,
                    const More&... more) {
  const auto scale = static_cast<typename W::value_type>(alpha);  // an unsigned one has no negative
  spmm(exec, -scale, a, x, beta, w, fused::plus(scale, b), fused::rows_scaled(diagonal_inverse),
       more...);
}

}  // namespace fatvec
