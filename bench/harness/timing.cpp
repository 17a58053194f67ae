// SPDX-License-Identifier: Apache-2.0
#include "harness/timing.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace fatvec::bench {
namespace {

/// Wall-clock time, launches and synchronisation included; the contenders time themselves.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

/// One contender's repetitions, turn by turn.
class Runner {
 public:
  Runner(const std::function<double()>& run, const TimingPolicy& policy)
      : run_(run), policy_(policy) {}

  [[nodiscard]] bool done() const {
    const auto runs = static_cast<int>(seconds_.size());
    if (error_) return true;
    if (runs < policy_.fewest) return false;
    const double timed = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
    return spent_ >= policy_.most_seconds ||
           (runs >= policy_.repetitions && timed >= policy_.least_seconds);
  }

  void take_turn() try {
    const Stopwatch turn;
    run_();
    const double warm_up = turn.seconds();
    const double slice = policy_.most_seconds / policy_.rounds;
    const double least = policy_.least_seconds / policy_.rounds;
    int runs = 0;
    do {
      seconds_.push_back(run_());
      ++runs;
    } while (turn.seconds() < slice &&
             (runs * policy_.rounds < policy_.repetitions || turn.seconds() - warm_up < least));
    spent_ += turn.seconds();
  } catch (...) {
    error_ = std::current_exception();
  }

  [[nodiscard]] Timing timing() && {
    Timing timing{.seconds = std::move(seconds_), .error = error_};
    timing.capped = timing.seconds.size() < static_cast<std::size_t>(policy_.repetitions);
    std::sort(timing.seconds.begin(), timing.seconds.end());
    return timing;
  }

 private:
  const std::function<double()>& run_;
  const TimingPolicy& policy_;
  std::vector<double> seconds_;
  double spent_ = 0;
  std::exception_ptr error_;
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

std::vector<Timing> time_in_turns(const std::vector<std::function<double()>>& runs,
                                  const TimingPolicy& policy) {
  std::vector<Runner> runners;
  for (const auto& run : runs) runners.emplace_back(run, policy);
  const auto waits = [](const Runner& runner) { return !runner.done(); };
  while (std::any_of(runners.begin(), runners.end(), waits))
    for (auto& runner : runners)
      if (waits(runner)) runner.take_turn();
  std::vector<Timing> timings;
  for (auto& runner : runners) timings.push_back(std::move(runner).timing());
  return timings;
}

}  // namespace fatvec::bench
