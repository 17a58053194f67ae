// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/hll.hpp>
#include <fatvec/kernels/detail/row_product.hpp>

namespace fatvec {

/// HLL, a row per work-item: on a GPU the threads of a warp read the slots of neighbouring rows of one hack, coalesced.
struct HllRow {
  static constexpr const char* name = "hll-row";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = HllMatrix<Scalar, Ordinal, Device, Offset>;
  using Policy = detail::RowPolicy;

  template <class ExecSpace>
  static std::optional<std::string> unsupported(const ExecSpace&, std::int64_t) {
    return std::nullopt;
  }

  template <class ExecSpace, class M, class X, class T>
  static void run(const ExecSpace& exec, const Policy& policy, const M& matrix, const X& x, const detail::Epilogue<T>& epilogue,
                  std::int64_t k) {
    detail::run_row_product("fatvec::HllRow", exec, policy, matrix, x, epilogue, k);
  }
};

}  // namespace fatvec
