// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <vector>

namespace fatvec::bench {

/// How often a contender is run. Its very first run, which is verified, is never among these.
struct TimingPolicy {
  int repetitions = 20;         ///< at least so many are timed,
  double least_seconds = 0.05;  ///< and for at least so long (short runs are noisy),
  double most_seconds = 0.5;    ///< but no longer than this, warm-up included,
  int fewest = 3;               ///< except for so many
  int rounds = 5;               ///< turns in which a contender gets them
};

struct Timing {
  std::vector<double> seconds;  ///< of each repetition, ascending
  bool capped = false;          ///< most_seconds came before `repetitions`
  std::exception_ptr error{};   ///< what a run threw; the others were timed all the same

  [[nodiscard]] double quantile(double p) const;  ///< linear between neighbours
  [[nodiscard]] double median() const { return quantile(0.5); }
  /// (90 % quantile - 10 % quantile) / median.
  [[nodiscard]] double spread() const;
};

/// Times the contenders of a case, each a function that runs once and returns its seconds. They
/// take turns, a few repetitions each, so that whatever disturbs the machine for a while (a
/// neighbour, a clock that falls) disturbs all of them and not the one whose turn it happens to be.
/// Caches are hot: every turn begins with an untimed run, so that each repetition reads what the
/// one before it left in the caches.
std::vector<Timing> time_in_turns(const std::vector<std::function<double()>>& runs,
                                  const TimingPolicy& policy);

}  // namespace fatvec::bench
