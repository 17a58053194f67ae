// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <numeric>
#include <vector>

#include "harness/outcome.hpp"

namespace fatvec::bench {

/// Runs cases as benchmarks of Google's. Those that stand side by side and belong together, the
/// contenders of one task, are measured together when the first of them runs. Case: has a name().
template <class Case>
class GroupedSession {
 public:
  GroupedSession() = default;
  GroupedSession(const GroupedSession&) = delete;
  GroupedSession& operator=(const GroupedSession&) = delete;
  virtual ~GroupedSession() = default;

  /// Registers every case with Google Benchmark. The session must outlive the run.
  void register_cases(const std::vector<Case>& cases) {
    for (const auto& bench_case : cases) {
      if (groups_.empty() || !same_group(groups_.back()->front(), bench_case))
        groups_.push_back(std::make_unique<Group>());
      Group* const group = groups_.back().get();
      const std::size_t index = group->size();
      group->push_back(bench_case);
      // One iteration whose manual time is the median: repetitions, warm-up and statistics are the
      // harness's own.
      benchmark::RegisterBenchmark(
          bench_case.name().c_str(),
          [this, group, index](benchmark::State& state) { run(*group, index, state); })
          ->Iterations(1)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }

  /// For a rank that takes part in measuring only: no benchmark runs.
  void measure_groups() {
    for (const auto& group : groups_) static_cast<void>(measure(*group));
  }

  [[nodiscard]] int verified() const { return verified_; }
  [[nodiscard]] int skipped() const { return skipped_; }  ///< cases a contender cannot take
  [[nodiscard]] int failed() const { return failed_; }    ///< wrong results and errors
  [[nodiscard]] bool wrong_result() const { return wrong_result_; }
  [[nodiscard]] virtual bool unreadable_input() const { return false; }

 protected:
  using Group = std::vector<Case>;

  [[nodiscard]] virtual bool same_group(const Case& a, const Case& b) const = 0;
  /// The outcomes, in the order of the cases.
  virtual std::vector<Outcome> measure(const Group& group) = 0;
  /// The counters of a verified case.
  virtual void report(const Case& bench_case, const Outcome& outcome,
                      benchmark::State& state) const = 0;

  /// Those that every case has.
  static void report_timing(const Timing& timing, bool dry_run, benchmark::State& state) {
    auto& counters = state.counters;
    const auto repetitions = static_cast<double>(timing.seconds.size());
    counters["verified"] = 1;
    counters["median_seconds"] = timing.median();
    counters["mean_seconds"] =
        std::accumulate(timing.seconds.begin(), timing.seconds.end(), 0.0) / repetitions;
    counters["min_seconds"] = timing.seconds.front();
    counters["spread"] = timing.spread();
    counters["repetitions"] = repetitions;
    counters["capped"] = timing.capped && !dry_run ? 1 : 0;
  }

 private:
  void run(const Group& group, std::size_t index, benchmark::State& state) {
    if (measured_ != &group) {
      outcomes_ = measure(group);
      measured_ = &group;
    }
    const Outcome& outcome = outcomes_[index];
    if (outcome.kind == Outcome::Kind::verified) {
      ++verified_;
      for (auto _ : state) state.SetIterationTime(outcome.timing.median());
      return report(group[index], outcome, state);
    }
    ++(outcome.kind == Outcome::Kind::skipped ? skipped_ : failed_);
    wrong_result_ = wrong_result_ || outcome.kind == Outcome::Kind::wrong;
    state.SkipWithError(outcome.reason.c_str());
  }

  std::vector<std::unique_ptr<Group>> groups_;
  const Group* measured_ = nullptr;  ///< the group that outcomes_ are of
  std::vector<Outcome> outcomes_;
  int verified_ = 0;
  int skipped_ = 0;
  int failed_ = 0;
  bool wrong_result_ = false;
};

}  // namespace fatvec::bench
