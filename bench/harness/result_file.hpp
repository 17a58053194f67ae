// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/journal.hpp"

namespace fatvec::bench {

struct Document;

/// The results of a run as Google Benchmark's JSON, safe against interruption: each row goes at
/// once to FILE.part (one JSON object a line), and the whole replaces FILE when the run is over.
/// Where FILE is a pipe or a device there is no FILE.part, and nothing to resume.
/// docs/schemas/bench-results.schema.json describes FILE.
class ResultFile {
 public:
  using Facts = std::vector<std::pair<std::string, std::string>>;

  /// resume: rows that FILE.part or FILE has already are kept, and those that failed are to be
  /// measured again. Throws UsageError where they were measured by another build, on another
  /// machine, with other threads or in another scalar, where FILE.part exists and resume is off,
  /// and where the folder cannot be written; InputError where FILE holds no results.
  ResultFile(std::string path, const Facts& facts, bool resume);

  [[nodiscard]] bool has(const std::string& case_name) const { return names_.count(case_name) > 0; }
  [[nodiscard]] std::size_t kept() const { return names_.size(); }
  /// Lines of FILE.part that are neither rows nor the context of a run, nor the beginning of one.
  [[nodiscard]] std::size_t senseless_lines() const { return senseless_lines_; }

  void set_context(const std::string& json);
  void add(const std::string& row_json);
  /// Writes FILE and removes FILE.part; where some of its lines make no sense it is renamed, to the
  /// name that comes back.
  std::string finish();

 private:
  void keep(const std::string& from, const Document& document, const Facts& facts);
  void put(const std::string& name, bool failed, std::string row);
  void append(const std::string& line);
  [[nodiscard]] std::string document() const;

  std::string path_;
  std::optional<Journal> journal_;
  std::size_t senseless_lines_ = 0;
  std::string context_;
  std::vector<std::string> rows_;
  std::map<std::string, std::size_t> places_;  ///< of the rows, by their names
  std::set<std::string> names_;                ///< of the rows that are done
};

}  // namespace fatvec::bench
