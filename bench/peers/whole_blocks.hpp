// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/core/error.hpp>

namespace fatvec::bench {

/// Libraries take a matrix of blocks for one whose rows and columns are whole blocks, and read X
/// and write Y accordingly. UsageError, which skips the row, where the last block is not whole.
template <class Bsr>
void require_whole_blocks(const Bsr& matrix, const char* library) {
  const int size = matrix.block_size();
  if (matrix.rows() % size == 0 && matrix.cols() % size == 0) return;
  throw UsageError(detail::concat(library,
                                  " wants rows and columns that are multiples of the block size ",
                                  size, "; these are ", matrix.rows(), " x ", matrix.cols(), "."));
}

}  // namespace fatvec::bench
