// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include <fatvec/core/error.hpp>

namespace examples {
namespace {

enum Exit { done = 0, internal_error = 1, bad_input = 2, wrong_result = 3 };

/// Takes what CLI11 did not know: Kokkos' own options, and nothing else.
std::vector<std::string> kokkos_arguments(const CLI::App& app) {
  const auto left = app.remaining();
  for (const auto& argument : left) {
    if (argument.rfind("--kokkos-", 0) != 0) throw CLI::ExtrasError({argument});
    for (const auto& [name, least] :
         {std::pair<std::string, int>("--kokkos-num-threads=", 1), {"--kokkos-device-id=", 0}}) {
      if (argument.rfind(name, 0) != 0) continue;
      const char* const end = argument.data() + argument.size();
      int value = least - 1;
      const auto read = std::from_chars(argument.data() + name.size(), end, value);
      if (read.ec != std::errc() || read.ptr != end || value < least)  // Kokkos would abort
        throw CLI::ValidationError(
            argument, fatvec::detail::concat("wants a whole number of at least ", least));
    }
  }
  return left;
}

/// Everything but the environment; the exit status.
int outcome(CLI::App& app, int argc, char** argv, const std::function<bool()>& example) {
  app.allow_extras();
  app.footer(
      "Kokkos' own options (--kokkos-num-threads=N) are passed on.\n"
      "Exit status: 0 done, 1 internal error, 2 bad input, 3 a check failed.");
  try {
    app.parse(argc, argv);
    std::vector<std::string> arguments = kokkos_arguments(app);
    std::vector<char*> kokkos_argv = {argv[0]};
    for (auto& argument : arguments) kokkos_argv.push_back(argument.data());
    auto kokkos_argc = static_cast<int>(kokkos_argv.size());
    const Kokkos::ScopeGuard kokkos(kokkos_argc, kokkos_argv.data());
    return example() ? Exit::done : Exit::wrong_result;
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "%s: %s\nSee --help.\n", app.get_name().c_str(), error.what());
    return Exit::bad_input;
  } catch (const fatvec::Error& error) {
    std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), error.what());
    return Exit::bad_input;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "%s: out of memory; try a smaller problem or fewer columns.\n",
                 app.get_name().c_str());
    return Exit::bad_input;
  } catch (const std::exception& error) {
    if (std::strstr(error.what(), "failed to allocate") != nullptr) {  // Kokkos has no type for it
      std::fprintf(stderr, "%s: out of memory; try a smaller problem or fewer columns. %s\n",
                   app.get_name().c_str(), error.what());
      return Exit::bad_input;
    }
    std::fprintf(stderr, "%s: internal error: %s\n", app.get_name().c_str(), error.what());
    return Exit::internal_error;
  }
}

}  // namespace

void Checks::at_most(const std::string& what, double value, double limit) {
  const bool passed = value <= limit;
  std::printf("check       %s: %.2e, at most %.2e: %s\n", what.c_str(), value, limit,
              passed ? "passed" : "FAILED");
  passed_ = passed_ && passed;
}

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values)
    if (value > result || std::isnan(value)) result = value;
  return result;
}

void require_near_entries(const std::string& spec, std::int64_t entries) {
  if (entries > std::numeric_limits<std::int32_t>::max())
    throw fatvec::CapacityError(fatvec::detail::concat(
        spec, ": ", entries,
        " entries are more than 32-bit offsets count; choose a smaller size."));
}

CLI::Validator between(double least, double most) {
  const auto range = fatvec::detail::concat("from ", least, " to ", most);
  return {[=](const std::string& text) {
            double value = 0;
            const bool fits =
                CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
            return fits ? std::string() : "must be a number " + range + ", not " + text;
          },
          range, "between"};
}

int run(CLI::App& app, int argc, char** argv, const std::function<bool()>& example) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // what is under way is seen in a pipe, too
  const Environment environment(argc, argv);
  const int status = outcome(app, argc, argv, example);
  if (status == Exit::internal_error || status == Exit::bad_input) environment.fail(status);
  return status;
}

void add_solver_options(CLI::App& app, SolverOptions& options, int most_columns) {
  add_number(app, "--size", options.size, 1, 600, "grid points per axis");
  add_number(app, "--k", options.k, 1, most_columns, "right-hand sides");
  add_number(app, "--tolerance", options.tolerance, 0, 1,
             "relative residual at which a column is frozen");
  add_number(app, "--max-iterations", options.max_iterations, 0, 1e6,
             "iterations after which it gives up");
}

void print_iterations(const std::vector<int>& iterations) {
  std::printf("iterations ");
  for (const int count : iterations) std::printf(" %d", count);
  std::printf(" (of each column)\n");
}

std::vector<double> relative_residuals(const Exec& exec, const Matrix& a, const Multivector& b,
                                       const Multivector& x) {
  const Multivector r("residual", b.extent(0), b.extent(1));
  const auto dots = column_results<double>(exec, a, r.extent_int(1));
  residual(exec, b, a, x, r, dots, fatvec::fused::Workspace<Exec>(exec, r.extent_int(1), 1));
  std::vector<double> norms = dots.on_host(exec);
  dot(exec, b, b, dots);
  const std::vector<double> bb = dots.on_host(exec);
  for (std::size_t c = 0; c < norms.size(); ++c) norms[c] = std::sqrt(norms[c] / bb[c]);
  return norms;
}

void print_share(const Stopwatch& products, double total_seconds) {
  std::printf("time        %.3f s, of which the products take %.0f %%\n", total_seconds,
              100 * products.seconds() / total_seconds);
}

}  // namespace examples
