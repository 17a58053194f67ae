// SPDX-License-Identifier: Apache-2.0
// GMRES(m) for k right-hand sides at once: A x_c = b_c, c = 0 ... k - 1, with an unsymmetric A.
//
// Each column has a Krylov space and a Hessenberg matrix of its own; the columns share the products
// W = A V_j, each of which reads A once for all of them, and forms the first dot products of the
// Gram-Schmidt process on the way. Givens rotations, on the host, make the Hessenberg matrices
// triangular; the last element of the right-hand side is the norm of the residual. A column whose
// norm is small enough stops; when all have, or after m steps, X is improved, and the next cycle
// begins with the true residuals B - A X.
//
// A is convection and diffusion on n × n × n points: the 7-point matrix with a wind along x.
// --with kokkoskernels runs the same iteration by that library's products and dot products next.
//
// Method: Y. Saad and M. H. Schultz, GMRES: a generalized minimal residual algorithm for solving
// nonsymmetric linear systems, SIAM J. Sci. Stat. Comput. 7 (1986).
#include <KokkosBlas1_dot.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fatvec/plan/plan.hpp>

#include "common.hpp"

using examples::Device;
using examples::Exec;
using examples::Matrix;
using examples::Multivector;
using ColumnDots = examples::ColumnResults<double>;  // a number for each column, on the device

namespace {

struct Options : examples::SolverOptions {
  Options() { size = 40; }
  int restart = 30;
  double wind = 0.5;
  std::string with = "fatvec";
};

/// The 7-point matrix with -1 - wind for the left neighbour along x, -1 + wind for the right one.
Matrix convection_diffusion(const Exec& exec, int size, double wind) {
  const Matrix a = examples::generated("gen:stencil7:" + std::to_string(size));
  const Kokkos::View<double*, Device> values("values", a.values.extent(0));
  Kokkos::deep_copy(exec, values, a.values);
  const auto row_map = a.row_map;
  const auto entries = a.entries;
  Kokkos::parallel_for(
      "convection", Kokkos::RangePolicy<Exec>(exec, 0, a.rows()), KOKKOS_LAMBDA(int i) {
        for (auto n = row_map(i); n < row_map(i + 1); ++n) {
          if (entries(n) == i - 1) values(n) -= wind;
          if (entries(n) == i + 1) values(n) += wind;
        }
      });
  return Matrix(a.rows(), a.cols(), a.row_map, a.entries, values);
}

/// Whose products and dot products, on the device.
struct Products {
  std::string name;
  /// R = B - A X, and the squares of its columns' norms.
  std::function<void(const Multivector& b, const Multivector& x, const Multivector& r,
                     const ColumnDots& squares)>
      residual;
  /// W = A V, and the dot products of Z and W.
  std::function<void(const Multivector& v, const Multivector& w, const Multivector& z,
                     const ColumnDots& dots)>
      multiply;
  std::function<void(const Multivector& x, const Multivector& y, const ColumnDots& dots)> dot;
};

Products by_fatvec(const Exec& exec, const Matrix& a, int k) {
  const auto plan = fatvec::analyse(exec, a, k);
  return {"fatvec",
          [=](const Multivector& b, const Multivector& x, const Multivector& r,
              const ColumnDots& squares) { fatvec::residual(exec, b, plan, x, r, squares); },
          [=](const Multivector& v, const Multivector& w, const Multivector& z,
              const ColumnDots& dots) {
            fatvec::spmm(exec, 1.0, plan, v, 0.0, w, fatvec::fused::dot_with(z, dots));
          },
          [=](const Multivector& x, const Multivector& y, const ColumnDots& dots) {
            fatvec::dot(exec, x, y, dots);
          }};
}

Products by_kokkoskernels(const Exec& exec, const Matrix& a) {
  using Crs = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
  const Crs matrix("A", a.rows(), a.cols(), static_cast<int>(a.nnz()), a.values, a.row_map,
                   a.entries);
  const auto dot = [=](const Multivector& x, const Multivector& y, const ColumnDots& dots) {
    KokkosBlas::dot(exec, dots.values, x, y);
  };
  return {"kokkoskernels",
          [=](const Multivector& b, const Multivector& x, const Multivector& r,
              const ColumnDots& squares) {
            Kokkos::deep_copy(exec, r, b);
            KokkosSparse::spmv(exec, "N", -1.0, matrix, x, 1.0, r);
            dot(r, r, squares);
          },
          [=](const Multivector& v, const Multivector& w, const Multivector& z,
              const ColumnDots& dots) {
            KokkosSparse::spmv(exec, "N", 1.0, matrix, v, 0.0, w);
            dot(z, w, dots);
          },
          dot};
}

/// min |beta e_1 - H y| of one column, where H, upper Hessenberg, gains a column in each step.
class LeastSquares {
 public:
  explicit LeastSquares(double beta) : right_side_{beta} {}
  /// The next column of H: as many elements as there are columns now, and one.
  void append(std::vector<double> h) {
    const std::size_t j = columns_.size();
    for (std::size_t i = 0; i < j; ++i) rotate(i, h[i], h[i + 1]);
    const double length = std::hypot(h[j], h[j + 1]);
    cosines_.push_back(h[j] / length);
    sines_.push_back(h[j + 1] / length);
    rotate(j, h[j], h[j + 1]);
    right_side_.push_back(0);
    rotate(j, right_side_[j], right_side_[j + 1]);
    columns_.push_back(std::move(h));
  }
  [[nodiscard]] double residual() const { return std::abs(right_side_.back()); }
  [[nodiscard]] std::vector<double> solution() const {
    std::vector<double> y(columns_.size());
    for (std::size_t i = y.size(); i-- > 0;) {
      y[i] = right_side_[i];
      for (std::size_t j = i + 1; j < y.size(); ++j) y[i] -= columns_[j][i] * y[j];
      y[i] /= columns_[i][i];
    }
    return y;
  }

 private:
  void rotate(std::size_t i, double& upper, double& lower) const {
    const double sum = cosines_[i] * upper + sines_[i] * lower;
    lower = cosines_[i] * lower - sines_[i] * upper;
    upper = sum;
  }

  std::vector<std::vector<double>> columns_;
  std::vector<double> cosines_, sines_, right_side_;
};

/// V_0 ... V_m, and numbers for their columns. Row i of `numbers` is where dots[i] goes.
struct Basis {
  using Numbers = Kokkos::View<double**, Kokkos::LayoutRight, Device>;

  Basis(const Exec& exec, const Matrix& a, int k, int m) : numbers("numbers", m + 2, k) {
    for (int i = 0; i <= m; ++i) v.emplace_back("V", a.rows(), k);
    for (int i = 0; i <= m + 1; ++i) {
      dots.push_back(examples::column_results<double>(exec, a, k));
      dots.back().values = Kokkos::subview(numbers, i, Kokkos::ALL);
    }
  }

  std::vector<Multivector> v;
  Numbers numbers;
  std::vector<ColumnDots> dots;
};

/// Y = Y + sign · X diag(numbers(i, :)).
void add_scaled(const Exec& exec, const Basis::Numbers& numbers, int i, double sign,
                const Multivector& x, const Multivector& y) {
  examples::for_each_element(
      "gmres::add", exec, x.extent_int(0), x.extent_int(1),
      KOKKOS_LAMBDA(std::int64_t row, int c) { y(row, c) += sign * numbers(i, c) * x(row, c); });
}

/// Columns of length 1; squares(c) is the square of the length, or 0, which leaves zeros.
void normalise(const Exec& exec, const ColumnDots& squares, const Multivector& v) {
  const auto of_columns = squares.values;
  examples::for_each_element(
      "gmres::normalise", exec, v.extent_int(0), v.extent_int(1),
      KOKKOS_LAMBDA(std::int64_t row, int c) {
        v(row, c) *= of_columns(c) > 0 ? 1 / Kokkos::sqrt(of_columns(c)) : 0;
      });
}

/// V_{j + 1} from V_j, by modified Gram-Schmidt. Returns column j of each Hessenberg matrix.
std::vector<std::vector<double>> arnoldi_step(const Exec& exec, const Products& by,
                                              const Basis& basis, int j) {
  const Multivector& w = basis.v[static_cast<std::size_t>(j) + 1];
  for (int i = 0; i <= j; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i == 0)
      by.multiply(basis.v[static_cast<std::size_t>(j)], w, basis.v[0], basis.dots[0]);
    else
      by.dot(basis.v[at], w, basis.dots[at]);
    add_scaled(exec, basis.numbers, i, -1, basis.v[at], w);
  }
  const ColumnDots& squares = basis.dots[static_cast<std::size_t>(j) + 1];
  by.dot(w, w, squares);
  normalise(exec, squares, w);
  const auto h = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(),
      Kokkos::subview(basis.numbers, Kokkos::make_pair(0, j + 2), Kokkos::ALL));
  std::vector<std::vector<double>> columns(basis.v[0].extent(1));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (int i = 0; i <= j; ++i) columns[c].push_back(h(i, c));
    columns[c].push_back(std::sqrt(h(j + 1, c)));
  }
  return columns;
}

/// X = X + V y, of each column its own y.
void improve(const Exec& exec, const Basis& basis, const std::vector<LeastSquares>& problems,
             const Multivector& x) {
  const auto y = Kokkos::create_mirror_view(basis.numbers);
  Kokkos::deep_copy(y, 0);
  std::size_t most = 0;
  for (std::size_t c = 0; c < problems.size(); ++c) {
    const auto of_column = problems[c].solution();
    for (std::size_t i = 0; i < of_column.size(); ++i) y(i, c) = of_column[i];
    most = std::max(most, of_column.size());
  }
  Kokkos::deep_copy(exec, basis.numbers, y);
  for (std::size_t i = 0; i < most; ++i)
    add_scaled(exec, basis.numbers, static_cast<int>(i), 1, basis.v[i], x);
}

struct Outcome {
  std::vector<int> iterations;  ///< of each column
  int steps = 0;
  double seconds = 0;
};

/// Solves A X = B from X = 0 until each column has |b - A x| <= tolerance |b|, or for
/// max_iterations.
Outcome solve(const Exec& exec, const Products& by, const Matrix& a, const Multivector& b,
              const Multivector& x, const Options& options) {
  const std::size_t k = b.extent(1);
  const Basis basis(exec, a, options.k, options.restart);
  Outcome outcome{std::vector<int>(k), 0, 0};
  Kokkos::deep_copy(exec, x, 0);
  by.dot(b, b, basis.dots[0]);
  std::vector<double> limits = basis.dots[0].on_host(exec);
  for (double& limit : limits) limit = options.tolerance * std::sqrt(limit);

  const Kokkos::Timer timer;
  while (true) {
    by.residual(b, x, basis.v[0], basis.dots[0]);
    normalise(exec, basis.dots[0], basis.v[0]);
    std::vector<LeastSquares> problems;
    for (const double square : basis.dots[0].on_host(exec))
      problems.emplace_back(std::sqrt(square));
    const auto is_active = [&](std::size_t c) { return problems[c].residual() > limits[c]; };
    const auto some_active = [&] {
      for (std::size_t c = 0; c < k; ++c)
        if (is_active(c)) return true;
      return false;
    };
    if (!some_active() || outcome.steps == options.max_iterations) break;
    for (int j = 0; j < options.restart && outcome.steps < options.max_iterations && some_active();
         ++j, ++outcome.steps) {
      auto h = arnoldi_step(exec, by, basis, j);
      for (std::size_t c = 0; c < k; ++c) {
        if (!is_active(c)) continue;
        problems[c].append(std::move(h[c]));
        ++outcome.iterations[c];
      }
    }
    improve(exec, basis, problems, x);
  }
  exec.fence();
  outcome.seconds = timer.seconds();
  return outcome;
}

bool run(const Options& options) {
  const Exec exec;
  const Matrix a = convection_diffusion(exec, options.size, options.wind);
  std::printf(
      "problem     convection and diffusion, %d rows, %lld entries, k = %d right-hand sides, m = "
      "%d, on %s\n",
      a.rows(), static_cast<long long>(a.nnz()), options.k, options.restart, Exec::name());
  const Multivector b("b", a.rows(), options.k);
  const Multivector x("x", a.rows(), options.k);
  Kokkos::Random_XorShift64_Pool<Exec> random(1);
  Kokkos::fill_random(exec, b, random, -1.0, 1.0);

  std::vector<Products> all = {by_fatvec(exec, a, options.k)};
  if (options.with == "kokkoskernels") all.push_back(by_kokkoskernels(exec, a));
  examples::Checks checks;
  double first = 0;
  for (const Products& by : all) {
    const Outcome outcome = solve(exec, by, a, b, x, options);
    examples::print_iterations(outcome.iterations);
    const double each = 1e3 * outcome.seconds / std::max(1, outcome.steps);
    std::printf("time        %.3f s by %s, %.3f ms an iteration", outcome.seconds, by.name.c_str(),
                each);
    if (first > 0) std::printf(": %.2f times that of fatvec", each / first);
    std::printf("\n");
    if (first == 0) first = each;
    checks.at_most("largest |b - A x| / |b|",
                   examples::largest(examples::relative_residuals(exec, a, b, x)),
                   1.001 * options.tolerance);
  }
  return checks.passed();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("GMRES(m) for k right-hand sides at once, with an unsymmetric matrix.",
               "block_gmres");
  examples::add_solver_options(app, options, 256);
  examples::add_number(app, "--restart", options.restart, 1, 1000,
                       "steps before it starts again: m");
  examples::add_number(app, "--wind", options.wind, 0, 1, "0: the symmetric Poisson matrix");
  app.add_option("--with", options.with, "whose products run the same iteration, too")
      ->check(CLI::IsMember({"fatvec", "kokkoskernels"}))
      ->capture_default_str();
  return examples::run(app, argc, argv, [&] { return run(options); });
}
