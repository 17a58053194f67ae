// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

namespace fatvec::bench {

/// The console: one line per row, narrow enough to read, a heading per matrix, the reason where there is no result.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  /// measured: false for a dry run, whose rows are only told to be verified.
  TableReporter(std::string summary, bool measured) : summary_(std::move(summary)), measured_(measured) {}
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  void print_row(const Run& run);

  std::string summary_;
  bool measured_;
  std::string matrix_;
};

/// Google Benchmark's JSON, in two points nearer to what was measured: names without the "/iterations:1/manual_time" of its own
/// bookkeeping, and "repetitions" with the number that the median is of. A wrong result has the counter verified: 0.
class JsonReporter : public benchmark::JSONReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
};

}  // namespace fatvec::bench
