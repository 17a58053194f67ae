// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace fatvec::cli {

/// `text` with lines of at most 80 characters, broken at spaces, else behind a '|'. What goes on
/// stands below the second column of its line, where there is one.
std::string fitted(std::string_view text);

/// Help texts that fit a terminal of 80 characters. For App::formatter(), before subcommands.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

}  // namespace fatvec::cli
