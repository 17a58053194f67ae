// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <fatvec/product/product.hpp>

namespace fatvec::bench {

/// How often a product is repeated. The very first run of a product, which verifies it, is never among these.
struct TimingPolicy {
  double warm_up_seconds = 0.02;  ///< untimed, at least one run: clocks rise, pages and caches settle
  int repetitions = 20;           ///< at least so many are timed,
  double least_seconds = 0.05;    ///< and for at least so long (short products are noisy),
  double most_seconds = 1;        ///< but no longer than this,
  int fewest = 3;                 ///< except for so many
};

struct Timing {
  std::vector<double> seconds;  ///< of each repetition, ascending
  bool capped = false;          ///< most_seconds came before `repetitions`

  [[nodiscard]] double quantile(double p) const;  ///< linear between neighbours
  [[nodiscard]] double median() const { return quantile(0.5); }
  /// (90 % quantile - 10 % quantile) / median.
  [[nodiscard]] double spread() const;
};

/// Times Y = A · X, caches hot: every repetition reads the operands that the one before it left in the caches.
Timing time_product(product::Product& product, const TimingPolicy& policy);

}  // namespace fatvec::bench
