// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <fatvec/core/error.hpp>

namespace fatvec::detail {

/// How the row-parallel kernels cut up their work. Zeros leave the choice to the kernel.
struct RowPolicy {
  int columns_per_thread = 0;  ///< lanes: columns in the registers of one thread, 1 to 8
  /// Lanes: threads that share the entries of a row, a power of two up to 32, where these lie side
  /// by side (CSR, BSR). Asks a CPU for lanes, whatever the format.
  int threads_per_row = 0;
  int blocks_per_thread = 0;  ///< CPU: blocks of rows per thread; more than 4 are taken by the
                              ///< thread that is free (run_blocks.hpp)

  static std::vector<RowPolicy> tuning_range() {
    return {{0, 0, 1}, {0, 0, 16}, {0, 1, 0}, {1, 2, 0},
            {2, 4, 0}, {0, 8, 0},  {4, 1, 0}, {8, 32, 0}};
  }
  [[nodiscard]] std::string to_string() const {
    return concat("columns_per_thread:", columns_per_thread, "/threads_per_row:", threads_per_row,
                  "/blocks_per_thread:", blocks_per_thread);
  }
};

}  // namespace fatvec::detail
