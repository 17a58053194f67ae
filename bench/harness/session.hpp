// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "harness/bandwidth.hpp"
#include "harness/cases.hpp"
#include "harness/group.hpp"
#include "harness/grouped_session.hpp"
#include "harness/problem.hpp"

namespace fatvec::bench {

/// Runs the cases of products. At most one matrix is in memory: cases are ordered by matrix, and a
/// matrix is loaded when its first case runs and freed before the next one's. The cases of one
/// matrix, layout and k are measured together.
class Session final : public GroupedSession<BenchCase> {
 public:
  Session(const Options& options, const Suite& suite, Bandwidths bandwidths);

  [[nodiscard]] bool unreadable_input() const override { return unreadable_; }

 private:
  [[nodiscard]] bool same_group(const BenchCase& a, const BenchCase& b) const override;
  std::vector<Outcome> measure(const Group& group) override;
  void report(const BenchCase& bench_case, const Outcome& outcome,
              benchmark::State& state) const override;
  void load(const BenchCase& bench_case);

  void add_copies(const Group& group, std::vector<Outcome>& outcomes) const;

  GroupPolicy policy_;
  Transfers transfers_;
  Bandwidths bandwidths_;
  std::unique_ptr<Problem> problem_;
  std::string missing_name_;           ///< the last matrix that could not be loaded,
  std::exception_ptr missing_reason_;  ///< and why: every case of it tells
  bool unreadable_ = false;
};

}  // namespace fatvec::bench
