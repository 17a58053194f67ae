// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <fatvec/io/matrix_market.hpp>

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

/// Throws CapacityError, before anything is generated, where a twin would not fit into the free
/// memory. Other generated matrices are checked by the generator.
void require_fits(const MatrixSource& twin, std::int64_t largest_k);

/// The same for a file of which no more than the header was read.
void require_fits(const MatrixSource& file, const io::MatrixMarketHeader& header,
                  std::int64_t largest_k);

}  // namespace fatvec::bench
