// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "harness/bandwidth.hpp"
#include "harness/cases.hpp"
#include "harness/problem.hpp"
#include "harness/timing.hpp"

namespace fatvec::bench {

/// Runs the cases one after the other. At most one matrix is in memory: cases are ordered by matrix, and a matrix is loaded
/// when its first case runs and freed before the next one's.
class Session {
 public:
  Session(const Options& options, Bandwidths bandwidths, double cache_bytes);

  /// Registers every case with Google Benchmark. The session must outlive the run.
  void register_cases(const std::vector<BenchCase>& cases);

  [[nodiscard]] int verified() const { return verified_; }
  [[nodiscard]] int skipped() const { return skipped_; }  ///< cases a contender cannot take
  [[nodiscard]] int failed() const { return failed_; }    ///< wrong results and errors
  [[nodiscard]] bool wrong_result() const { return wrong_result_; }
  [[nodiscard]] bool unreadable_matrix() const { return !unreadable_.empty(); }

 private:
  void run(const BenchCase& bench_case, benchmark::State& state);
  void measure(const BenchCase& bench_case, benchmark::State& state);
  Problem& problem(const BenchCase& bench_case);
  void report(const BenchCase& bench_case, const Timing& timing, const product::Product& product, benchmark::State& state);

  TimingPolicy policy_;
  bool dry_run_;
  double max_expansion_;
  Bandwidths bandwidths_;
  double cache_bytes_;
  std::unique_ptr<Problem> problem_;
  std::string unreadable_name_;  ///< the last matrix that could not be loaded,
  std::string unreadable_;       ///< and why: every case of it tells
  int verified_ = 0;
  int skipped_ = 0;
  int failed_ = 0;
  bool wrong_result_ = false;
};

}  // namespace fatvec::bench
