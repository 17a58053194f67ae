// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

/// The program `fatvec`: one file per subcommand. Each add_*() describes its options to CLI11 and,
/// when its subcommand is chosen, leaves in `action` what main() then runs; parsing alone starts
/// nothing.
namespace fatvec::cli {

enum ExitCode : int { success = 0, internal_error = 1, bad_input = 2, verification_failed = 3 };

/// Does the subcommand's work and returns an ExitCode. Errors are exceptions.
using Action = std::function<int()>;

void add_info(CLI::App& app, Action& action);
void add_print(CLI::App& app, Action& action);
void add_multiply(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_reorder(CLI::App& app, Action& action);
void add_convert(CLI::App& app, Action& action);
void add_analyse(CLI::App& app, Action& action);
void add_tune(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
/// After all others, which are its topics.
void add_help(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);

/// The kinds of generated matrices and their options.
std::string generators_help();

}  // namespace fatvec::cli
