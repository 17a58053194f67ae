// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <fatvec/app/dispatch/matrix_product.hpp>

#include "harness/contender.hpp"

/// Products of a row-major X into a column-major Y (Gollmann 2020, listing 6): contenders with the
/// parameter column_major_y(), which have cases in layout row only.
namespace fatvec::bench {

inline Parameter column_major_y() {
  return {"y_layout", "column"};
}

inline bool has_column_major_y(const Contender& contender) {
  return contender.parameter(column_major_y().key) == column_major_y().value;
}

/// multiply: as of product::make_product, for CSR.
template <class Scalar, class ExecSpace, class Multiply>
std::unique_ptr<product::Product> make_mixed_product(const product::Case& task, Multiply multiply) {
  using Matrix = CsrMatrix<Scalar, std::int32_t, ExecSpace, std::int32_t>;
  return std::make_unique<
      product::MatrixProduct<Matrix, Kokkos::LayoutRight, Kokkos::LayoutLeft, Multiply>>(
      task, std::move(multiply));
}

}  // namespace fatvec::bench
