// SPDX-License-Identifier: Apache-2.0
#include "harness/session.hpp"

#include <algorithm>

#include <fatvec/analyse/traffic.hpp>
#include <fatvec/core/error.hpp>

namespace fatvec::bench {
namespace {

/// A result that differs from the oracle's; not an Error of the library, so that nothing else can be taken for it.
struct WrongResult {
  std::string what;
};

/// Y as the product has it now must be A · X.
void require_right(const product::Product& product, Problem& problem, std::int64_t k) {
  const auto y = problem.poisoned_y(k);
  product.store(y);
  if (auto difference = problem.difference(y)) throw WrongResult{std::move(*difference)};
}

}  // namespace

Session::Session(const Options& options, Bandwidths bandwidths, double cache_bytes)
    : dry_run_(options.dry_run),
      max_expansion_(options.max_expansion),
      bandwidths_(std::move(bandwidths)),
      cache_bytes_(cache_bytes) {
  policy_.most_seconds = options.max_seconds;
}

void Session::register_cases(const std::vector<BenchCase>& cases) {
  for (const auto& bench_case : cases) {
    // One iteration whose manual time is the median: repetitions, warm-up and statistics are the harness's own.
    benchmark::RegisterBenchmark(bench_case.name().c_str(),
                                 [this, bench_case](benchmark::State& state) { run(bench_case, state); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

/// Whatever happens to a case is its row; the others go on.
void Session::run(const BenchCase& bench_case, benchmark::State& state) {
  const auto skip = [&](int& count, const std::string& reason) {
    ++count;
    state.SkipWithError(reason.c_str());
  };
  try {
    measure(bench_case, state);
  } catch (const WrongResult& wrong) {
    wrong_result_ = true;
    skip(failed_, wrong.what);
  } catch (const CapacityError& error) {
    skip(skipped_, detail::concat("skipped: ", error.what()));
  } catch (const UsageError& error) {
    skip(skipped_, detail::concat("skipped: ", error.what()));
  } catch (const std::exception& error) {
    skip(failed_, detail::concat("failed: ", error.what()));
  } catch (...) {
    skip(failed_, "failed: an exception of unknown type");
  }
}

void Session::measure(const BenchCase& bench_case, benchmark::State& state) {
  Problem& problem = this->problem(bench_case);
  product::Case task{.matrix = problem.matrix(), .k = bench_case.k, .layout = bench_case.layout, .options = {}};
  // A format that is mostly padding would take minutes to fill, and push everything else out of memory, to show what is known.
  task.options.memory_limit = std::min(static_cast<std::uint64_t>(max_expansion_ * static_cast<double>(task.matrix.bytes())),
                                       free_bytes(bench_case.contender->backend) / 2);
  if (bench_case.contender->unsupported) {
    if (const auto reason = bench_case.contender->unsupported(task)) throw UsageError(*reason);
  }
  const auto product = bench_case.contender->prepare(task);
  product->load(problem.x(task.k), problem.poisoned_y(task.k));
  Timing timing{.seconds = {product->run(1, 0)}};
  require_right(*product, problem, task.k);
  if (!dry_run_) {
    timing = time_product(*product, policy_);
    require_right(*product, problem, task.k);  // still: a race may show only now
  }
  for (auto _ : state) state.SetIterationTime(timing.median());
  report(bench_case, timing, *product, state);
  ++verified_;
}

Problem& Session::problem(const BenchCase& bench_case) {
  const auto& source = bench_case.matrix;
  if (problem_ && problem_->name() == source.name) return *problem_;
  problem_.reset();
  if (unreadable_name_ == source.name) throw Error(unreadable_);
  try {
    problem_ = std::make_unique<Problem>(source, bench_case.largest_k);
  } catch (const std::exception& error) {
    unreadable_name_ = source.name;
    unreadable_ = error.what();
    throw Error(unreadable_);
  }
  return *problem_;
}

void Session::report(const BenchCase& bench_case, const Timing& timing, const product::Product& product,
                     benchmark::State& state) {
  const auto& statistics = problem_->statistics();
  const ProductSize size{
      .nnz = statistics.nnz, .rows = statistics.rows, .columns_touched = statistics.columns_touched, .k = bench_case.k};
  const double seconds = timing.median();
  const double bytes = compulsory_bytes(size);
  auto& counters = state.counters;
  counters["verified"] = 1;
  counters["median_seconds"] = seconds;
  counters["min_seconds"] = timing.seconds.front();
  counters["spread"] = timing.spread();
  counters["repetitions"] = static_cast<double>(timing.seconds.size());
  counters["capped"] = timing.capped && !dry_run_ ? 1 : 0;
  counters["GFLOPS"] = flops(size) / seconds * 1e-9;
  counters["bytes"] = bytes;
  counters["GBs"] = bytes / seconds * 1e-9;
  counters["bound_fraction"] = bytes / seconds * 1e-9 / bandwidths_.bound(bench_case.contender->backend);
  counters["setup_seconds"] = product.setup_seconds;
  counters["matrix_bytes"] = static_cast<double>(product.matrix_bytes);
  counters["stored_entries"] = static_cast<double>(product.stored_entries);
  counters["rows"] = static_cast<double>(statistics.rows);
  counters["nnz"] = static_cast<double>(statistics.nnz);
  // Below about 2 the repetitions read much of their operands from a cache, and bound_fraction may exceed 1.
  if (bench_case.contender->backend != "cuda") counters["bytes_per_cache"] = bytes / cache_bytes_;
}

}  // namespace fatvec::bench
