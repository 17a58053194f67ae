// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <fatvec/core/error.hpp>

namespace fatvec::host {

/// How host kernels cut up their work; zero leaves the choice to the kernel.
struct Policy {
  /// Shares of the rows per thread; more than 4 are taken by the thread that is free
  /// (partition.hpp).
  int blocks_per_thread = 0;

  static std::vector<Policy> tuning_range() { return {{1}, {16}}; }
  [[nodiscard]] std::string to_string() const {
    return detail::concat("blocks_per_thread:", blocks_per_thread);
  }
  bool operator==(const Policy&) const = default;
};

}  // namespace fatvec::host
