// SPDX-License-Identifier: Apache-2.0
// fatvec-bench: every contender of this build × matrix × layout × number of columns, verified and
// timed in one run.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fatvec/app/cli/common/streams.hpp>
#include <fatvec/core/error.hpp>
#include <fatvec/core/output_file.hpp>

#include "harness/provenance.hpp"
#include "harness/reporters.hpp"
#include "harness/session.hpp"
#include "harness/vector_session.hpp"

namespace fatvec::bench {
namespace {

enum Exit { ok = 0, failure = 1, usage = 2, wrong_result = 3 };

void print_list(const Registry& registry) {
  std::puts("suites:");
  for (const auto& suite : suites()) {
    std::printf("  %-10s %s\n", std::string(suite.name).c_str(),
                std::string(suite.description).c_str());
    for (const auto& matrix : suite.matrices)
      std::printf("             %s\n", describe(matrix).c_str());
    for (const auto length : suite.lengths)
      std::printf("             %lld elements\n", static_cast<long long>(length));
  }
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
}

/// Google Benchmark takes a reporter for its own output file only where there is one.
void run_benchmarks(const Options& options, std::size_t cases, const std::string& summary,
                    ResultFile* file) {
  TableReporter table(summary, !options.dry_run);
  RunProgress progress(cases);
  RunReporter display(table, progress, file);
  JsonReporter json;
  const bool to_file =
      options.has_benchmark_flag("benchmark_out") || std::getenv("BENCHMARK_OUT") != nullptr;
  benchmark::RunSpecifiedBenchmarks(&display, to_file ? &json : nullptr);
  progress.clear();
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

/// Case: BenchCase or VectorCase, whichever the Session runs.
template <class Session, class Case>
int run_cases(const Registry& registry, const Options& options, const Suite& suite,
              std::vector<Case> cases) {
  const auto start = std::chrono::steady_clock::now();
  const bool names_only = options.has_benchmark_flag("benchmark_list_tests");
  const auto bandwidths = measure_bandwidths(options.dry_run || names_only);
  auto facts = provenance(options, bandwidths);
  facts.insert(facts.end(), registry.facts().begin(), registry.facts().end());
  for (const auto& [key, value] : facts) benchmark::AddCustomContext(key, value);

  std::unique_ptr<ResultFile> file;
  if (!options.output.empty() && !names_only) {
    file = std::make_unique<ResultFile>(options.output, facts, options.resume);
    std::erase_if(cases, [&](const Case& bench_case) { return file->has(bench_case.name()); });
    if (options.resume)
      std::fprintf(stderr, "%zu rows are there, %zu are left\n", file->kept(), cases.size());
    if (file->senseless_lines() > 0)
      std::fprintf(stderr, "%zu lines of %s.part make no sense and are left out\n",
                   file->senseless_lines(), options.output.c_str());
  }
  Session session(options, suite, bandwidths, last_level_cache_bytes());
  session.register_cases(cases);
  if (!cases.empty()) run_benchmarks(options, cases.size(), summary(bandwidths), file.get());
  if (names_only) return Exit::ok;
  if (const std::string aside = file ? file->finish() : ""; !aside.empty())
    std::fprintf(stderr, "the lines that make no sense are in %s now\n", aside.c_str());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::fprintf(stderr, "\n%d verified, %d skipped, %d failed; %.0f s\n", session.verified(),
               session.skipped(), session.failed(), seconds);
  if (session.wrong_result()) return Exit::wrong_result;
  if (session.unreadable_input()) return Exit::usage;
  return session.failed() > 0 ? Exit::failure : Exit::ok;
}

int run(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  initialise_benchmark(argv[0], options);

  std::vector<std::string> arguments = options.kokkos_arguments;
  std::vector<char*> kokkos_argv = {argv[0]};
  for (auto& argument : arguments) kokkos_argv.push_back(argument.data());
  int kokkos_argc = static_cast<int>(kokkos_argv.size());
  const Kokkos::ScopeGuard kokkos(kokkos_argc, kokkos_argv.data());

  Registry registry;
  add_all_contenders(registry);
  if (options.list) {
    print_list(registry);
    cli::flush_standard_output();
    return Exit::ok;
  }
  const Suite& suite = find_suite(options.suite);
  const int exit_code =
      suite.lengths.empty()
          ? run_cases<Session>(registry, options, suite, select_cases(registry, suite, options))
          : run_cases<VectorSession>(registry, options, suite,
                                     select_vector_cases(registry, suite, options));
  cli::flush_standard_output();
  return exit_code;
}

}  // namespace
}  // namespace fatvec::bench

int main(int argc, char** argv) {
  using namespace fatvec;
  cli::reserve_standard_streams();
  detail::remove_temporaries_on_signals();
  try {
    return bench::run(argc, argv);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "fatvec-bench: %s\n", error.what());
    return bench::Exit::usage;
  } catch (const InputError& error) {
    std::fprintf(stderr, "fatvec-bench: %s\n", error.what());
    return bench::Exit::usage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fatvec-bench: %s\n", error.what());
    return bench::Exit::failure;
  }
}
