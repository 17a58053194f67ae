// SPDX-License-Identifier: Apache-2.0
// Chebyshev-filtered subspace iteration: the lowest eigenvalues and eigenvectors of the 7-point
// Poisson matrix on n × n × n points.
//
// A block X of k vectors is multiplied by a polynomial of A, Chebyshev's of some degree, which is
// small between the largest Ritz value of the block and the top of A's spectrum, and large below:
//
//     Y_1 = sigma_1 / e (A - c) Y_0,
//     Y_{j+1} = 2 sigma_{j+1} / e (A - c) Y_j - sigma_j sigma_{j+1} Y_{j-1}
//
// A step is one fused product, W = alpha A Y_j + gamma Y_j + beta W, where Y_{j-1} is W. The new X
// are the Ritz vectors of the block, by fatvec::gram and fatvec::update; the dense eigenproblems of
// order k are Eigen's.
//
// The same iteration runs again by parts: a product, and a pass that adds gamma Y_j. With --with
// kokkoskernels all is done a third time by that library's spmv, axpy and gemm.
//
// Method: Y. Zhou, Y. Saad, M. L. Tiago and J. R. Chelikowsky, Self-consistent-field calculations
// using Chebyshev-filtered subspace iteration, J. Comput. Phys. 219 (2006).
#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas3_gemm.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fatvec/algebra/algebra.hpp>
#include <fatvec/core/error.hpp>
#include <fatvec/plan/plan.hpp>

#include "common.hpp"
#include "eigen.hpp"

using examples::Dense;
using examples::Device;
using examples::Exec;
using examples::HostDense;
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

/// Whose products, on the device.
struct Products {
  std::string name;
  /// W = alpha A X + gamma X + beta W.
  std::function<void(double alpha, const Multivector& x, double gamma, double beta,
                     const Multivector& w)>
      step;
  /// G = XᵀY.
  std::function<void(const Multivector& x, const Multivector& y, const Multivector& g)> gram;
  /// Y = X S.
  std::function<void(const Multivector& x, const Multivector& s, const Multivector& y)> update;
};

Products by_fatvec(const Exec& exec, const Matrix& a, int k) {
  const auto plan = fatvec::analyse(exec, a, k);
  const fatvec::GramWorkspace<Exec> workspace(exec, k, k);
  return {"fatvec",
          [=](double alpha, const Multivector& x, double gamma, double beta, const Multivector& w) {
            fatvec::spmm(exec, alpha, plan, x, beta, w, fatvec::fused::plus(gamma, x));
          },
          [=](const Multivector& x, const Multivector& y, const Multivector& g) {
            fatvec::gram(exec, x, y, g, workspace);
          },
          [=](const Multivector& x, const Multivector& s, const Multivector& y) {
            fatvec::update(exec, 1, x, s, 0, y);
          }};
}

/// W = W + gamma X.
void add(const Exec& exec, double gamma, const Multivector& x, const Multivector& w) {
  examples::for_each_element(
      "chebyshev::add", exec, x.extent_int(0), x.extent_int(1),
      KOKKOS_LAMBDA(std::int64_t i, int c) { w(i, c) += gamma * x(i, c); });
}

Products by_parts(const Exec& exec, const Matrix& a, int k) {
  Products by = by_fatvec(exec, a, k);
  by.name = "parts";
  const auto plan = fatvec::analyse(exec, a, k);
  by.step = [=](double alpha, const Multivector& x, double gamma, double beta,
                const Multivector& w) {
    fatvec::spmm(exec, alpha, plan, x, beta, w);
    if (gamma != 0) add(exec, gamma, x, w);
  };
  return by;
}

Products by_kokkoskernels(const Exec& exec, const Matrix& a) {
  using Crs = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
  const Crs matrix("A", a.rows(), a.cols(), static_cast<int>(a.nnz()), a.values, a.row_map,
                   a.entries);
  return {"kokkoskernels",
          [=](double alpha, const Multivector& x, double gamma, double beta, const Multivector& w) {
            KokkosSparse::spmv(exec, "N", alpha, matrix, x, beta, w);
            if (gamma != 0) KokkosBlas::axpy(exec, gamma, x, w);
          },
          [=](const Multivector& x, const Multivector& y, const Multivector& g) {
            KokkosBlas::gemm(exec, "T", "N", 1.0, x, y, 0.0, g);
          },
          [=](const Multivector& x, const Multivector& s, const Multivector& y) {
            KokkosBlas::gemm(exec, "N", "N", 1.0, x, s, 0.0, y);
          }};
}

struct Vectors {
  Vectors(const Matrix& a, int k)
      : x("X", a.rows(), k), ax("AX", a.rows(), k), other("other", a.rows(), k), small("S", k, k) {}
  Multivector x, ax;
  Multivector other;  ///< for the filter, and the residuals
  Multivector small;  ///< k × k
};

Dense gram(const Exec& exec, const Products& by, const Multivector& x, const Multivector& y,
           const Multivector& g) {
  by.gram(x, y, g);
  Dense dense(g.extent_int(0), g.extent_int(1));
  Kokkos::deep_copy(exec, HostDense(dense.data(), g.extent(0), g.extent(1)), g);
  exec.fence();
  return dense;
}

/// X = p(A) X. bottom: where what is damped begins, up to 12; lowest: where p is about 1.
void filter(const Products& by, int degree, double lowest, double bottom, Vectors& v) {
  const double top = 12;  // no row of A has a larger sum of magnitudes
  const double e = (top - bottom) / 2;
  const double c = (top + bottom) / 2;
  const double first = e / (lowest - c);
  double sigma = first;
  by.step(sigma / e, v.x, -c * sigma / e, 0, v.other);
  for (int j = 1; j < degree; ++j) {
    const double next = 1 / (2 / first - sigma);
    std::swap(v.x, v.other);
    by.step(2 * next / e, v.x, -c * 2 * next / e, -sigma * next, v.other);
    sigma = next;
  }
  std::swap(v.x, v.other);
}

/// X becomes the Ritz vectors of its span, and A X follows. Returns the Ritz values.
Eigen::VectorXd rotate(const Exec& exec, const Products& by, Vectors& v) {
  by.step(1, v.x, 0, 0, v.ax);
  const int k = v.x.extent_int(1);
  const Dense g = gram(exec, by, v.x, v.x, v.small);
  auto ritz = examples::rayleigh_ritz(g, gram(exec, by, v.x, v.ax, v.small), k);
  Kokkos::deep_copy(exec, v.small, HostDense(ritz.coefficients.data(), k, k));
  by.update(v.x, v.small, v.other);
  std::swap(v.x, v.other);
  by.update(v.ax, v.small, v.other);
  std::swap(v.ax, v.other);
  exec.fence();  // the coefficients go
  return ritz.values;
}

struct Outcome {
  Eigen::VectorXd theta;
  int products = 0;
  double seconds = 0;
};

/// Until the wanted pairs have |A x - theta x| <= tolerance theta. v.x starts with any vectors, and
/// ends with the eigenvectors.
Outcome solve(const Exec& exec, const Products& by, const Matrix& a, Vectors& v,
              const Options& options) {
  Outcome outcome;
  exec.fence();
  const Kokkos::Timer timer;
  for (int iteration = 0;; ++iteration) {
    outcome.theta = rotate(exec, by, v);
    ++outcome.products;
    const auto norms = examples::eigen_residuals(exec, a, v.x, v.ax, outcome.theta, v.other);
    if (examples::largest_of(norms, options.pairs) <= options.tolerance ||
        iteration == options.max_iterations)
      break;
    filter(by, options.degree, outcome.theta[0], outcome.theta[options.k - 1], v);
    outcome.products += options.degree;
  }
  outcome.seconds = timer.seconds();
  return outcome;
}

void check(const Exec& exec, const Products& by, const Matrix& a, Vectors& v,
           const Eigen::VectorXd& theta, const Options& options, examples::Checks& checks) {
  checks.at_most("largest relative error of an eigenvalue",
                 examples::largest_eigenvalue_error(options.size, options.pairs, theta),
                 options.tolerance);
  by.step(1, v.x, 0, 0, v.ax);  // afresh: the last rotation has changed A X without a product
  const auto norms = examples::eigen_residuals(exec, a, v.x, v.ax, theta, v.other);
  checks.at_most("largest |A x - theta x| / theta", examples::largest_of(norms, options.pairs),
                 2 * options.tolerance);
  const Dense off_identity =
      gram(exec, by, v.x, v.x, v.small) - Dense::Identity(options.k, options.k);
  checks.at_most("X^T X - I, Frobenius norm", off_identity.norm(), 1e-10);
}

bool run(const Options& options) {
  if (options.pairs >= options.k)
    throw fatvec::UsageError("--k must exceed --pairs: what is damped begins at the last vector");
  if (options.k > options.size * options.size * options.size)
    throw fatvec::UsageError("--k must not exceed the number of grid points");
  const Exec exec;
  const Matrix a = examples::generated("gen:stencil7:" + std::to_string(options.size));
  std::printf(
      "problem     %d lowest eigenpairs of the 7-point matrix of %d rows, %lld entries; k = %d, "
      "degree %d, on %s\n",
      options.pairs, a.rows(), static_cast<long long>(a.nnz()), options.k, options.degree,
      Exec::name());
  std::vector<Products> all = {by_fatvec(exec, a, options.k), by_parts(exec, a, options.k)};
  if (options.with == "kokkoskernels") all.push_back(by_kokkoskernels(exec, a));
  examples::Checks checks;
  double first = 0;
  for (const Products& by : all) {
    Vectors v(a, options.k);
    Kokkos::Random_XorShift64_Pool<Exec> random(1);
    Kokkos::fill_random(exec, v.x, random, -1.0, 1.0);
    const Outcome outcome = solve(exec, by, a, v, options);
    const double each = 1e3 * outcome.seconds / outcome.products;
    std::printf("time        %.3f s by %s, %.3f ms for each of %d products", outcome.seconds,
                by.name.c_str(), each, outcome.products);
    if (first > 0) std::printf(": %.2f times that of fatvec", each / first);
    std::printf("\n");
    if (first == 0) first = each;
    check(exec, by, a, v, outcome.theta, options, checks);
  }
  return checks.passed();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app(
      "The lowest eigenpairs of the 7-point Poisson matrix by Chebyshev-filtered subspace "
      "iteration.",
      "chebyshev_filter");
  examples::add_number(app, "--size", options.size, 1, 400, "grid points per axis");
  examples::add_number(app, "--pairs", options.pairs, 1, 128, "eigenpairs wanted");
  examples::add_number(app, "--k", options.k, 1, 256,
                       "vectors in the block, some more than the pairs");
  examples::add_number(app, "--degree", options.degree, 1, 100, "of the polynomial");
  examples::add_number(app, "--tolerance", options.tolerance, 0, 1,
                       "residual |A x - theta x| / theta at which a pair is good enough");
  examples::add_number(app, "--max-iterations", options.max_iterations, 0, 1e6,
                       "iterations after which it gives up");
  app.add_option("--with", options.with, "whose products run the same iteration, too")
      ->check(CLI::IsMember({"fatvec", "kokkoskernels"}))
      ->capture_default_str();
  return examples::run(app, argc, argv, [&] { return run(options); });
}
