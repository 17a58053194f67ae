// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "harness/options.hpp"
#include "harness/result_file.hpp"

namespace fatvec::bench {

enum Exit { ok = 0, failure = 1, usage = 2, wrong_result = 3 };

/// A run of cases, whatever session measures them: what it writes and says.
class Run {
 public:
  /// Opens the result file, where there is to be one. summary: the table's first lines. Throws what
  /// ResultFile throws.
  Run(const Options& options, const ResultFile::Facts& facts, std::string summary);

  /// Whether the result file has a case of that name already.
  [[nodiscard]] bool has(const std::string& name) const { return file_ && file_->has(name); }
  /// Runs what a session registered: `cases` of them. Says before what of a resumed run is there.
  void run(std::size_t cases);
  /// Only the cases' names are listed.
  [[nodiscard]] bool names_only() const { return names_only_; }

  /// Writes the result file and says what came of it; the program's exit code.
  template <class Session>
  int finish(const Session& session) {
    if (names_only_) return Exit::ok;
    write(session.verified(), session.skipped(), session.failed());
    if (session.wrong_result()) return Exit::wrong_result;
    if (session.unreadable_input()) return Exit::usage;
    return session.failed() > 0 ? Exit::failure : Exit::ok;
  }

 private:
  void write(int verified, int skipped, int failed);

  const Options& options_;
  std::string summary_;
  bool names_only_;
  std::unique_ptr<ResultFile> file_;
  std::size_t kept_ = 0;  ///< rows that the file had before
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace fatvec::bench
