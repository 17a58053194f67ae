// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients for k right-hand sides at once: A x_c = b_c, c = 0 ... k - 1, each with its
// own alpha and beta.
//
// The k iterations know nothing of each other; they only share the products Q = A P, each of which
// reads A once for all of them, and forms the dot products of P and Q on the way. A column whose
// residual is small enough is frozen (its alpha and beta become 0), the others go on. A is the
// 7-point Poisson matrix of n × n × n points, the right-hand sides are heat sources at k places.
//
// Everything stays on the device but the test for convergence, k numbers an iteration. Compiled for
// one device and, as distributed_block_cg, for many ranks.
//
// Method: M. R. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems,
// 1952.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "common.hpp"

using examples::Device;
using examples::Exec;
using examples::Matrix;
using examples::Multivector;
using ColumnDots = examples::ColumnResults<double>;  // a number for each column, on the device

namespace {

struct Options {
  int size = 64;
  int k = 8;
  int max_iterations = 1000;
  double tolerance = 1e-8;
};

/// B(:, c) is a heat source of its own place and width; row x + n (y + n z) is a point of the unit
/// cube. first: the row that is row 0 of b.
void set_sources(const Exec& exec, int n, std::int64_t first, const Multivector& b) {
  examples::for_each_element(
      "set_sources", exec, b.extent_int(0), b.extent_int(1),
      KOKKOS_LAMBDA(std::int64_t row, int c) {
        const double place[] = {0.618 * (c + 1), 0.414 * (c + 1),
                                0.732 * (c + 1)};  // their fractions fill the cube evenly
        const double width = 0.05 + 0.3 / (c + 1);
        double distance = 0;  // squared
        std::int64_t left = first + row;
        for (int axis = 0; axis < 3; ++axis, left /= n) {
          const double away = static_cast<double>(left % n + 1) / (n + 1) -
                              (place[axis] - Kokkos::floor(place[axis]));
          distance += away * away;
        }
        b(row, c) = Kokkos::exp(-distance / (width * width));
      });
}

struct Outcome {
  std::vector<int> iterations;  ///< of each column
  double seconds = 0;
  examples::Stopwatch products;
};

/// Solves A X = B from X = 0 until each column has |r| <= tolerance |b|, or for max_iterations.
Outcome solve(const Exec& exec, const Matrix& a, const Multivector& b, const Multivector& x,
              const Options& options) {
  const int n = b.extent_int(0);
  const int k = b.extent_int(1);
  const Multivector r("r", n, k);
  const Multivector p("p", n, k);
  const Multivector q("q", n, k);
  ColumnDots rr = examples::column_results<double>(exec, a, k);
  ColumnDots next_rr = examples::column_results<double>(exec, a, k);
  const ColumnDots pq = examples::column_results<double>(exec, a, k);
  const fatvec::fused::Workspace<Exec> workspace(exec, k, 1);
  const Kokkos::View<double*, Device> limit("limit",
                                            k);  // of rr: a column at or below it is frozen
  Outcome outcome{std::vector<int>(static_cast<std::size_t>(k)), 0, {}};

  Kokkos::deep_copy(exec, x, 0);
  Kokkos::deep_copy(exec, r, b);
  Kokkos::deep_copy(exec, p, b);
  dot(exec, r, r, rr);
  auto limits = rr.on_host(exec);
  for (auto& value : limits) value *= options.tolerance * options.tolerance;
  Kokkos::deep_copy(exec, limit,
                    Kokkos::View<double*, Kokkos::HostSpace>(limits.data(), limits.size()));

  const Kokkos::Timer timer;
  for (int iteration = 0; iteration < options.max_iterations; ++iteration) {
    const auto squares = rr.on_host(exec);  // waits for the device
    bool done = true;
    for (std::size_t c = 0; c < squares.size(); ++c) {
      if (squares[c] <= limits[c]) continue;
      ++outcome.iterations[c];
      done = false;
    }
    if (done) break;

    outcome.products.time(exec, [&] { spmm_dot(exec, 1.0, a, p, 0.0, q, pq, workspace); });
    const auto old_rr = rr.values;
    const auto new_rr = next_rr.values;
    const auto p_q = pq.values;
    examples::for_each_element(
        "cg::step", exec, n, k, KOKKOS_LAMBDA(std::int64_t i, int c) {
          const double alpha = old_rr(c) > limit(c) ? old_rr(c) / p_q(c) : 0;
          x(i, c) += alpha * p(i, c);
          r(i, c) -= alpha * q(i, c);
        });
    dot(exec, r, r, next_rr);
    examples::for_each_element(
        "cg::direction", exec, n, k, KOKKOS_LAMBDA(std::int64_t i, int c) {
          const double beta = old_rr(c) > limit(c) ? new_rr(c) / old_rr(c) : 0;
          p(i, c) = r(i, c) + beta * p(i, c);
        });
    std::swap(rr, next_rr);
  }
  exec.fence();
  outcome.seconds = timer.seconds();
  return outcome;
}

/// |b - A x| / |b| of each column, from a product of its own: CG's residual drifts away from the
/// true one.
std::vector<double> residuals(const Exec& exec, const Matrix& a, const Multivector& b,
                              const Multivector& x) {
  const Multivector r("residual", b.extent(0), b.extent(1));
  const ColumnDots dots = examples::column_results<double>(exec, a, r.extent_int(1));
  residual(exec, b, a, x, r, dots, fatvec::fused::Workspace<Exec>(exec, r.extent_int(1), 1));
  std::vector<double> norms = dots.on_host(exec);
  dot(exec, b, b, dots);
  const std::vector<double> bb = dots.on_host(exec);
  for (std::size_t c = 0; c < norms.size(); ++c) norms[c] = std::sqrt(norms[c] / bb[c]);
  return norms;
}

bool run(const Options& options) {
  const Exec exec;
  const Matrix a = examples::generated("gen:stencil7:" + std::to_string(options.size));
  std::printf(
      "problem     7-point matrix of %lld rows, %lld entries, k = %d right-hand sides, on %s\n",
      static_cast<long long>(a.rows()), static_cast<long long>(examples::entries(a)), options.k,
      Exec::name());
  const Multivector b("b", examples::rows_here(a), options.k);
  const Multivector x("x", examples::rows_here(a), options.k);
  set_sources(exec, options.size, examples::first_row(a), b);

  const Outcome outcome = solve(exec, a, b, x, options);
  std::printf("iterations ");
  for (const int count : outcome.iterations) std::printf(" %d", count);
  std::printf(" (of each column)\n");
  examples::print_share(outcome.products, outcome.seconds);

  examples::Checks checks;
  checks.at_most("largest |b - A x| / |b|", examples::largest(residuals(exec, a, b, x)),
                 10 * options.tolerance);
  return checks.passed();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Conjugate gradients for k right-hand sides at once, on the 7-point Poisson matrix.",
               "block_cg");
  examples::add_number(app, "--size", options.size, 1, 600, "grid points per axis");
  examples::add_number(app, "--k", options.k, 1, 256, "right-hand sides");
  examples::add_number(app, "--tolerance", options.tolerance, 0, 1,
                       "relative residual at which a column is frozen");
  examples::add_number(app, "--max-iterations", options.max_iterations, 0, 1e6,
                       "iterations after which it gives up");
  return examples::run(app, argc, argv, [&] { return run(options); });
}
