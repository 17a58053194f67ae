// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <fatvec/core/error.hpp>

namespace fatvec::device {

/// How device kernels that take a row per thread, or threads per row, cut up their work. Zeros
/// leave the choice to the kernel.
struct RowPolicy {
  int columns_per_thread = 0;  ///< columns in the registers of one thread, 1 to 8
  /// Threads that share the entries of a row, a power of two up to 32, where these lie side by side
  /// (CSR, BSR).
  int threads_per_row = 0;

  static std::vector<RowPolicy> tuning_range() {
    return {{0, 1}, {1, 2}, {2, 4}, {0, 8}, {4, 1}, {8, 32}};
  }
  [[nodiscard]] std::string to_string() const {
    return detail::concat("columns_per_thread:", columns_per_thread,
                          "/threads_per_row:", threads_per_row);
  }
  bool operator==(const RowPolicy&) const = default;
};

/// How windows of BitTCF are multiplied; zero leaves the choice to the kernel.
struct WindowPolicy {
  int column_tiles = 0;  ///< tensor cores: tiles of 8 columns of X that a warp holds, 1 to 9

  static std::vector<WindowPolicy> tuning_range() { return {{4}, {6}}; }
  [[nodiscard]] std::string to_string() const {
    return detail::concat("column_tiles:", column_tiles);
  }
  bool operator==(const WindowPolicy&) const = default;
};

}  // namespace fatvec::device
