// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/csr.hpp>
#include <fatvec/kernels/detail/row_product.hpp>

namespace fatvec {

/// CSR, a row (CPU: a block of rows with its share of the nonzeros) per work-item, k columns in registers.
struct CsrRow {
  static constexpr const char* name = "csr-row";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Policy = detail::RowPolicy;

  template <class ExecSpace>
  static std::optional<std::string> unsupported(const ExecSpace&, std::int64_t) {
    return std::nullopt;
  }

  template <class ExecSpace, class M, class X, class T>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix, const X& x, const detail::Epilogue<T>& epilogue,
                  std::int64_t k) {
    detail::run_row_product("fatvec::CsrRow", exec, policy, matrix, x, epilogue, k);
  }
};

}  // namespace fatvec
