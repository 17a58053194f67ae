// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

/// Which of several backends should form N products of one matrix.
namespace fatvec::product {

/// Seconds: what is paid once (the matrix copied to the backend's memory, its conversion, and X and
/// Y where they stay there), and what each product takes (with the copies of its X and Y where
/// they do not).
struct BackendCost {
  double once = 0;
  double each = 0;

  [[nodiscard]] double total(double products) const { return once + products * each; }
};

/// The backend that takes the least time for N products, and the numbers of products for which it
/// does: from `from` (at least 1) on, up to `until`, which may be infinite.
struct Fastest {
  std::size_t index = 0;
  double from = 1;
  double until = std::numeric_limits<double>::infinity();
};

/// costs: at least one. Of equals the first.
inline Fastest fastest_backend(const std::vector<BackendCost>& costs, double products) {
  Fastest found;
  for (std::size_t n = 1; n < costs.size(); ++n)
    if (costs[n].total(products) < costs[found.index].total(products)) found.index = n;
  const BackendCost& best = costs[found.index];
  for (const BackendCost& other : costs) {
    const double level = (best.once - other.once) / (other.each - best.each);
    if (best.each < other.each) found.from = std::max(found.from, std::ceil(level));
    if (best.each > other.each) found.until = std::min(found.until, std::floor(level));
  }
  return found;
}

/// Bytes a second, in 1e9, of copies between ordinary memory of the host and the backend's own;
/// infinite where the backend multiplies in the host's memory, and nothing is copied.
struct TransferBandwidth {
  double in_gbs = std::numeric_limits<double>::infinity();
  double out_gbs = std::numeric_limits<double>::infinity();
};

/// Measured: the fastest of a few copies. Throws CapacityError where there is no room for them.
TransferBandwidth transfer_bandwidth(std::string_view backend);

}  // namespace fatvec::product
