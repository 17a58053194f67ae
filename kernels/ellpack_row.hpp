// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/ellpack.hpp>
#include <fatvec/kernels/detail/row_product.hpp>

namespace fatvec {

/// ELLPACK, a row per work-item, in whichever storage order the matrix has; stops at the row's length, not at the padding.
struct EllpackRow {
  static constexpr const char* name = "ellpack-row";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = EllMatrix<Scalar, Ordinal, Device, Offset>;
  using Policy = detail::RowPolicy;

  template <class ExecSpace>
  static std::optional<std::string> unsupported(const ExecSpace&, std::int64_t) {
    return std::nullopt;
  }

  template <class ExecSpace, class M, class X, class T>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix, const X& x, const detail::Epilogue<T>& epilogue,
                  std::int64_t k) {
    detail::run_row_product("fatvec::EllpackRow", exec, policy, matrix, x, epilogue, k);
  }
};

}  // namespace fatvec
