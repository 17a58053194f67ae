// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fatvec::bench {

/// The results of a run as Google Benchmark's JSON, safe against interruption: each row goes at
/// once to FILE.part (one JSON object a line, the context first), and the whole replaces FILE when
/// the run is over.
class ResultFile {
 public:
  using Facts = std::vector<std::pair<std::string, std::string>>;

  /// resume: rows that FILE.part or FILE has already are kept. Throws UsageError where they were
  /// measured by another build, on another machine or with other threads, where FILE.part exists
  /// and resume is off, and where the folder cannot be written.
  ResultFile(std::string path, const Facts& facts, bool resume);
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;
  ~ResultFile();

  [[nodiscard]] bool has(const std::string& case_name) const { return names_.count(case_name) > 0; }
  [[nodiscard]] std::size_t kept() const { return names_.size(); }

  void set_context(const std::string& json);
  void add(const std::string& row_json);
  /// Writes FILE and removes FILE.part.
  void finish();

 private:
  void read(const std::string& from, const Facts& facts);
  void append(const std::string& line);

  std::string path_;
  std::string part_;
  std::string context_;
  std::vector<std::string> rows_;
  std::set<std::string> names_;
  std::FILE* journal_ = nullptr;
};

}  // namespace fatvec::bench
