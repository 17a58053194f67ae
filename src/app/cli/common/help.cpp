// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/cli/common/help.hpp>

#include <algorithm>
#include <utility>

namespace fatvec::cli {
namespace {

constexpr std::size_t width = 80;

/// Where the rest of a long line stands: below its second column, which two spaces or more part
/// from the first; below its begin where there is none; behind it for an option of many values.
std::size_t indent_of(std::string_view line) {
  constexpr std::size_t option = 2;
  const std::size_t begin = line.find_first_not_of(' ');
  const std::size_t gap = line.substr(0, width).rfind("  ");
  if (gap != std::string_view::npos && gap >= begin) return line.find_first_not_of(' ', gap);
  return begin == option ? begin + 4 : begin;
}

/// One line, which ends without a newline.
std::string fitted_line(std::string line) {
  std::string lines;
  const std::size_t indent = indent_of(line);
  while (line.size() > width) {
    const std::size_t space = line.rfind(' ', width);
    const bool at_space = space != std::string::npos && space > indent;
    const std::size_t bar = line.rfind('|', width - 1);
    if (!at_space && (bar == std::string::npos || bar <= indent)) break;
    lines.append(line, 0, at_space ? space : bar + 1).append("\n");
    line.replace(0, (at_space ? space : bar) + 1, indent, ' ');
  }
  return lines + line;
}

}  // namespace

std::string fitted(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += fitted_line(std::string(text.substr(0, end)));
    if (end < text.size()) lines += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
  // CLI11 leaves a line for the group of options that no help shows.
  if (const auto gap = help.find("\n\n\n"); gap != std::string::npos) help.erase(gap, 1);
  return fitted(help);
}

}  // namespace fatvec::cli
