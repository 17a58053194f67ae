// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <fatvec/app/dispatch/matrix_product.hpp>
#include <fatvec/core/error.hpp>
#include <fatvec/formats/symmetric.hpp>

#include "harness/scalar.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {

/// The product of a matrix in symmetric storage. One that is not symmetric skips the row.
template <class ExecSpace, class Multiply>
std::unique_ptr<product::Product> make_of_symmetric(const product::Case& task, Multiply multiply) {
  using Matrix = SymmetricMatrix<Scalar, std::int32_t, ExecSpace, std::int32_t>;
  try {
    return product::make_product<Matrix>(task, std::move(multiply));
  } catch (const ShapeError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
