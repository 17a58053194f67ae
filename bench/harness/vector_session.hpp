// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "harness/bandwidth.hpp"
#include "harness/cases.hpp"
#include "harness/grouped_session.hpp"
#include "harness/options.hpp"
#include "harness/vector_problem.hpp"

namespace fatvec::bench {

/// Runs the cases of the suite of vectors. The contenders of one operation, length, layout and k
/// are verified, then timed in turns, on the same operands; those of one length are in memory at a
/// time.
class VectorSession final : public GroupedSession<VectorCase> {
 public:
  VectorSession(const Options& options, const Suite& suite, Bandwidths bandwidths);

 private:
  [[nodiscard]] bool same_group(const VectorCase& a, const VectorCase& b) const override;
  std::vector<Outcome> measure(const Group& group) override;
  void report(const VectorCase& bench_case, const Outcome& outcome,
              benchmark::State& state) const override;

  TimingPolicy timing_;
  bool dry_run_;
  bool in_int_;
  Bandwidths bandwidths_;
  std::unique_ptr<VectorProblem> problem_;
};

}  // namespace fatvec::bench
