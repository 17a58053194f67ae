// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include <fatvec/app/cli/common/help.hpp>
#include <fatvec/app/cli/common/streams.hpp>
#include <fatvec/app/ranks/session.hpp>
#include <fatvec/core/error.hpp>
#include <fatvec/core/output_file.hpp>

#include "report.hpp"
#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

/// CLI11 says only that a subcommand is missing.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (!app.get_subcommands().empty() || (argc > 1 && argv[1][0] == '-')) return error.what();
  std::string known;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
    known += " " + command->get_name();
  const std::string problem =
      argc > 1 ? fmt::format("unknown subcommand '{}'", argv[1]) : "no subcommand is given";
  return fmt::format("{}; there are:{}.", problem, known);
}

int parse_and_run(ranks::Session& session, int argc, char** argv) {
  CLI::App app(
      "Sparse matrix times fat vector: Y = beta Y + alpha A X, where X and Y are dense with k "
      "columns.",
      "fatvec");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 success, 1 internal error, 2 bad input or usage,\n"
      "3 verification failed.\n"
      "'fatvec SUBCOMMAND --help' has the options of each subcommand.");
  Action action;
  add_info(app, action);
  add_print(app, action);
  add_multiply(app, action);
  add_analyse(app, action);
  add_tune(app, action);
  add_generate(app, action);
  add_reorder(app, action);
  add_convert(app, action);
  add_list(app, action);
  add_completion(app, action);
  add_help(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help_or_version) {
    const int exit_code = session.speaks() ? app.exit(asked_for_help_or_version) : success;
    flush_standard_output();
    return exit_code;
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string command = chosen.empty() ? "fatvec" : "fatvec " + chosen.front()->get_name();
    return session.complain(bad_input, fmt::format("{}: {}\nSee '{} --help'.", command,
                                                   explain(app, error, argc, argv), command));
  }
  const int exit_code = action();
  flush_standard_output();
  return exit_code;
}

/// {fmt} throws its own error where the standard output takes no more.
int run_and_flush(ranks::Session& session, int argc, char** argv) {
  try {
    return parse_and_run(session, argc, argv);
  } catch (const std::system_error&) {
    flush_standard_output();
    throw;
  }
}

/// Whether the program is to run on several ranks: MPI starts before anything else.
bool is_distributed(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](std::string_view argument) {
    return argument == "--distributed" || argument.starts_with("--distributed=");
  });
}

}  // namespace
}  // namespace fatvec::cli

int main(int argc, char** argv) {
  using namespace fatvec::cli;
  reserve_standard_streams();
  fatvec::detail::remove_temporaries_on_signals();
  fatvec::ranks::Session session(is_distributed(argc, argv));
  try {
    session.require_same_arguments(argc, argv);
    return session.finish(run_and_flush(session, argc, argv));
  } catch (const fatvec::Error& error) {
    return session.complain(bad_input, fmt::format("fatvec: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return session.complain(bad_input,
                            "fatvec: out of memory; try a smaller matrix, fewer columns (--k), or "
                            "a format with less padding.");
  } catch (const std::exception& error) {
    return session.complain(internal_error,
                            fmt::format("fatvec: internal error: {}", error.what()));
  }
}
