// SPDX-License-Identifier: Apache-2.0
#include "harness/timing.hpp"

#include <algorithm>
#include <chrono>

namespace fatvec::bench {
namespace {

/// Wall-clock time that a row has spent, launches and synchronisation included; the products time themselves.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

double Timing::quantile(double p) const {
  const double at = p * static_cast<double>(seconds.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, seconds.size() - 1);
  return seconds[below] + (at - static_cast<double>(below)) * (seconds[above] - seconds[below]);
}

double Timing::spread() const {
  return (quantile(0.9) - quantile(0.1)) / median();
}

Timing time_product(product::Product& product, const TimingPolicy& policy) {
  const Stopwatch warm_up;
  do product.run(1, 0);
  while (warm_up.seconds() < policy.warm_up_seconds);

  Timing timing;
  const Stopwatch total;
  const auto done = [&](std::size_t runs, double seconds) {
    if (runs < static_cast<std::size_t>(policy.fewest)) return false;
    return seconds >= policy.most_seconds ||
           (runs >= static_cast<std::size_t>(policy.repetitions) && seconds >= policy.least_seconds);
  };
  while (!done(timing.seconds.size(), total.seconds())) timing.seconds.push_back(product.run(1, 0));
  timing.capped = timing.seconds.size() < static_cast<std::size_t>(policy.repetitions);
  std::sort(timing.seconds.begin(), timing.seconds.end());
  return timing;
}

}  // namespace fatvec::bench
