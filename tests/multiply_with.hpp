// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <fatvec/kernels/spmm.hpp>

namespace fatvec::test {

/// prepare() for a policy of either executor.
template <class Kernel, class Policy, class ExecSpace, class Matrix>
Prepared<Matrix> prepared_for(const ExecSpace& exec, const Matrix& a) {
  if constexpr (std::is_same_v<Policy, typename Kernel::HostPolicy>)
    return Prepared<Matrix>(a);
  else
    return detail::with_segments<typename Matrix::value_type>(exec, a, 6);
}

/// spmm() with a policy of either executor: device kernels run on host spaces, too.
template <class Kernel, class ExecSpace, class Policy, class Alpha, class Matrix, class XView,
          class Beta, class YView>
void multiply_with(const ExecSpace& exec, const Policy& policy, const Alpha& alpha, const Matrix& a,
                   const XView& x, const Beta& beta, const YView& y) {
  using T = typename YView::value_type;
  detail::validate_operands({Matrix::name, a.rows(), a.cols()}, x, y);
  const detail::ScaledSum<T> output{static_cast<T>(alpha), static_cast<T>(beta),
                                    detail::span_of<detail::Columns::strided>(y)};
  detail::launch<Kernel>(exec, policy, detail::slots_of(a), detail::operand_of(x), output,
                         multivector_columns(x));
}

/// The same for an output.
template <class Kernel, class ExecSpace, class Policy, class Matrix, class XView, class To>
void multiply_to(const ExecSpace& exec, const Policy& policy, const Matrix& a, const XView& x,
                 const To& output) {
  detail::validate_x({Matrix::name, a.rows(), a.cols()}, x);
  detail::launch<Kernel>(exec, policy, detail::slots_of(a), detail::operand_of(x), output,
                         multivector_columns(x));
}

}  // namespace fatvec::test
