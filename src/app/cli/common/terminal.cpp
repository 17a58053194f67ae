// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fatvec/app/cli/common/terminal.hpp>

namespace fatvec::cli {
namespace {

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

bool is_terminal(std::FILE* stream) {
  return isatty(fileno(stream)) != 0;
}

std::string bold(std::FILE* stream, std::string_view text) {
  const char* const kind = std::getenv("TERM");
  const bool dumb = kind == nullptr || std::string_view(kind) == "dumb";
  // Open MPI's mpirun gives its first rank a terminal, wherever its own output goes.
  const bool of_mpirun = is_set("OMPI_COMM_WORLD_RANK");
  if (dumb || of_mpirun || is_set("NO_COLOR") || !is_terminal(stream)) return std::string(text);
  return fmt::format("\033[1m{}\033[0m", text);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string lines;
  while (text.size() > width) {
    std::size_t end = text.rfind(' ', width);
    if (end == std::string_view::npos || end == 0) end = text.find(' ', width);
    if (end == std::string_view::npos) break;
    lines.append(text.substr(0, end)).append("\n").append(indent, ' ');
    text.remove_prefix(end + 1);
  }
  return lines.append(text);
}

Progress::Progress(std::size_t steps) : steps_(steps), shown_(is_terminal(stderr)) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() const {
  if (shown_) std::fprintf(stderr, "\r%79s\r", "");  // never throws
}

void Progress::step(std::string_view what) {
  what_ = what;
  draw(static_cast<double>(begun_++));
}

void Progress::share(double done) {
  if (Clock::now() - drawn_ < std::chrono::milliseconds(100)) return;
  draw(static_cast<double>(begun_) - 1 + done);
}

void Progress::draw(double steps_done) {
  if (!shown_) return;
  constexpr double width = 30;
  const double part =
      std::clamp(steps_done / static_cast<double>(std::max<std::size_t>(steps_, 1)), 0.0, 1.0);
  const std::string filled(static_cast<std::size_t>(width * part), '#');
  const std::string line =
      fmt::format("\r[{:<{}}] {:<45.45}", filled, static_cast<int>(width), what_);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  drawn_ = Clock::now();
}

}  // namespace fatvec::cli
