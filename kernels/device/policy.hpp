// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <fatvec/core/error.hpp>

namespace fatvec::device {

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
