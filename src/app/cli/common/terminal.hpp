// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

/// What the programs do differently where a person watches: on a terminal, never in a file or pipe.
namespace fatvec::cli {

/// Whether `stream` is a terminal.
bool is_terminal(std::FILE* stream);

/// `text` in bold where `stream` is a terminal that shows it, unless NO_COLOR is set
/// (no-color.org) or mpirun of Open MPI runs the program.
std::string bold(std::FILE* stream, std::string_view text);

/// `text` in lines of at most `width` characters, broken at spaces; each line but the first starts
/// with `indent` spaces. A longer word keeps its line.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// A bar on the terminal of the standard error, nothing elsewhere. It has no colour, and goes when
/// it is destroyed.
class Progress {
 public:
  /// steps: how many there will be.
  explicit Progress(std::size_t steps);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  /// The next step begins, which does `what`.
  void step(std::string_view what);
  /// How much of the step under way is done, 0 to 1. Drawn ten times a second at most.
  void share(double done);
  /// Removes the bar, before something else is printed; the next step draws it again.
  void clear() const;
  /// Whether there is a terminal to draw it on.
  [[nodiscard]] bool shown() const { return shown_; }

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double steps_done);

  std::size_t steps_;
  std::size_t begun_ = 0;
  std::string what_;
  Clock::time_point drawn_{};
  bool shown_;
};

}  // namespace fatvec::cli
