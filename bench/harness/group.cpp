// SPDX-License-Identifier: Apache-2.0
#include "harness/group.hpp"

#include <algorithm>
#include <functional>
#include <memory>

#include <fatvec/core/error.hpp>

#include "harness/bandwidth.hpp"

namespace fatvec::bench {
namespace {

/// Y as the product has it now must be the answer.
void require_right(const product::Product& product, Problem& problem, std::int64_t k) {
  const auto y = problem.initial_y(k);
  product.store(y);
  if (auto difference = problem.difference(y)) throw WrongResult{std::move(*difference)};
}

/// Products that wait side by side to be timed.
class Batch {
 public:
  Batch(Problem& problem, const GroupPolicy& policy) : problem_(problem), policy_(policy) {}

  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] double bytes() const { return bytes_; }
  /// Whether free memory, not the policy, was the limit of the last case.
  [[nodiscard]] bool short_of_memory() const { return short_of_memory_; }

  /// Prepares the case, runs it once and verifies that.
  void add(const BenchCase& bench_case, Outcome& outcome) {
    const auto& contender = *bench_case.contender;
    product::Case task = problem_.task(bench_case.k, bench_case.layout);
    // A format that is mostly padding would take minutes to fill, and push everything else out of
    // memory, to show what is known.
    constexpr double largest = 0x1p63;
    const auto csr_bytes = static_cast<double>(
        task.float_values ? product::matrix_of<float>(task).bytes() : task.matrix.bytes());
    const auto most =
        static_cast<std::uint64_t>(std::min(largest, policy_.max_expansion * csr_bytes));
    const std::uint64_t free = free_bytes(contender.backend) / 2;
    short_of_memory_ = free < most;
    task.options.memory_limit = std::min(most, free);
    if (contender.unsupported) {
      if (const auto reason = contender.unsupported(task)) throw UsageError(*reason);
    }
    auto product = contender.prepare(task);
    product->load(problem_.x(task.k), problem_.initial_y(task.k));
    outcome.timing = Timing{.seconds = {product->run(problem_.alpha(), problem_.beta())}};
    require_right(*product, problem_, task.k);
    outcome.setup_seconds = product->setup_seconds;
    outcome.matrix_bytes = product->matrix_bytes;
    outcome.stored_entries = product->stored_entries;
    bytes_ += static_cast<double>(product->matrix_bytes) +
              static_cast<double>(problem_.value_bytes()) * static_cast<double>(task.k) *
                  static_cast<double>(task.matrix.rows() + task.matrix.cols());
    if (!policy_.dry_run) members_.push_back({std::move(product), &outcome, task.k});
  }

  /// Times the members and lets go of them.
  void finish() {
    std::vector<std::function<double()>> runs;
    for (const auto& member : members_)
      runs.emplace_back([&] { return member.product->run(problem_.alpha(), problem_.beta()); });
    auto timings = product::time_in_turns(runs, policy_.timing);
    for (std::size_t n = 0; n < members_.size(); ++n) {
      const auto& [product, outcome, k] = members_[n];
      outcome->timing = std::move(timings[n]);
      guarded(*outcome, [&, &product = product, &outcome = outcome, k = k] {
        if (outcome->timing.error) std::rethrow_exception(outcome->timing.error);
        if (problem_.beta() != 0) {  // the repetitions have gone on from one another's Y
          product->load(problem_.x(k), problem_.initial_y(k));
          product->run(problem_.alpha(), problem_.beta());
        }
        require_right(*product, problem_, k);  // still: a race may show only now
      });
    }
    members_.clear();
    bytes_ = 0;
  }

 private:
  struct Member {
    std::unique_ptr<product::Product> product;
    Outcome* outcome;
    std::int64_t k;
  };
  Problem& problem_;
  const GroupPolicy& policy_;
  std::vector<Member> members_;
  double bytes_ = 0;
  bool short_of_memory_ = false;
};

}  // namespace

std::vector<Outcome> measure_group(Problem& problem, const std::vector<BenchCase>& cases,
                                   const GroupPolicy& policy) {
  std::vector<Outcome> outcomes(cases.size());
  Batch batch(problem, policy);
  for (std::size_t n = 0; n < cases.size(); ++n) {
    guarded(outcomes[n], [&] {
      try {
        batch.add(cases[n], outcomes[n]);
      } catch (const CapacityError&) {
        if (batch.empty() || !batch.short_of_memory()) throw;
        batch.finish();  // the others may be what fills the memory
        batch.add(cases[n], outcomes[n]);
      }
    });
    if (4 * batch.bytes() > static_cast<double>(free_bytes(cases[n].contender->backend)))
      batch.finish();
  }
  batch.finish();
  return outcomes;
}

}  // namespace fatvec::bench
