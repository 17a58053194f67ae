// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// What the examples share beside the library: options, clocks, checks. Nothing here is needed to
/// use fatvec.
namespace examples {

using Exec = Kokkos::DefaultExecutionSpace;
using Device = Exec::device_type;
using Multivector =
    Kokkos::View<double**, Kokkos::LayoutRight, Device>;  // a row's columns lie together
using Block =
    Kokkos::View<double**, Kokkos::LayoutStride, Device>;  // some columns of a Multivector

/// Columns first ... last - 1.
inline Block columns(const Multivector& s, int first, int last) {
  return Kokkos::subview(s, Kokkos::ALL, Kokkos::make_pair(first, last));
}

/// The checks at the end of an example: each is printed with its limit, and counts.
class Checks {
 public:
  /// Passes where value <= limit; NaN does not.
  void at_most(const std::string& what, double value, double limit);
  [[nodiscard]] bool passed() const { return passed_; }

 private:
  bool passed_ = true;
};

/// The largest of the values, at least 0; NaN where one of them is NaN.
double largest(const std::vector<double>& values);

/// A validator of CLI11: a number from least to most. CLI::Range would let NaN pass.
CLI::Validator between(double least, double most);

/// Throws CapacityError for more entries than 32-bit offsets count, for which fatvec::kernels is
/// compiled.
void require_near_entries(const std::string& spec, std::int64_t entries);

/// An option that is a number from least to most.
template <class Number>
void add_number(CLI::App& app, const char* name, Number& number, double least, double most,
                const char* meaning) {
  app.add_option(name, number, meaning)->check(between(least, most))->capture_default_str();
}

/// Parses the options, starts Kokkos (which gets the arguments --kokkos-...), runs the example.
/// Returns the exit status: 0 done, 1 internal error, 2 bad input, 3 a check failed (example()
/// returned false).
int run(CLI::App& app, int argc, char** argv, const std::function<bool()>& example);

/// Adds up the time of what it runs; waits for it, which an application that measures nothing would
/// not do.
class Stopwatch {
 public:
  template <class Work>
  void time(const Exec& exec, const Work& work) {
    exec.fence("examples::stopwatch");
    const Kokkos::Timer timer;
    work();
    exec.fence("examples::stopwatch");
    seconds_ += timer.seconds();
  }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  double seconds_ = 0;
};

/// The options of a solver with k right-hand sides.
struct SolverOptions {
  int size = 64;
  int k = 8;
  int max_iterations = 1000;
  double tolerance = 1e-8;
};
void add_solver_options(CLI::App& app, SolverOptions& options, int most_columns);

/// Prints the number of iterations of each column.
void print_iterations(const std::vector<int>& iterations);

/// Prints how much of total_seconds went into the products.
void print_share(const Stopwatch& products, double total_seconds);

/// The body of for_each_element: a named functor, for nvcc wants no host-device lambda in a header.
template <class Function>
struct ElementsOfRows {
  static constexpr std::int64_t rows_per_team = 128;
  std::int64_t rows;
  int columns;
  Function function;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t first = team.league_rank() * rows_per_team;
    const std::int64_t last = first + rows_per_team < rows ? first + rows_per_team : rows;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, first, last), [&](std::int64_t row) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, columns),
                           [&](int column) { function(row, column); });
    });
  }
};

/// function(row, column) for every element of rows × columns; neighbouring lanes have neighbouring
/// columns, as LayoutRight likes it.
template <class Function>
void for_each_element(const std::string& label, const Exec& exec, std::int64_t rows, int columns,
                      const Function& function) {
  using Body = ElementsOfRows<Function>;
  const int lanes = static_cast<int>(std::min(std::bit_ceil(static_cast<unsigned>(columns)), 32U));
  const auto teams = static_cast<int>((rows + Body::rows_per_team - 1) / Body::rows_per_team);
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<Exec>(exec, teams, Kokkos::AUTO, lanes),
                       Body{rows, columns, function});
}

}  // namespace examples

// What of an example is not the same on many ranks: all else is compiled twice.
#if defined(EXAMPLES_OF_RANKS)
#include "ranks.hpp"
#else
#include "one_device.hpp"
#endif

namespace examples {

/// |b - A x| / |b| of each column, from a product of its own: a solver's residual drifts away from
/// the true one.
std::vector<double> relative_residuals(const Exec& exec, const Matrix& a, const Multivector& b,
                                       const Multivector& x);

}  // namespace examples
