// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <fatvec/app/cli/common/terminal.hpp>

#include "harness/result_file.hpp"

namespace fatvec::bench {

/// The console: one line per row, narrow enough to read, a heading per matrix, the reason where
/// there is no result.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  /// measured: false for a dry run, whose rows are only told to be verified.
  TableReporter(std::string summary, bool measured)
      : summary_(std::move(summary)), measured_(measured) {}
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  void print_row(const Run& run);

  std::string summary_;
  bool measured_;
  std::string matrix_;
};

/// Google Benchmark's JSON, in two points nearer to what was measured: names without the
/// "/iterations:1/manual_time" of its own bookkeeping, and "repetitions" with the number that the
/// median is of. A wrong result has the counter verified: 0.
class JsonReporter : public benchmark::JSONReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
};

/// How far a long run is, on stderr: a bar on a terminal, else a line every half minute.
class RunProgress {
 public:
  explicit RunProgress(std::size_t total);
  void clear() const { bar_.clear(); }  ///< before something else is printed
  void step();

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t total_;
  std::size_t done_ = 0;
  cli::Progress bar_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point told_ = start_;
  // The rows of a group come together, when all of them are measured.
  Clock::time_point last_;            ///< when the last row came
  Clock::time_point group_ = start_;  ///< when the first row of its group came
  std::size_t rows_ = 0;              ///< of the groups before,
  double seconds_ = 0;                ///< and what these took
};

/// The display reporter: the table, the progress, and every row to the result file, if there is
/// one.
class RunReporter : public benchmark::BenchmarkReporter {
 public:
  RunReporter(TableReporter& table, RunProgress& progress, ResultFile* file)
      : table_(table), progress_(progress), file_(file) {}
  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  TableReporter& table_;
  RunProgress& progress_;
  ResultFile* file_;
};

}  // namespace fatvec::bench
