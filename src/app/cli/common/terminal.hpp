// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

/// What the programs do differently where a person watches: on a terminal, never in a file or pipe.
namespace fatvec::cli {

/// Whether `stream` is a terminal.
bool is_terminal(std::FILE* stream);

/// `text` in bold where `stream` is a terminal that shows it, unless NO_COLOR is set
/// (no-color.org).
std::string bold(std::FILE* stream, std::string_view text);

/// `text` in lines of at most `width` characters, broken at spaces; each line but the first starts
/// with `indent` spaces. A longer word keeps its line.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// A bar on the terminal of the standard error, nothing elsewhere. It goes when it is destroyed.
class Progress {
 public:
  explicit Progress(std::size_t steps);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  /// One step more, which does `what`.
  void step(std::string_view what);

 private:
  std::size_t steps_;
  std::size_t done_ = 0;
  bool shown_;
};

}  // namespace fatvec::cli
