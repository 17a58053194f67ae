// SPDX-License-Identifier: Apache-2.0
#include "harness/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include <fatvec/app/cli/common/help.hpp>
#include <fatvec/app/cli/common/streams.hpp>
#include <fatvec/app/cli/common/values.hpp>
#include <fatvec/core/error.hpp>

#include "build_info.hpp"

namespace fatvec::bench {
namespace {

constexpr const char* description =
    "fatvec-bench: sparse matrix times fat vector, fatvec's kernels beside hand-written code and "
    "libraries, in one run.\n"
    "Every result is verified before it is timed. Selections are comma-separated lists; --list "
    "shows the names.";

constexpr const char* footer =
    "Flags of Google Benchmark pass through, e.g. --benchmark_filter=REGEX,\n"
    "--benchmark_out=FILE, --benchmark_list_tests; so do Kokkos'\n"
    "(--kokkos-num-threads=N).\n"
    "Exit status: 0 success, 1 a row or a file failed, 2 wrong usage or unreadable\n"
    "input, 3 a result failed its verification.";

// Times rows, of which there are no more, it must not overflow.
constexpr std::int64_t most_columns = std::numeric_limits<std::int32_t>::max();

constexpr std::int64_t most_repetitions = 1'000'000;

}  // namespace

bool Options::has_benchmark_flag(const std::string& flag) const {
  return std::ranges::any_of(benchmark_arguments, [&](const std::string& argument) {
    return argument == "--" + flag || argument.starts_with("--" + flag + "=");
  });
}

std::string Options::benchmark_flag(const std::string& flag) const {
  const std::string prefix = "--" + flag + "=";
  for (const auto& argument : benchmark_arguments)
    if (argument.starts_with(prefix)) return argument.substr(prefix.size());
  return {};
}

product::TimingPolicy Options::timing(double suite_seconds) const {
  product::TimingPolicy policy;
  policy.most_seconds = max_seconds.value_or(suite_seconds);
  if (repetitions) {
    policy.repetitions = *repetitions;
    policy.fewest = std::min(policy.fewest, *repetitions);
    if (!max_seconds) policy.most_seconds = std::numeric_limits<double>::infinity();
  }
  return policy;
}

std::optional<Options> parse_options(int argc, const char* const* argv, bool speaks) {
  using cli::file_to_write, cli::finite, cli::whole;
  Options options;
  CLI::App app(description, "fatvec-bench");
  app.formatter(std::make_shared<cli::HelpFormatter>());
  app.footer(footer);
  app.allow_extras();
  app.set_version_flag("--version", std::string("fatvec-bench ") + build_info::version);
  app.add_option("--suite", options.suite, "Table of matrices and numbers of columns")
      ->capture_default_str();
  const auto add_list = [&app](const char* name, auto& values, const char* meaning) {
    return app.add_option(name, values, meaning)->delimiter(',');
  };
  add_list("--matrix", options.matrices,
           "Matrix Market files (- for the standard input) or gen:KIND:SIZE..., in place of the "
           "suite's");
  whole(add_list("--k", options.columns, "Numbers of columns, in place of the suite's"), 1,
        most_columns);
  whole(add_list("--length", options.lengths,
                 "Lengths of the vectors, in place of those of the suite vectors"),
        1);
  add_list("--contender", options.contenders, "Only these contenders");
  add_list("--backend", options.backends, "Only contenders on these backends");
  add_list("--format", options.formats, "Only contenders with these formats");
  add_list("--kernel", options.kernels, "Of contenders that have kernels, only these");
  add_list("--layout", options.layouts, "row, column: layouts of X and Y, in place of the suite's");
  add_list("--sweep", options.sweeps,
           "Also the variants of these settings (--list shows them), or all");
  file_to_write(app.add_option(
      "--output", options.output,
      "Results as JSON: each row is kept in FILE.part at once, FILE is written at the end"));
  cli::one_of(
      app.add_option("--scalar", options.scalar,
                     "What all contenders multiply in, and are verified as: A, X, Y and sums "
                     "in double or in float; the suite vectors has double and int")
          ->capture_default_str(),
      {"double", "float", "int"});
  cli::one_of(
      app.add_option("--matrix-precision", options.matrix_precision,
                     "single: A's values are floats, each within half a unit in the last place, "
                     "X, Y and sums doubles; by the kernels that the build has for that")
          ->capture_default_str(),
      {"exact", "single"});
  finite(app.add_option("--alpha", options.alpha, "Y = beta * Y + alpha * A * X")
             ->capture_default_str());
  finite(
      app.add_option("--beta", options.beta, "With 0, Y holds NaN before: it must be overwritten")
          ->capture_default_str());
  app.add_flag("--resume", options.resume,
               "Go on with an interrupted run of the same --output: its rows are kept, but for "
               "those that failed");
  finite(app.add_option("--max-seconds", options.max_seconds,
                        "Stop a row's repetitions after this time (at least 3; otherwise at least "
                        "20), in place of the suite's"),
         0);
  whole(app.add_option("--repetitions", options.repetitions,
                       "Time every row at least this many times, however long that takes, or "
                       "until --max-seconds where that is given"),
        1, most_repetitions);
  finite(app.add_option("--max-expansion", options.max_expansion,
                        "Skip formats larger than this many times the size of CSR")
             ->capture_default_str(),
         0);
  cli::one_of(
      app.add_option("--partition", options.partition,
                     "Suites weak and strong: whether ranks get equally many rows, or entries, or "
                     "parts by METIS")
          ->capture_default_str(),
      {"even", "nonzeros", "metis"});
  app.add_flag_callback(
      "--no-nccl", [&] { options.use_nccl = false; },
      "Suites weak and strong: GPUs exchange through MPI even where there is NCCL");
  cli::one_of(
      app.add_option(
             "--transfers", options.transfers,
             "Also time copies of X to the device, of Y where beta is not 0, and of Y back, "
             "from and to pageable and pinned memory; all: on CPUs, too, from array to "
             "array")
          ->capture_default_str(),
      {"none", "device", "all"});
  app.add_flag("--dry-run", options.dry_run,
               "Run every case once, on the suite's tiny matrices: verified, not measured");
  app.add_flag("--list", options.list, "List suites and contenders");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    if (speaks) app.exit(success);
    cli::flush_standard_output();
    return {};
  } catch (const CLI::ParseError& error) {
    throw UsageError(detail::concat(error.what(), "\nSee 'fatvec-bench --help'."));
  }
  if (options.resume && options.output.empty())
    throw UsageError("--resume wants the --output that it goes on with.");
  if (options.in_float() && options.matrix_precision == "single")
    throw UsageError("With --scalar float A's values are floats; leave out --matrix-precision.");
  if (options.in_float())
    for (const auto& [name, value] :
         {std::pair{"--alpha", options.alpha}, {"--beta", options.beta}})
      if (!std::isfinite(static_cast<float>(value)))
        throw UsageError(detail::concat(name, "=", value, " is beyond what a float can be."));
  for (const auto& argument : app.remaining()) {
    if (argument.starts_with("--benchmark_repetitions"))
      throw UsageError("--benchmark_repetitions: rows are repeated by --repetitions.");
    if (argument.starts_with("--benchmark_") || argument.starts_with("--v=")) {
      options.benchmark_arguments.push_back(argument);
    } else if (argument.starts_with("--kokkos-")) {
      options.kokkos_arguments.push_back(argument);
    } else {
      throw UsageError(
          detail::concat("unknown argument '", argument, "'.\nSee 'fatvec-bench --help'."));
    }
  }
  return options;
}

}  // namespace fatvec::bench
