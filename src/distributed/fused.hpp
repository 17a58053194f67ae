// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <fatvec/distributed/matrix.hpp>
#include <fatvec/distributed/statistics.hpp>
#include <fatvec/fused/fused.hpp>

/// Fused products of matrices that are spread over ranks.
namespace fatvec {
namespace detail {

/// Results of all ranks: of a part whose results are a distributed::ColumnResults.
template <class Part>
inline constexpr bool is_spread = false;
template <class Z, class Value, class ExecSpace>
inline constexpr bool is_spread<parts::DotWith<Z, distributed::ColumnResults<Value, ExecSpace>>> =
    true;
template <class Value, class ExecSpace>
inline constexpr bool is_spread<parts::SquareNorms<distributed::ColumnResults<Value, ExecSpace>>> =
    true;

/// The same part with results of this rank.
template <class Z, class Spread, class Mine>
auto of_this_rank(const parts::DotWith<Z, Spread>& part, const Mine& mine) {
  return fused::dot_with(part.z, mine);
}
template <class Spread, class Mine>
auto of_this_rank(const parts::SquareNorms<Spread>&, const Mine& mine) {
  return fused::square_norms(mine);
}

/// run(parts...), results of this rank in the place of those of all ranks, which are then put
/// together.
template <class ExecSpace, class Run>
void with_results_of_rank(const ExecSpace&, const Run& run) {
  run();
}
template <class ExecSpace, class Run, class First, class... Rest>
void with_results_of_rank(const ExecSpace& exec, const Run& run, const First& first,
                          const Rest&... rest) {
  const auto go_on = [&](const auto& part) {
    with_results_of_rank(exec, [&](const auto&... more) { run(part, more...); }, rest...);
  };
  if constexpr (is_spread<First>)
    first.results.run(
        exec, [&](const auto& mine) { go_on(of_this_rank(first, mine.values)); },
        [](auto& value, const auto& more) { value = value + more; });
  else
    go_on(first);
}

}  // namespace detail

namespace distributed {

/// Y = beta · Y + alpha · A · X on the rows of this rank, and what the parts add, as on one device
/// (fused/fused.hpp); spmm_dot(), residual() and chebyshev_step() take distributed matrices, too.
///
/// Results that are a distributed::ColumnResults are those of all ranks' rows, the same bits on
/// all: a round of messages for each of them, for which the call waits; Views get those of this
/// rank. Collective; buffers as of products with an output: A.reserve_for_outputs(k). Errors as in
/// spmm() of a distributed matrix.
template <class ExecSpace, class Alpha, class Local, class Csr, MultiVector X, class Beta,
          MultiVector Y, fused::Part... Parts>
  requires(sizeof...(Parts) > 0)
void spmm(const ExecSpace& exec, const Alpha& alpha, const Matrix<Local, Csr>& a, const X& x,
          const Beta& beta, const Y& y, const Parts&... parts) {
  using T = typename Y::value_type;
  const std::int64_t k = multivector_columns(x);
  const auto product = [&](const auto&... of_rank) {
    fatvec::detail::SumsOnHost<typename fatvec::detail::FusedOutput<T>::Sum> on_host;
    fatvec::detail::FusedOutput<T> output;
    const auto check = [&] {
      fatvec::detail::validate_operands({"rows of one rank", a.local_rows(), a.local_cols()}, x, y);
      const auto of_y = fatvec::detail::operand_of(y);
      fatvec::detail::require_y_apart(a.local(), of_y, a.local_rows(), k);
      fatvec::detail::require_y_apart(a.halo().matrix(), of_y, a.local_rows(), k);
      output = fatvec::detail::fused_output<ExecSpace, T>(a.local(), static_cast<T>(alpha),
                                                          static_cast<T>(beta), y, a.local_rows(),
                                                          on_host, of_rank...);
    };
    if (a.options().agree_on_errors)
      a.communicator().agree(check);
    else
      a.communicator().or_abort(check);
    fatvec::detail::run_fused(exec, output, a.local_rows(), k,
                              [&](const auto& to) { a.multiply(exec, x, to); });
  };
  fatvec::detail::with_results_of_rank(exec, product, parts...);
}

}  // namespace distributed
}  // namespace fatvec
