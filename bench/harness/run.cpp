// SPDX-License-Identifier: Apache-2.0
#include "harness/run.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "harness/reporters.hpp"

namespace fatvec::bench {

Run::Run(const Options& options, const ResultFile::Facts& facts, std::string summary)
    : options_(options),
      summary_(std::move(summary)),
      names_only_(options.has_benchmark_flag("benchmark_list_tests")) {
  for (const auto& [key, value] : facts) benchmark::AddCustomContext(key, value);
  if (options.output.empty() || names_only_) return;
  file_ = std::make_unique<ResultFile>(options.output, facts, options.resume);
  kept_ = file_->kept();
  if (file_->senseless_lines() > 0)
    std::fprintf(stderr, "%zu lines of %s.part make no sense and are left out\n",
                 file_->senseless_lines(), options.output.c_str());
}

/// Google Benchmark takes a reporter for its own output file only where there is one.
void Run::run(std::size_t cases) {
  if (options_.resume && file_)
    std::fprintf(stderr, "%zu rows are there, %zu are left\n", kept_, cases);
  if (cases == 0) return;
  TableReporter table(summary_, !options_.dry_run);
  RunProgress progress(cases);
  RunReporter display(table, progress, file_.get());
  JsonReporter json;
  const bool to_file =
      options_.has_benchmark_flag("benchmark_out") || std::getenv("BENCHMARK_OUT") != nullptr;
  benchmark::RunSpecifiedBenchmarks(&display, to_file ? &json : nullptr);
  progress.clear();
}

void Run::write(int verified, int skipped, int failed) {
  if (const std::string aside = file_ ? file_->finish() : ""; !aside.empty())
    std::fprintf(stderr, "the lines that make no sense are in %s now\n", aside.c_str());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const std::string before =
      kept_ > 0 ? std::to_string(kept_) + " rows kept from the run before; in this one " : "";
  std::fprintf(stderr, "\n%s%d verified, %d skipped, %d failed; %.0f s\n", before.c_str(), verified,
               skipped, failed, seconds);
}

}  // namespace fatvec::bench
