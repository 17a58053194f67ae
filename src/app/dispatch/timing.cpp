// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/dispatch/timing.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

namespace fatvec::product {
namespace {

/// One contender's repetitions, turn by turn.
class Runner {
 public:
  Runner(const std::function<double()>& run, const TimingPolicy& policy, const Clock& clock)
      : run_(run), policy_(policy), clock_(clock) {}

  [[nodiscard]] bool done() const {
    const auto runs = static_cast<int>(seconds_.size());
    if (error_) return true;
    if (runs < policy_.fewest) return false;
    const double timed = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
    return spent_ >= policy_.most_seconds ||
           (runs >= policy_.repetitions && timed >= policy_.least_seconds);
  }

  void take_turn() try {
    const double start = clock_();
    const auto turn = [&] { return clock_() - start; };
    run_();
    const double warm_up = turn();
    const double slice = policy_.most_seconds / policy_.rounds;
    const double least = policy_.least_seconds / policy_.rounds;
    int runs = 0;
    do {
      seconds_.push_back(run_());
      ++runs;
    } while (turn() < slice &&
             (runs * policy_.rounds < policy_.repetitions || turn() - warm_up < least));
    spent_ += turn();
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
  const Clock& clock_;
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

void Timing::add(const Timing& other) {
  seconds.insert(seconds.end(), other.seconds.begin(), other.seconds.end());
  std::sort(seconds.begin(), seconds.end());
  capped = capped && other.capped;
}

double steady_seconds() {
  using Steady = std::chrono::steady_clock;
  return std::chrono::duration<double>(Steady::now().time_since_epoch()).count();
}

std::vector<Timing> time_in_turns(const std::vector<std::function<double()>>& runs,
                                  const TimingPolicy& policy, const Clock& clock) {
  std::vector<Runner> runners;
  for (const auto& run : runs) runners.emplace_back(run, policy, clock);
  std::vector<Runner*> order;
  for (auto& runner : runners) order.push_back(&runner);
  std::mt19937 random(1);
  const auto waits = [](const Runner* runner) { return !runner->done(); };
  while (std::any_of(order.begin(), order.end(), waits)) {
    for (Runner* const runner : order)
      if (waits(runner)) runner->take_turn();
    std::shuffle(order.begin(), order.end(), random);
  }
  std::vector<Timing> timings;
  for (auto& runner : runners) timings.push_back(std::move(runner).timing());
  return timings;
}

std::string load_note(double load_average) {
  constexpr double others = 0.5;
  if (!(load_average > others)) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", load_average);
  return std::string("load average ") + text + ": others compute here, too; expect noise";
}

std::string load_note() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load_note(load) : "";
}

}  // namespace fatvec::product
