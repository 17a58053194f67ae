// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "harness/bandwidth.hpp"
#include "harness/cases.hpp"
#include "harness/group.hpp"
#include "harness/problem.hpp"

namespace fatvec::bench {

/// Runs the cases. At most one matrix is in memory: cases are ordered by matrix, and a matrix is loaded when its first case
/// runs and freed before the next one's. The cases of one matrix, layout and k are measured together when the first of them
/// runs.
class Session {
 public:
  Session(const Options& options, Bandwidths bandwidths, double cache_bytes);

  /// Registers every case with Google Benchmark. The session must outlive the run.
  void register_cases(const std::vector<BenchCase>& cases);

  [[nodiscard]] int verified() const { return verified_; }
  [[nodiscard]] int skipped() const { return skipped_; }  ///< cases a contender cannot take
  [[nodiscard]] int failed() const { return failed_; }    ///< wrong results and errors
  [[nodiscard]] bool wrong_result() const { return wrong_result_; }
  [[nodiscard]] bool unreadable_matrix() const { return unreadable_; }

 private:
  using Group = std::vector<BenchCase>;

  void run(const Group& group, std::size_t index, benchmark::State& state);
  std::vector<Outcome> measure(const Group& group);
  void load(const BenchCase& bench_case);
  void report(const BenchCase& bench_case, const Outcome& outcome, benchmark::State& state) const;

  GroupPolicy policy_;
  Bandwidths bandwidths_;
  double cache_bytes_;
  std::vector<std::unique_ptr<Group>> groups_;
  const Group* measured_ = nullptr;  ///< the group that outcomes_ are of
  std::vector<Outcome> outcomes_;
  std::unique_ptr<Problem> problem_;
  std::string missing_name_;           ///< the last matrix that could not be loaded,
  std::exception_ptr missing_reason_;  ///< and why: every case of it tells
  int verified_ = 0;
  int skipped_ = 0;
  int failed_ = 0;
  bool wrong_result_ = false;
  bool unreadable_ = false;
};

}  // namespace fatvec::bench
