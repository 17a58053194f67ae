// SPDX-License-Identifier: Apache-2.0
// LOBPCG: the lowest eigenvalues and eigenvectors of the 7-point Poisson matrix on n × n × n
// points.
//
// A block X of k vectors is improved together. Each iteration finds the best vectors
// (Rayleigh-Ritz) in the space of 3 k vectors S = [X P W]: X itself, the last step P, and the
// residuals W = A X - X diag(theta), made better by a polynomial of A. The polynomial is `degree`
// steps of Chebyshev's iteration for A Z = W: products and nothing else, so it works for any A with
// a known largest eigenvalue. A S is kept beside S, so that an iteration needs `degree` products of
// k columns.
//
// S is one array of 3 k columns; its blocks are subviews, which fatvec multiplies where they are.
// The tall and skinny dense products are fatvec::gram and fatvec::update, or with `--with
// kokkoskernels` KokkosBlas::gemm for comparison; the dense eigenproblems of order 3 k are Eigen's.
// The basis is made orthonormal by SVQB in the coefficients: directions that depend on the others,
// as P and W do in the end, are dropped instead of breaking the method.
//
// Compiled for one device and, as distributed_lobpcg, for many ranks: these add up S^T S and S^T A
// S, and each solves the dense eigenproblem, of the same bits.
//
// Methods: A. Knyazev, Toward the optimal preconditioned eigensolver, SIAM J. Sci. Comput. 23
// (2001); SVQB: A. Stathopoulos and K. Wu, SIAM J. Sci. Comput. 23 (2002); Chebyshev's iteration:
// Y. Saad, Iterative methods for sparse linear systems, 12.3.
#include <KokkosBlas3_gemm.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fatvec/algebra/algebra.hpp>

#include "common.hpp"
#include "eigen.hpp"

using examples::Block;
using examples::columns;
using examples::Dense;
using examples::Device;
using examples::Exec;
using examples::HostDense;
using examples::largest_of;
using examples::Matrix;
using examples::Multivector;

namespace {

struct Options {
  int size = 32;
  int pairs = 10;
  int k = 16;
  int degree = 16;
  int max_iterations = 200;
  double tolerance = 1e-6;
  std::string with = "fatvec";
};

/// The tall and skinny products, and their memory.
struct Tall {
  Tall(const Exec& exec, int k, bool kokkoskernels)
      : workspace(exec, 3 * k, 3 * k),
        product("gram", 3 * k, 3 * k),
        coefficients("coefficients", 3 * k, 2 * k),
        by_kokkoskernels(kokkoskernels) {}

  /// S^T T, on the host, all ranks together.
  [[nodiscard]] Dense gram(const Exec& exec, const Multivector& s, const Multivector& t) const {
    const int k = s.extent_int(1);
    const Multivector g(product.data(), k, k);
    if (by_kokkoskernels)
      KokkosBlas::gemm(exec, "T", "N", 1.0, s, t, 0.0, g);
    else
      fatvec::gram(exec, s, t, g, workspace);
    Dense dense(k, k);
    Kokkos::deep_copy(exec, HostDense(dense.data(), k, k), g);
    exec.fence();
    examples::add_up(dense.data(), static_cast<std::size_t>(dense.size()));
    return dense;
  }
  /// Y = S C; C is in `coefficients`.
  void update(const Exec& exec, const Multivector& s, const Block& y) const {
    if (by_kokkoskernels)
      KokkosBlas::gemm(exec, "N", "N", 1.0, s, coefficients, 0.0, y);
    else
      fatvec::update(exec, 1, s, coefficients, 0, y);
  }

  fatvec::GramWorkspace<Exec> workspace;
  Multivector product;
  Multivector coefficients;
  bool by_kokkoskernels;
};

/// The vectors of the iteration; S = [X P W], and AS = A S.
struct Vectors {
  Vectors(int n, int k)
      : s("S", n, 3 * k),
        as("AS", n, 3 * k),
        next_s("S", n, 3 * k),
        next_as("AS", n, 3 * k),
        d("D", n, k),
        z("Z", n, k) {}
  Multivector s, as, next_s, next_as;
  Multivector d, z;  ///< for Chebyshev's iteration
};

/// X = S C and P = S (C without the rows that belong to X): the new vectors, and the way to them.
/// The same for A X and A P.
void rotate(const Exec& exec, const Tall& tall, Vectors& v, const Dense& c) {
  const int k = static_cast<int>(c.cols());
  Dense both(3 * k, 2 * k);
  both << c, c;
  both.block(0, k, k, k).setZero();
  Kokkos::deep_copy(exec, tall.coefficients, HostDense(both.data(), 3 * k, 2 * k));
  tall.update(exec, v.s, columns(v.next_s, 0, 2 * k));
  tall.update(exec, v.as, columns(v.next_as, 0, 2 * k));
  exec.fence();  // `both` goes
  std::swap(v.s, v.next_s);
  std::swap(v.as, v.next_as);
}

/// Y = beta Y + alpha A X, with the clock running.
struct Multiply {
  const Exec& exec;
  const Matrix& a;
  examples::Stopwatch& products;
  void operator()(double alpha, const Block& x, double beta, const Block& y) const {
    products.time(exec, [&] { spmm(exec, alpha, a, x, beta, y); });
  }
  /// D = gamma (W - A Z) + beta D, in one pass.
  void step(double gamma, const Block& w, const Block& z, double beta, const Block& d) const {
    products.time(exec, [&] { spmm(exec, -gamma, a, z, beta, d, fatvec::fused::plus(gamma, w)); });
  }
};

/// W = p(A) W, where p(A) is about the inverse of A: `degree` steps of Chebyshev's iteration for A
/// Z = W from Z = 0, on the upper part of A's spectrum. D and Z are room to work in; the residual
/// W - A Z is formed within the products.
void improve(const Exec& exec, const Multiply& multiply, int degree, const Block& w, const Block& d,
             const Block& z) {
  if (degree == 0) return;
  const double top = 12;  // no row of A has a larger sum of magnitudes
  const double bottom = top / ((degree + 1) * (degree + 1));
  const double centre = (top + bottom) / 2;
  const double radius = (top - bottom) / 2;
  double from_last = 0;        // how much of the last step is in the next one,
  double from_w = 1 / centre;  // and how much of the residual
  double rho = radius / centre;
  Kokkos::deep_copy(exec, z, 0);
  for (int step = 0; step < degree; ++step) {
    if (step > 0) multiply.step(from_w, w, z, from_last, d);
    const double of_w = step > 0 ? 0 : from_w;  // A Z is 0 at first
    examples::for_each_element(
        "lobpcg::chebyshev", exec, w.extent_int(0), w.extent_int(1),
        KOKKOS_LAMBDA(std::int64_t i, int c) {
          if (of_w != 0) d(i, c) = of_w * w(i, c);
          z(i, c) += d(i, c);
        });
    const double next = 1 / (2 * centre / radius - rho);
    from_last = next * rho;
    from_w = 2 * next / radius;
    rho = next;
  }
  Kokkos::deep_copy(exec, w, z);
}

/// LOBPCG until the wanted pairs have |A x - theta x| <= tolerance theta. v.s starts with any X,
/// and ends with the eigenvectors.
Eigen::VectorXd solve(const Exec& exec, const Multiply& multiply, const Tall& tall, Vectors& v,
                      const Options& options, int& iterations) {
  const int k = options.k;
  multiply(1, columns(v.s, 0, k), 0, columns(v.as, 0, k));
  for (iterations = 0;; ++iterations) {
    const examples::RitzPairs ritz =
        examples::rayleigh_ritz(tall.gram(exec, v.s, v.s), tall.gram(exec, v.s, v.as), k);
    rotate(exec, tall, v, ritz.coefficients);
    const Block w = columns(v.s, 2 * k, 3 * k);
    const auto norms = examples::eigen_residuals(exec, multiply.a, columns(v.s, 0, k),
                                                 columns(v.as, 0, k), ritz.values, w);
    if (largest_of(norms, options.pairs) <= options.tolerance ||
        iterations == options.max_iterations)
      return ritz.values;
    improve(exec, multiply, options.degree, w, v.d, v.z);
    multiply(1, w, 0, columns(v.as, 2 * k, 3 * k));
  }
}

bool run(const Options& options) {
  const int k = options.k;
  if (options.pairs > k) throw fatvec::UsageError("--pairs must not exceed --k");
  if (k > options.size * options.size * options.size)
    throw fatvec::UsageError("--k must not exceed the number of grid points");
  const Exec exec;
  const Matrix a = examples::generated("gen:stencil7:" + std::to_string(options.size));
  std::printf(
      "problem     %d lowest eigenpairs of the 7-point matrix of %lld rows, %lld entries; k = %d, "
      "on %s\n",
      options.pairs, static_cast<long long>(a.rows()), static_cast<long long>(examples::entries(a)),
      k, Exec::name());
  examples::Stopwatch products;
  const Multiply multiply{exec, a, products};
  Vectors v(examples::rows_here(a), k);
  const Tall tall(exec, k, options.with == "kokkoskernels");
  const Block x = v.d;
  const Block ax = v.z;
  Kokkos::Random_XorShift64_Pool<Exec> random(
      static_cast<std::uint64_t>(1 + examples::first_row(a)));
  Kokkos::fill_random(exec, columns(v.s, 0, k), random, -1.0, 1.0);
  exec.fence();
  const Kokkos::Timer timer;
  int iterations = 0;
  const Eigen::VectorXd theta = solve(exec, multiply, tall, v, options, iterations);
  const double seconds = timer.seconds();
  std::printf("iterations  %d, of %d products each\n", iterations, std::max(options.degree, 1));
  examples::print_share(products, seconds);

  examples::Checks checks;
  checks.at_most("largest relative error of an eigenvalue",
                 examples::largest_eigenvalue_error(options.size, options.pairs, theta),
                 options.tolerance);
  Kokkos::deep_copy(exec, x, columns(v.s, 0, k));
  multiply(1, x, 0, ax);  // afresh: solve() keeps A X up to date without a product
  const auto norms = examples::eigen_residuals(exec, a, x, ax, theta, columns(v.s, 2 * k, 3 * k));
  checks.at_most("largest |A x - theta x| / theta", largest_of(norms, options.pairs),
                 2 * options.tolerance);
  const Dense off_identity = tall.gram(exec, v.d, v.d) - Dense::Identity(k, k);
  checks.at_most("X^T X - I, Frobenius norm", off_identity.norm(), 1e-10);
  return checks.passed();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("The lowest eigenpairs of the 7-point Poisson matrix by LOBPCG.", "lobpcg");
  examples::add_number(app, "--size", options.size, 1, 400, "grid points per axis");
  examples::add_number(app, "--pairs", options.pairs, 1, 128, "eigenpairs wanted");
  examples::add_number(app, "--k", options.k, 1, 128,
                       "vectors in the block, some more than the pairs");
  examples::add_number(app, "--degree", options.degree, 0, 100, "steps of Chebyshev's iteration");
  examples::add_number(app, "--tolerance", options.tolerance, 0, 1,
                       "residual |A x - theta x| / theta at which a pair is good enough");
  examples::add_number(app, "--max-iterations", options.max_iterations, 0, 1e6,
                       "iterations after which it gives up");
  app.add_option("--with", options.with, "whose tall and skinny products")
      ->check(CLI::IsMember({"fatvec", "kokkoskernels"}))
      ->capture_default_str();
  return examples::run(app, argc, argv, [&] { return run(options); });
}
