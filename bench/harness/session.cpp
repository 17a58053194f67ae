// SPDX-License-Identifier: Apache-2.0
#include "harness/session.hpp"

#include <map>

#include <fatvec/core/error.hpp>
#include <fatvec/statistics/traffic.hpp>

namespace fatvec::bench {

Session::Session(const Options& options, const Suite& suite, Bandwidths bandwidths)
    : policy_{.timing = options.timing(suite.max_seconds),
              .precision = options.precision(),
              .alpha = options.alpha,
              .beta = options.beta,
              .dry_run = options.dry_run,
              .max_expansion = options.max_expansion},
      transfers_(options.copies()),
      bandwidths_(std::move(bandwidths)) {}

bool Session::same_group(const BenchCase& a, const BenchCase& b) const {
  return a.matrix.name == b.matrix.name && a.layout == b.layout && a.k == b.k;
}

/// A matrix that cannot be had is an outcome, too.
std::vector<Outcome> Session::measure(const Group& group) {
  Outcome none;
  try {
    load(group.front());
    auto outcomes = measure_group(*problem_, group, policy_);
    add_copies(group, outcomes);
    return outcomes;
  } catch (const PrecisionError& error) {
    none = {.kind = Outcome::Kind::skipped, .reason = detail::concat("skipped: ", error.what())};
  } catch (const CapacityError& error) {
    none = {.kind = Outcome::Kind::skipped, .reason = detail::concat("skipped: ", error.what())};
  } catch (const std::exception& error) {
    unreadable_ = true;
    none = {.kind = Outcome::Kind::failed, .reason = detail::concat("failed: ", error.what())};
  }
  return std::vector<Outcome>(group.size(), none);
}

/// Once for each backend: they do not depend on the contender.
void Session::add_copies(const Group& group, std::vector<Outcome>& outcomes) const {
  const auto& matrix = problem_->matrix();
  const double row = static_cast<double>(group.front().k * problem_->value_bytes());
  std::map<std::string, std::optional<Copies>> of_backend;
  for (std::size_t n = 0; n < group.size(); ++n) {
    const std::string& backend = group[n].contender->backend;
    if (!of_backend.contains(backend))
      of_backend[backend] = measure_copies(backend, transfers_, row * matrix.cols(),
                                           row * matrix.rows(), policy_.beta != 0, policy_.dry_run);
    outcomes[n].copies = of_backend[backend];
  }
}

void Session::load(const BenchCase& bench_case) {
  const auto& source = bench_case.matrix;
  if (problem_ && problem_->name() == source.name) return;
  problem_.reset();
  if (missing_name_ == source.name) std::rethrow_exception(missing_reason_);
  try {
    problem_ = std::make_unique<Problem>(source, bench_case.largest_k, policy_.precision,
                                         policy_.alpha, policy_.beta);
  } catch (...) {
    missing_name_ = source.name;
    missing_reason_ = std::current_exception();
    throw;
  }
}

void Session::report(const BenchCase& bench_case, const Outcome& outcome,
                     benchmark::State& state) const {
  const Timing& timing = outcome.timing;
  const auto& statistics = problem_->statistics();
  const ProductSize size{.nnz = statistics.nnz,
                         .rows = statistics.rows,
                         .columns_touched = statistics.columns_touched,
                         .k = bench_case.k,
                         .reads_y = policy_.beta != 0,
                         .value_bytes = problem_->value_bytes()};
  const double seconds = timing.median();
  const double bytes = compulsory_bytes(size);
  report_timing(timing, policy_.dry_run, state);
  auto& counters = state.counters;
  counters["GFLOPS"] = flops(size) / seconds * 1e-9;
  counters["bytes"] = bytes;
  counters["GBs"] = bytes / seconds * 1e-9;
  counters["bound_fraction"] =
      bytes / seconds * 1e-9 / bandwidths_.bound(bench_case.contender->backend);
  counters["setup_seconds"] = outcome.setup_seconds;
  counters["matrix_bytes"] = static_cast<double>(outcome.matrix_bytes);
  counters["stored_entries"] = static_cast<double>(outcome.stored_entries);
  counters["rows"] = static_cast<double>(statistics.rows);
  counters["nnz"] = static_cast<double>(statistics.nnz);
  counters["row_deviation"] = statistics.percent_average_deviation;
  if (const auto& copies = outcome.copies) {
    counters["copy_in_bytes"] = copies->bytes_in;
    counters["copy_out_bytes"] = copies->bytes_out;
    counters["copy_in_seconds"] = copies->in_seconds;
    counters["copy_out_seconds"] = copies->out_seconds;
    if (copies->pinned_in_seconds) counters["pinned_in_seconds"] = *copies->pinned_in_seconds;
    if (copies->pinned_out_seconds) counters["pinned_out_seconds"] = *copies->pinned_out_seconds;
  }
  // Below about 2 the repetitions read much of their operands from a cache, and bound_fraction may
  // exceed 1.
  counters["bytes_per_cache"] = bytes / cache_bytes(bench_case.contender->backend);
}

}  // namespace fatvec::bench
