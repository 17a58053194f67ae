// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <vector>

/// How the programs and the benchmark time what is compared.
namespace fatvec::product {

/// How often a contender is run. Its very first run, which is verified, is never among these.
struct TimingPolicy {
  int repetitions = 20;         ///< timed at least,
  double least_seconds = 0.05;  ///< and for at least so long (short runs are noisy),
  double most_seconds = 0.5;    ///< but no longer than this, warm-up included,
  int fewest = 3;               ///< but for these
  int rounds = 5;               ///< turns in which a contender gets them
};

struct Timing {
  std::vector<double> seconds;  ///< of each repetition, ascending
  bool capped = false;          ///< most_seconds came before `repetitions`
  std::exception_ptr error{};   ///< what a run threw; the others were timed all the same

  /// What a run takes that nothing disturbs, the nearest that was seen. The one number that does
  /// not grow with the share of repetitions that other processes disturb.
  [[nodiscard]] double least() const { return seconds.front(); }
  [[nodiscard]] double quantile(double p) const;  ///< linear between neighbours
  [[nodiscard]] double median() const { return quantile(0.5); }
  /// (90 % quantile - 10 % quantile) / median.
  [[nodiscard]] double spread() const;
  /// Takes the repetitions of another timing of the same contender, too.
  void add(const Timing& other);
};

/// Seconds since some moment.
using Clock = std::function<double()>;
double steady_seconds();

/// Times the contenders of a case, each a function that runs once and returns its seconds. They
/// take turns, a few repetitions each, so that whatever disturbs the machine for a while (a
/// neighbour, a clock that falls) disturbs all of them and not the one whose turn it happens to be;
/// each round in another order, so that none always follows one that has the same arrays.
/// Caches are hot: every turn begins with an untimed run, so that each repetition reads what the
/// one before it left in the caches. `clock` says how long turns take, launches and synchronisation
/// included; the contenders time themselves.
std::vector<Timing> time_in_turns(const std::vector<std::function<double()>>& runs,
                                  const TimingPolicy& policy, const Clock& clock = steady_seconds);

/// "load average 2.1: others compute here, too; expect noise", or nothing where they do not. Ask
/// before computing: the process' own work counts, too.
std::string load_note();
/// The same for a load average, in processes.
std::string load_note(double load_average);

}  // namespace fatvec::product
