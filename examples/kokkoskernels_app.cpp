// SPDX-License-Identifier: Apache-2.0
// An application written for Kokkos Kernels, and the three lines that move it to fatvec: look for
// "line 1", "line 2", "line 3".
//
// k cubes cool down at once: k independent heat equations du/dt = laplace(u) on a grid of n × n × n
// points with cold walls, in explicit Euler steps U = U - dt A U. A is the 7-point matrix, a
// KokkosSparse::CrsMatrix assembled on the device; the columns of U are the k temperatures. Column
// c starts as an eigenvector of A, so that the exact result is known: each step leaves 1 - dt
// lambda_c of it.
//
// The same time loop runs twice, once with KokkosSparse::spmv and once with fatvec::spmm, on the
// same arrays.
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include <fatvec/interop/kokkoskernels.hpp>  // line 1, with spmm's header
#include <fatvec/kernels/csr.hpp>
#include <fatvec/statistics/vector_statistics.hpp>

#include "common.hpp"

using examples::Device;
using examples::Exec;
using examples::Multivector;
using CrsMatrix = KokkosSparse::CrsMatrix<double, int, Device, void, int>;

namespace {

struct Options {
  int size = 64;
  int k = 8;
  int steps = 100;
  double tolerance = 1e-12;
};

/// A point of the grid, and its row in the matrix: x + n (y + n z).
struct Grid {
  int n;
  [[nodiscard]] KOKKOS_FUNCTION int points() const { return n * n * n; }
  [[nodiscard]] KOKKOS_FUNCTION int coordinate(int row, int axis) const {
    return axis == 0 ? row % n : axis == 1 ? row / n % n : row / (n * n);
  }
};

/// The 7-point matrix of -laplace on the grid, spacing 1: 6 on the diagonal, -1 for each neighbour.
CrsMatrix assemble(const Exec& exec, Grid grid) {
  const int n = grid.n;
  const int rows = grid.points();
  const Kokkos::View<int*, Device> row_map("A::row_map", rows + 1);
  int nnz = 0;
  Kokkos::parallel_scan(
      "assemble::count", Kokkos::RangePolicy<Exec>(exec, 0, rows + 1),
      KOKKOS_LAMBDA(int row, int& sum, bool final) {
        if (final) row_map(row) = sum;
        if (row == rows) return;
        sum += 7;
        for (int axis = 0; axis < 3; ++axis) {
          const int at = grid.coordinate(row, axis);
          sum -= (at == 0) + (at == n - 1);  // no neighbour beyond the wall
        }
      },
      nnz);
  const Kokkos::View<int*, Device> entries(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "A::entries"), nnz);
  const Kokkos::View<double*, Device> values(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "A::values"), nnz);
  Kokkos::parallel_for(
      "assemble::fill", Kokkos::RangePolicy<Exec>(exec, 0, rows), KOKKOS_LAMBDA(int row) {
        int at = row_map(row);
        const auto add = [&](int column, double value) {
          entries(at) = column;
          values(at++) = value;
        };
        const int strides[] = {1, n, n * n};
        for (int axis = 2; axis >= 0; --axis)  // columns ascending
          if (grid.coordinate(row, axis) > 0) add(row - strides[axis], -1);
        add(row, 6);
        for (int axis = 0; axis < 3; ++axis)
          if (grid.coordinate(row, axis) < n - 1) add(row + strides[axis], -1);
      });
  return CrsMatrix("A", rows, rows, nnz, values, row_map, entries);
}

/// Half waves of the temperature that a column starts with, along an axis.
KOKKOS_FUNCTION int half_waves(int column, int axis) {
  return 1 + (column >> axis) % 2 + column / 8;
}

/// How much of column c is left after one step: 1 - dt lambda, lambda the sum over the axes of 2 -
/// 2 cos(w pi / (n + 1)).
double decay(Grid grid, int column, double dt) {
  double lambda = 0;
  for (int axis = 0; axis < 3; ++axis)
    lambda += 2 - 2 * std::cos(half_waves(column, axis) * Kokkos::numbers::pi / (grid.n + 1));
  return 1 - dt * lambda;
}

/// U(:, c) = scale(c) times the product of sines that is A's eigenvector for column c.
void set_waves(const Exec& exec, Grid grid, const Kokkos::View<double*, Device>& scale,
               const Multivector& u) {
  examples::for_each_element(
      "set_waves", exec, grid.points(), static_cast<int>(u.extent(1)),
      KOKKOS_LAMBDA(std::int64_t row, int c) {
        double value = scale(c);
        for (int axis = 0; axis < 3; ++axis) {
          const int at = grid.coordinate(static_cast<int>(row), axis) + 1;
          value *= Kokkos::sin(half_waves(c, axis) * at * Kokkos::numbers::pi / (grid.n + 1));
        }
        u(row, c) = value;
      });
}

/// The application's time loop. multiply(alpha, X, beta, Y) is Y = beta Y + alpha A X.
template <class Multiply>
Multivector cool_down(const char* name, const Exec& exec, const Multivector& start, int steps,
                      double dt, Multiply multiply) {
  Multivector u("u", start.extent(0), start.extent(1));
  Multivector next("next", start.extent(0), start.extent(1));
  Kokkos::deep_copy(exec, u, start);
  examples::Stopwatch products;
  exec.fence();
  const Kokkos::Timer timer;
  for (int step = 0; step < steps; ++step) {
    Kokkos::deep_copy(exec, next, u);
    products.time(exec, [&] { multiply(-dt, u, 1.0, next); });  // next = u - dt A u
    std::swap(u, next);
  }
  exec.fence();
  const double seconds = timer.seconds();
  std::printf("with        %s\n", name);
  examples::print_share(products, seconds);
  return u;
}

/// The largest |x - y|; x is overwritten by the difference.
double largest_difference(const Exec& exec, const Multivector& x, const Multivector& y) {
  examples::for_each_element(
      "difference", exec, static_cast<std::int64_t>(x.extent(0)), static_cast<int>(x.extent(1)),
      KOKKOS_LAMBDA(std::int64_t row, int c) { x(row, c) -= y(row, c); });
  fatvec::VectorStatistics<double> all;
  for (const auto& column : fatvec::vector_statistics(exec, x)) all.join(column);
  return all.max_norm();
}

/// What set_waves should be told for the exact result: 1 - dt lambda to the power of steps.
Kokkos::View<double*, Device> exact_scale(const Exec& exec, Grid grid, int k, double dt,
                                          int steps) {
  const Kokkos::View<double*, Device> scale("scale", k);
  const auto host = Kokkos::create_mirror_view(scale);
  for (int c = 0; c < k; ++c) host(c) = std::pow(decay(grid, c, dt), steps);
  Kokkos::deep_copy(exec, scale, host);
  exec.fence();
  return scale;
}

/// The median time of repeated work, in seconds.
double median(std::vector<double>& seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

/// Prints the medians of the times of two products, which take turns, and their ratio.
template <class FatvecProduct, class KokkosKernelsProduct>
void print_gain(const Exec& exec, const FatvecProduct& with_fatvec,
                const KokkosKernelsProduct& with_kokkoskernels) {
  constexpr int repetitions = 21;
  const auto seconds_of = [&exec](const auto& product) {
    examples::Stopwatch watch;
    watch.time(exec, product);
    return watch.seconds();
  };
  seconds_of(with_fatvec);  // once without a clock
  seconds_of(with_kokkoskernels);
  std::vector<double> fatvec_seconds;
  std::vector<double> kokkoskernels_seconds;
  for (int n = 0; n < repetitions; ++n) {
    fatvec_seconds.push_back(seconds_of(with_fatvec));
    kokkoskernels_seconds.push_back(seconds_of(with_kokkoskernels));
  }
  const double fatvec_median = median(fatvec_seconds);
  const double kokkoskernels_median = median(kokkoskernels_seconds);
  std::printf(
      "one product fatvec %.3f ms, KokkosSparse::spmv %.3f ms: %.2f times as fast (medians of "
      "%d)\n",
      1e3 * fatvec_median, 1e3 * kokkoskernels_median, kokkoskernels_median / fatvec_median,
      repetitions);
}

bool simulate(const Options& options) {
  const Exec exec;
  const Grid grid{options.size};
  const int k = options.k;
  const int steps = options.steps;
  const double dt = 0.1;  // stable up to 1/6
  const CrsMatrix a = assemble(exec, grid);
  std::printf("problem     %d heat equations on %d^3 points, %d steps, on %s\n", k, grid.n, steps,
              Exec::name());
  const Multivector start("start", grid.points(), k);
  set_waves(exec, grid, exact_scale(exec, grid, k, dt, 0), start);

  KokkosSparse::SPMVHandle<Exec, CrsMatrix, Multivector, Multivector> handle;
  const auto with_kokkoskernels = [&](double alpha, const Multivector& x, double beta,
                                      const Multivector& y) {
    KokkosSparse::spmv(exec, &handle, KokkosSparse::NoTranspose, alpha, a, x, beta, y);
  };
  const auto fat = fatvec::csr_view(a);  // line 2: shares A's arrays, copies nothing
  const auto with_fatvec = [&](double alpha, const Multivector& x, double beta,
                               const Multivector& y) {
    fatvec::spmm(exec, alpha, fat, x, beta, y);  // line 3
  };
  const Multivector by_kokkoskernels =
      cool_down("KokkosSparse::spmv", exec, start, steps, dt, with_kokkoskernels);
  const Multivector by_fatvec = cool_down("fatvec::spmm", exec, start, steps, dt, with_fatvec);

  examples::Checks checks;
  checks.at_most("largest difference between the two",
                 largest_difference(exec, by_kokkoskernels, by_fatvec), options.tolerance);
  const Multivector exact("exact", grid.points(), k);
  set_waves(exec, grid, exact_scale(exec, grid, k, dt, steps), exact);
  checks.at_most("largest error of fatvec's", largest_difference(exec, exact, by_fatvec),
                 options.tolerance);
  print_gain(
      exec, [&] { with_fatvec(1, start, 0, by_fatvec); },
      [&] { with_kokkoskernels(1, start, 0, by_fatvec); });
  return checks.passed();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("k heat equations at once: an application for Kokkos Kernels, moved to fatvec.",
               "kokkoskernels_app");
  examples::add_number(app, "--size", options.size, 1, 600, "grid points per axis");
  examples::add_number(app, "--k", options.k, 1, 256, "heat equations, columns of U");
  examples::add_number(app, "--steps", options.steps, 0, 100000, "time steps");
  examples::add_number(app, "--tolerance", options.tolerance, 0, 1,
                       "largest absolute error; temperatures start within -1 ... 1");
  return examples::run(app, argc, argv, [&] { return simulate(options); });
}
