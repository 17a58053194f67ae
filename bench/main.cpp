// SPDX-License-Identifier: Apache-2.0
// fatvec-bench: every contender of this build × matrix × layout × number of columns, verified and timed in one run.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <fatvec/core/error.hpp>

#include "harness/provenance.hpp"
#include "harness/reporters.hpp"
#include "harness/session.hpp"

namespace fatvec::bench {
namespace {

enum Exit { ok = 0, failure = 1, usage = 2, wrong_result = 3 };

void print_list(const Registry& registry) {
  std::puts("suites:");
  for (const auto& suite : suites()) {
    std::printf("  %-10s %s\n", std::string(suite.name).c_str(), std::string(suite.description).c_str());
    for (const auto& matrix : suite.matrices) std::printf("             %s\n", std::string(matrix.full).c_str());
  }
  std::puts("contenders:");
  for (const auto& contender : registry.contenders()) {
    std::printf("  %s%s\n", contender.label().c_str(), contender.on_request ? "   (with --backend only)" : "");
  }
}

/// Google Benchmark takes a reporter for its output file only where there is one.
std::size_t run_benchmarks(const Options& options, const std::string& summary) {
  TableReporter table(summary, !options.dry_run);
  JsonReporter json;
  const bool to_file = options.has_benchmark_flag("benchmark_out") || std::getenv("BENCHMARK_OUT") != nullptr;
  return benchmark::RunSpecifiedBenchmarks(&table, to_file ? &json : nullptr);
}

void initialise_benchmark(char* program, const Options& options) {
  std::vector<std::string> arguments = options.benchmark_arguments;
  std::vector<char*> argv = {program};
  for (auto& argument : arguments) argv.push_back(argument.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1) throw UsageError(detail::concat("Google Benchmark does not know ", argv[1], "."));
}

int run_cases(const Registry& registry, const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto cases = select_cases(registry, find_suite(options.suite), options);
  const bool names_only = options.has_benchmark_flag("benchmark_list_tests");
  const auto bandwidths = measure_bandwidths(options.dry_run || names_only);
  for (const auto& [key, value] : provenance(options, bandwidths)) benchmark::AddCustomContext(key, value);

  Session session(options, bandwidths, last_level_cache_bytes());
  session.register_cases(cases);
  run_benchmarks(options, summary(bandwidths));
  if (names_only) return Exit::ok;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::fprintf(stderr, "\n%d verified, %d skipped, %d failed; %.0f s\n", session.verified(), session.skipped(),
               session.failed(), seconds);
  if (session.wrong_result()) return Exit::wrong_result;
  return session.unreadable_matrix() ? Exit::usage : Exit::ok;
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
    return Exit::ok;
  }
  return run_cases(registry, options);
}

}  // namespace
}  // namespace fatvec::bench

int main(int argc, char** argv) {
  using namespace fatvec;
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
