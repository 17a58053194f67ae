// SPDX-License-Identifier: Apache-2.0
// Iterative refinement for k right-hand sides: A in single precision where the time goes, in double
// where the accuracy comes from.
//
// Each round forms the residuals R = B - A X in double, solves A D = R to a few digits by conjugate
// gradients, and adds D to X. The products of the conjugate gradients, nearly all there are, take a
// plan that stores A's values as floats, beside vectors and sums in double. That changes A by 6e-8
// of itself at most: a solution of the rounded system alone is no better than that times the
// condition of A, while the rounds converge to the solution of A itself.
//
// A is the 7-point Poisson matrix of n × n × n points between diagonal scalings, so that its values
// are no floats.
//
// Method: J. H. Wilkinson, Rounding Errors in Algebraic Processes, 1963.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include <fatvec/kernels/sliced_dia.hpp>
#include <fatvec/plan/single_precision.hpp>

#include "common.hpp"

using examples::Exec;
using examples::Matrix;
using examples::Multivector;
using ColumnDots = examples::ColumnResults<double>;
using Kernels = fatvec::TypeList<fatvec::CsrRow, fatvec::SlicedDiaRow>;
using Plan = fatvec::SinglePrecisionPlan<Matrix, Kernels>;

namespace {

struct Options {
  int size = 64;
  int k = 8;
  int max_rounds = 20;
  int max_iterations = 1000;
  double digits = 1e-5;
  double tolerance = 1e-12;
};

/// The 7-point matrix between diag(s) on both sides, s from 1 to 4/3.
Matrix scaled_poisson(const Exec& exec, int size) {
  const Matrix a = examples::generated("gen:stencil7:" + std::to_string(size));
  Kokkos::parallel_for(
      "scale", Kokkos::RangePolicy<Exec>(exec, 0, a.rows()), KOKKOS_LAMBDA(int i) {
        const auto s = [](int row) { return 1 + row % 11 / 30.0; };
        for (int n = a.row_map(i); n < a.row_map(i + 1); ++n) a.values(n) *= s(i) * s(a.entries(n));
      });
  return a;
}

/// D, with |R - A D| <= digits · |R| in each column, by at most max_iterations steps of conjugate
/// gradients from D = 0; R is overwritten. Returns the steps.
int correct(const Exec& exec, const Plan& a, const Multivector& r, const Multivector& d,
            const Options& options, examples::Stopwatch& products) {
  const int n = r.extent_int(0);
  const int k = r.extent_int(1);
  const Multivector p("p", n, k);
  const Multivector q("q", n, k);
  ColumnDots rr(exec, k);
  ColumnDots next_rr(exec, k);
  const ColumnDots pq(exec, k);
  Kokkos::deep_copy(exec, d, 0);
  Kokkos::deep_copy(exec, p, r);
  dot(exec, r, r, rr);
  std::vector<double> limits = rr.on_host(exec);
  for (double& limit : limits) limit *= options.digits * options.digits;
  int step = 0;
  for (; step < options.max_iterations; ++step) {
    const std::vector<double> squares = rr.on_host(exec);
    bool done = true;
    for (std::size_t c = 0; c < squares.size(); ++c) done = done && squares[c] <= limits[c];
    if (done) break;
    products.time(exec, [&] { spmm(exec, 1.0, a, p, 0.0, q); });
    dot(exec, p, q, pq);
    const auto old_rr = rr.values;
    const auto new_rr = next_rr.values;
    const auto p_q = pq.values;
    examples::for_each_element(
        "cg::step", exec, n, k, KOKKOS_LAMBDA(std::int64_t i, int c) {
          const double alpha = p_q(c) > 0 ? old_rr(c) / p_q(c) : 0;
          d(i, c) += alpha * p(i, c);
          r(i, c) -= alpha * q(i, c);
        });
    dot(exec, r, r, next_rr);
    examples::for_each_element(
        "cg::direction", exec, n, k, KOKKOS_LAMBDA(std::int64_t i, int c) {
          const double beta = old_rr(c) > 0 ? new_rr(c) / old_rr(c) : 0;
          p(i, c) = r(i, c) + beta * p(i, c);
        });
    std::swap(rr, next_rr);
  }
  return step;
}

bool run(const Options& options) {
  const Exec exec;
  const Matrix a = scaled_poisson(exec, options.size);
  const Plan plan = fatvec::analyse<Kernels>(exec, fatvec::single_precision(a), options.k);
  std::printf(
      "problem     scaled 7-point matrix of %d rows, k = %d right-hand sides, on %s\n"
      "A           %s; its values as floats, moved by at most %.2e of themselves\n",
      a.rows(), options.k, Exec::name(), plan.choice().kernel.c_str(), plan.largest_error());

  const int n = a.rows();
  const Multivector b("b", n, options.k);
  const Multivector x("x", n, options.k);
  const Multivector r("r", n, options.k);
  const Multivector d("d", n, options.k);
  examples::for_each_element(
      "right-hand sides", exec, n, options.k, KOKKOS_LAMBDA(std::int64_t i, int c) {
        b(i, c) = static_cast<double>((i * (2 * c + 3)) % 17) - 8;
      });
  const ColumnDots dots(exec, options.k);
  const fatvec::fused::Workspace<Exec> workspace(exec, options.k, 1);
  dot(exec, b, b, dots);
  const std::vector<double> bb = dots.on_host(exec);

  const Kokkos::Timer timer;
  examples::Stopwatch products;
  double error = 0;
  for (int round = 0;; ++round) {
    residual(exec, b, a, x, r, dots, workspace);
    std::vector<double> norms = dots.on_host(exec);
    for (std::size_t c = 0; c < norms.size(); ++c) norms[c] = std::sqrt(norms[c] / bb[c]);
    error = examples::largest(norms);
    if (error <= options.tolerance || round == options.max_rounds) break;
    const int steps = correct(exec, plan, r, d, options, products);
    std::printf("round %-5d |b - A x| / |b| was %.2e; %d steps\n", round + 1, error, steps);
    examples::for_each_element(
        "add", exec, n, options.k, KOKKOS_LAMBDA(std::int64_t i, int c) { x(i, c) += d(i, c); });
  }
  examples::print_share(products, timer.seconds());
  examples::Checks checks;
  checks.at_most("largest |b - A x| / |b|, A in double", error, options.tolerance);
  return checks.passed();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Iterative refinement with A's values in single precision, on a Poisson matrix.",
               "refinement");
  examples::add_number(app, "--size", options.size, 1, 600, "grid points per axis");
  examples::add_number(app, "--k", options.k, 1, 256, "right-hand sides");
  examples::add_number(app, "--digits", options.digits, 0, 1,
                       "relative residual to which each round's correction is solved");
  examples::add_number(app, "--tolerance", options.tolerance, 0, 1,
                       "relative residual, in double, at which it ends");
  examples::add_number(app, "--max-rounds", options.max_rounds, 0, 1000,
                       "rounds after which it gives up");
  examples::add_number(app, "--max-iterations", options.max_iterations, 0, 1e6,
                       "steps of a round after which it is ended");
  return examples::run(app, argc, argv, [&] { return run(options); });
}
