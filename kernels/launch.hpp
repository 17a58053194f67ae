// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <fatvec/core/instantiate.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/shared/output.hpp>

/// The boundary behind which kernels are compiled once (src/core/instantiate.hpp): in front of it
/// are the caller's Views, behind it X and Y of one type each.
namespace fatvec::detail {

/// Y = beta · Y + alpha · A · X (the epilogue has Y, alpha and beta) by a kernel and a policy.
/// Never inline, for then every caller would compile it.
template <class Kernel, class ExecSpace, class Policy, class Matrix, class T>
void launch(const ExecSpace& exec, const Policy& policy, const Matrix& a, const Operand<const T>& x,
            const Epilogue<T>& epilogue, std::int64_t k) {
  Kernel::run(exec, policy, a, x, epilogue, k);
}

}  // namespace fatvec::detail

#define FATVEC_LAUNCH(how, Space, Scalar, Offset, Kernel)                                    \
  how template void fatvec::detail::launch<fatvec::Kernel>(                                  \
      const Space&, const fatvec::PolicyOn<fatvec::Kernel, Space>&,                          \
      const fatvec::Kernel::Matrix<Scalar, std::int32_t, Space, Offset>&,                    \
      const fatvec::detail::Operand<const Scalar>&, const fatvec::detail::Epilogue<Scalar>&, \
      std::int64_t);
