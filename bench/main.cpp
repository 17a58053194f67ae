// SPDX-License-Identifier: Apache-2.0
// fatvec-bench: every contender of this build × matrix × layout × number of columns, verified and
// timed in one run.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <string_view>

#include <fatvec/app/cli/common/streams.hpp>
#include <fatvec/app/cli/common/values.hpp>
#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/app/ranks/session.hpp>
#include <fatvec/core/error.hpp>
#include <fatvec/core/output_file.hpp>

#include "distributed/rank_session.hpp"
#include "harness/provenance.hpp"
#include "harness/run.hpp"
#include "harness/session.hpp"
#include "harness/vector_session.hpp"

namespace fatvec::bench {
namespace {

void print_list(const Registry& registry) {
  std::puts("contenders:");
  for (const auto& contender : registry.contenders()) {
    const std::string when = !contender.sweep.empty() ? "   (with --sweep " + contender.sweep + ")"
                             : contender.on_request   ? "   (with --backend only)"
                                                      : "";
    std::printf("  %s%s\n", contender.label().c_str(), when.c_str());
  }
  std::puts("contenders of the suite vectors:");
  for (const auto& contender : registry.vector_contenders())
    std::printf("  operation:%s/%s%s\n", std::string(to_string(contender.operation)).c_str(),
                contender.label().c_str(), contender.on_request ? "   (with --backend only)" : "");
  std::puts("suites:");
  for (const auto& suite : suites())
    std::printf("  %-10s %s\n", std::string(suite.name).c_str(),
                std::string(suite.description).c_str());
  for (const auto& suite : suites()) {
    std::printf("suite %s:\n", std::string(suite.name).c_str());
    for (const auto& matrix : suite.matrices) std::printf("  %s\n", describe(matrix).c_str());
    for (const auto length : suite.lengths)
      std::printf("  %lld elements\n", static_cast<long long>(length));
  }
}

void initialise_benchmark(char* program, const Options& options) {
  std::vector<std::string> arguments = options.benchmark_arguments;
  std::erase_if(arguments, [](const std::string& argument) {
    return argument.rfind("--benchmark_filter=", 0) == 0;
  });  // the program's own options
  std::vector<char*> argv = {program};
  for (auto& argument : arguments) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1) throw UsageError(detail::concat("Google Benchmark does not know ", argv[1], "."));
}

/// Throws UsageError for what there is in double only.
void require_float(const Options& options) {
  if (product::formats_in_float().empty())
    throw UsageError(
        "this build has nothing in float; name formats in FATVEC_FLOAT_FORMATS of CMake.");
  const Suite& suite = find_suite(options.suite);
  if (suite.scaling != Scaling::none || !suite.lengths.empty())
    throw UsageError(detail::concat("the suite ", suite.name, " is in double only."));
  if (std::ranges::find(options.sweeps, "fused") != options.sweeps.end())
    throw UsageError("the contenders of --sweep fused are in double only.");
}

/// The same for values of A in single precision.
void require_single_precision(const Options& options) {
  if (product::formats_in_single_precision().empty())
    throw UsageError(
        "this build multiplies no matrix in single precision; name formats in "
        "FATVEC_SINGLE_FORMATS of CMake.");
  const Suite& suite = find_suite(options.suite);
  if (suite.scaling != Scaling::none || !suite.lengths.empty())
    throw UsageError(detail::concat("the suite ", suite.name, " has no --matrix-precision."));
}

/// Throws UsageError for what there is in double and float only.
void require_int(const Suite& suite) {
  if (suite.lengths.empty())
    throw UsageError(detail::concat("--scalar int is for the suite vectors; the products of the ",
                                    "suite ", suite.name, " are in double or float."));
}

/// Copies are those of a product's operands; says where there is none to time.
void require_transfers(const Registry& registry, const Options& options, const Suite& suite) {
  if (options.copies() == Transfers::none) return;
  if (suite.scaling != Scaling::none || !suite.lengths.empty())
    throw UsageError(detail::concat("--transfers times copies of X and Y of products; the suite ",
                                    suite.name, " has none."));
  const bool any = std::ranges::any_of(registry.contenders(), [](const Contender& contender) {
    return has_own_memory(contender.backend);
  });
  if (options.copies() == Transfers::device && !any)
    std::fprintf(stderr,
                 "fatvec-bench: note: all backends of this build multiply in the host's "
                 "memory: --transfers device finds no copies, 0 bytes in 0 s; all times "
                 "copies from array to array\n");
}

/// Case: BenchCase or VectorCase, whichever the Session runs.
template <class Session, class Case>
int run_cases(const Registry& registry, const Options& options, const Suite& suite,
              std::vector<Case> cases) {
  const bool names_only = options.has_benchmark_flag("benchmark_list_tests");
  constexpr double tried_out =
      0.01;  // seconds of a row, of a run that nobody looks at for its times
  const bool brief = options.max_seconds && *options.max_seconds < tried_out;
  const auto bandwidths = measure_bandwidths(options.dry_run || names_only || brief);
  auto facts = provenance(options, bandwidths);
  facts.insert(facts.end(), registry.facts().begin(), registry.facts().end());
  const std::string in_scalar = options.in_float() ? "in float; "
                                : options.precision() == Precision::single_values
                                    ? "A's values in float; "
                                    : "";
  Run run(options, facts, in_scalar + summary(bandwidths));
  std::erase_if(cases, [&](const Case& bench_case) { return run.has(bench_case.name()); });
  Session session(options, suite, bandwidths);
  session.register_cases(cases);
  run.run(cases.size());
  return run.finish(session);
}

/// speaks: whether this process prints what all ranks have to say.
int run(int argc, char** argv, bool speaks) {
  const auto parsed = parse_options(argc, argv, speaks);
  if (!parsed) return Exit::ok;
  const Options& options = *parsed;
  if (options.in_float()) require_float(options);
  if (options.precision() == Precision::single_values) require_single_precision(options);
  initialise_benchmark(argv[0], options);

  std::vector<std::string> arguments = options.kokkos_arguments;
  std::vector<char*> kokkos_argv = {argv[0]};
  for (auto& argument : arguments) kokkos_argv.push_back(argument.data());
  int kokkos_argc = static_cast<int>(kokkos_argv.size());
  cli::require_sound_environment();
  const Kokkos::ScopeGuard kokkos(kokkos_argc, kokkos_argv.data());

  Registry registry;
  if (options.in_float())
    add_contenders_in_float(registry);
  else
    add_contenders_in_double(registry);
  if (options.list) {
    if (speaks) print_list(registry);
    cli::flush_standard_output();
    return Exit::ok;
  }
  const Suite& suite = find_suite(options.suite);
  if (options.in_int()) require_int(suite);
  require_transfers(registry, options, suite);
  const int exit_code =
      suite.scaling != Scaling::none ? run_on_ranks(options, suite)
      : suite.lengths.empty()
          ? run_cases<Session>(registry, options, suite, select_cases(registry, suite, options))
          : run_cases<VectorSession>(registry, options, suite,
                                     select_vector_cases(registry, suite, options));
  cli::flush_standard_output();
  return exit_code;
}

/// Whether the program is to run on several ranks: MPI starts before anything else.
bool is_distributed(int argc, char** argv) {
  return std::any_of(argv, argv + argc, [](std::string_view argument) {
    if (argument.starts_with("--suite=")) argument.remove_prefix(8);
    return argument == "weak" || argument == "strong";
  });
}

}  // namespace
}  // namespace fatvec::bench

int main(int argc, char** argv) {
  using namespace fatvec;
  cli::reserve_standard_streams();
  detail::remove_temporaries_on_signals();
  ranks::Session session(bench::is_distributed(argc, argv));
  const auto complain = [&](bench::Exit exit_code, const std::exception& error) {
    return session.complain(exit_code, detail::concat("fatvec-bench: ", error.what()));
  };
  try {
    session.require_same_arguments(argc, argv);
    return session.finish(bench::run(argc, argv, session.speaks()));
  } catch (const UsageError& error) {
    return complain(bench::Exit::usage, error);
  } catch (const InputError& error) {
    return complain(bench::Exit::usage, error);
  } catch (const std::exception& error) {
    return complain(bench::Exit::failure, error);
  }
}
