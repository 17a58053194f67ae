// SPDX-License-Identifier: Apache-2.0
#include "harness/vector_session.hpp"

namespace fatvec::bench {
namespace {

void require_right(VectorProblem& problem, Operation operation, const Reduction& reduction) {
  if (auto difference = problem.difference(operation, reduction.numbers()))
    throw WrongResult{std::move(*difference)};
}

/// Additions and multiplications that the definition of each number asks for.
double flops_per_element(Operation operation) {
  if (operation == Operation::statistics) return 4;
  return operation == Operation::asum ? 1 : 2;
}

}  // namespace

VectorSession::VectorSession(const Options& options, const Suite& suite, Bandwidths bandwidths)
    : timing_(options.timing(suite.max_seconds)),
      dry_run_(options.dry_run),
      in_int_(options.in_int()),
      bandwidths_(std::move(bandwidths)) {}

bool VectorSession::same_group(const VectorCase& a, const VectorCase& b) const {
  return a.contender->operation == b.contender->operation && a.n == b.n && a.k == b.k &&
         a.layout == b.layout;
}

std::vector<Outcome> VectorSession::measure(const Group& group) {
  const VectorCase& task = group.front();
  const Operation operation = task.contender->operation;
  if (!problem_ || !problem_->is(task.n, task.k, task.layout)) {
    problem_.reset();
    problem_ = std::make_unique<VectorProblem>(task.n, task.k, task.layout, in_int_);
  }
  std::vector<Outcome> outcomes(group.size());
  std::vector<std::unique_ptr<Reduction>> reductions;
  std::vector<std::function<double()>> runs;
  std::vector<Outcome*> timed;
  for (std::size_t at = 0; at < group.size(); ++at) {
    guarded(outcomes[at], [&] {
      const VectorContender& contender = *group[at].contender;
      auto reduction = contender.prepare(problem_->operands(contender.backend));
      outcomes[at].timing = Timing{.seconds = {reduction->run()}};
      require_right(*problem_, operation, *reduction);
      if (dry_run_) return;
      reductions.push_back(std::move(reduction));
      runs.emplace_back([reduction = reductions.back().get()] { return reduction->run(); });
      timed.push_back(&outcomes[at]);
    });
  }
  auto timings = product::time_in_turns(runs, timing_);
  for (std::size_t at = 0; at < timed.size(); ++at) {
    timed[at]->timing = std::move(timings[at]);
    guarded(*timed[at], [&] {
      if (timed[at]->timing.error) std::rethrow_exception(timed[at]->timing.error);
      require_right(*problem_, operation, *reductions[at]);  // still: a race may show only now
    });
  }
  return outcomes;
}

void VectorSession::report(const VectorCase& bench_case, const Outcome& outcome,
                           benchmark::State& state) const {
  const auto& contender = *bench_case.contender;
  const double seconds = outcome.timing.median();
  const double elements = static_cast<double>(bench_case.n) * static_cast<double>(bench_case.k);
  const double bytes = elements * static_cast<double>(in_int_ ? sizeof(int) : sizeof(double)) *
                       (contender.operation == Operation::dot ? 2 : 1);
  report_timing(outcome.timing, dry_run_, state);
  auto& counters = state.counters;
  counters["GFLOPS"] = flops_per_element(contender.operation) * elements / seconds * 1e-9;
  counters["bytes"] = bytes;
  counters["GBs"] = bytes / seconds * 1e-9;
  counters["bound_fraction"] = bytes / seconds * 1e-9 / bandwidths_.bound(contender.backend);
  counters["rows"] = static_cast<double>(bench_case.n);
  counters["bytes_per_cache"] = bytes / cache_bytes(contender.backend);
}

}  // namespace fatvec::bench
