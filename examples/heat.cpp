// SPDX-License-Identifier: Apache-2.0
// Heat in a body whose conductivity changes with time, for k initial states at once: a matrix whose
// pattern stays and whose values are new in every step.
//
//     U := U - dt A(t) U,    A(t) the 7-point discretisation of -div(c(t) grad)
//
// The application owns A's values in CSR's order and computes them where they live. The plan knows
// where its format stores them (PlanOptions::keep_value_map), so that plan.update(exec, values)
// is one pass over them: no second look at the pattern, no allocation, no fence. The sum of all
// states must stay, and A U is compared with the fluxes between neighbours.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <string>

#include <fatvec/plan/plan.hpp>
#include <fatvec/statistics/vector_statistics.hpp>

#include "common.hpp"

using examples::Device;
using examples::Exec;
using examples::Matrix;
using examples::Multivector;

namespace {

struct Options {
  int size = 60;
  int k = 8;
  int steps = 100;
  double tolerance = 1e-12;
};

/// A(t): conductivity between neighbours off the diagonal, minus their sum on it.
struct Assemble {
  Matrix a;
  double t;

  KOKKOS_FUNCTION double conductivity(int i, int j) const {
    return 1 + 0.5 * Kokkos::sin(t + 0.01 * (i + j));
  }
  KOKKOS_FUNCTION void operator()(int i) const {
    double sum = 0;
    std::int64_t diagonal = 0;
    for (std::int64_t n = a.row_map(i); n < a.row_map(i + 1); ++n) {
      const int j = a.entries(n);
      if (j == i) {
        diagonal = n;
      } else {
        a.values(n) = -conductivity(i, j);
        sum -= a.values(n);
      }
    }
    a.values(diagonal) = sum;
  }
};

/// The sum of the squares of v - A(t) u, formed by fluxes between neighbours, and of the terms of
/// A u: A u itself is nearly 0 at last.
struct DifferenceFromFluxes {
  Assemble by;
  Multivector u, v;
  KOKKOS_FUNCTION void operator()(int i, double& difference, double& size) const {
    for (int c = 0; c < static_cast<int>(u.extent(1)); ++c) {
      double flux = 0;
      double terms = 0;
      for (std::int64_t n = by.a.row_map(i); n < by.a.row_map(i + 1); ++n) {
        const int j = by.a.entries(n);
        if (j == i) continue;
        flux += by.conductivity(i, j) * (u(i, c) - u(j, c));
        terms += by.conductivity(i, j) * (Kokkos::abs(u(i, c)) + Kokkos::abs(u(j, c)));
      }
      difference += (v(i, c) - flux) * (v(i, c) - flux);
      size += terms * terms;
    }
  }
};

double total(const Exec& exec, const Multivector& u) {
  double sum = 0;
  for (const auto& column : fatvec::vector_statistics(exec, u)) sum += column.sum;
  return sum;
}

bool run(const Options& options) {
  const Exec exec;
  const Matrix a = examples::generated("gen:stencil7:" + std::to_string(options.size));
  const Kokkos::RangePolicy<Exec> rows(exec, 0, a.rows());
  const double dt = 0.05;
  // HLL, so that values have a way to go: a plan that takes CSR shares the application's.
  const fatvec::PlanOptions with_updates{.choice = fatvec::Choice{.kernel = "hll-row"},
                                         .keep_value_map = true};
  auto plan = fatvec::analyse(exec, a, options.k, with_updates);

  const Multivector u("u", a.rows(), options.k), v("v", a.rows(), options.k);
  examples::for_each_element(
      "heat::start", exec, a.rows(), options.k,
      KOKKOS_LAMBDA(std::int64_t i, int c) { u(i, c) = 1.0 + static_cast<double>(i % (c + 2)); });
  const double before = total(exec, u);

  examples::Stopwatch clock;
  clock.time(exec, [&] {
    for (int n = 0; n < options.steps; ++n) {
      Kokkos::parallel_for("heat::assemble", rows, Assemble{a, n * dt});
      plan.update(exec, a.values);
      Kokkos::deep_copy(exec, v, u);
      fatvec::spmm(exec, -dt, plan, u, 1.0, v);
      Kokkos::deep_copy(exec, u, v);
    }
  });
  std::printf("%d steps of %d states by %s: %.3g s, its value map takes %.3g MB\n", options.steps,
              options.k, plan.choice().kernel.c_str(), clock.seconds(),
              1e-6 * static_cast<double>(plan.value_map_bytes()));

  const Assemble last{a, options.steps * dt};
  Kokkos::parallel_for("heat::assemble", rows, last);
  plan.update(exec, a.values);
  fatvec::spmm(exec, 1.0, plan, u, 0.0, v);
  double difference = 0;
  double size = 0;
  Kokkos::parallel_reduce("heat::difference", rows, DifferenceFromFluxes{last, u, v}, difference,
                          size);
  examples::Checks checks;
  checks.at_most("change of the sum of all states, relative",
                 std::abs(total(exec, u) - before) / before, options.tolerance);
  checks.at_most("difference of A U from the fluxes between neighbours, over their terms",
                 std::sqrt(difference / size), options.tolerance);
  return checks.passed();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Heat with a conductivity that changes: new values of A in every step.", "heat");
  examples::add_number(app, "--size", options.size, 2, 600, "grid points per axis");
  examples::add_number(app, "--k", options.k, 1, 256, "initial states");
  examples::add_number(app, "--steps", options.steps, 1, 1e6, "time steps");
  examples::add_number(app, "--tolerance", options.tolerance, 0, 1,
                       "largest change of the sum, and difference from the fluxes");
  return examples::run(app, argc, argv, [&] { return run(options); });
}
