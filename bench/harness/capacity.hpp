// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "harness/cases.hpp"

namespace fatvec::bench {

/// What is known of a matrix before it is loaded.
struct MatrixSize {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;  ///< symmetric storage expanded
  bool from_file = false;
};

/// Bytes of host memory at the peak of loading the matrix, or of verifying a product with k
/// columns, whichever is more: A as CSR, twice (a contender may hold its own), X and Y, twice, and
/// the oracle's answer.
double peak_bytes(const MatrixSize& size, std::int64_t k);

/// Throws CapacityError, before anything is read or generated, where a twin or a file would not fit
/// into the free memory. Other generated matrices are checked by the generator.
void require_fits(const MatrixSource& source, std::int64_t largest_k);

}  // namespace fatvec::bench
