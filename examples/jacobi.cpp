// SPDX-License-Identifier: Apache-2.0
// Weighted Jacobi for k right-hand sides at once, by a kernel of our own on fatvec's Views.
//
// A library's product forms A X, writes it, and a second kernel reads it again. Here one kernel
// does both for a hack of HLL, which is a small ELLPACK matrix: hack(h) has it as two rank-2 Views,
// in the layout that suits the device, so that the kernel indexes (row, slot) and knows nothing of
// offsets:
//
//     Z = X + w D^-1 (B - A X),   D the diagonal of A
//
// Padding has the column -1 and ends a row. The result is checked against fatvec::spmm.
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <string>

#include <fatvec/kernels/csr.hpp>
#include <fatvec/kernels/hll.hpp>

#include "common.hpp"

using examples::Device;
using examples::Exec;
using examples::Matrix;
using examples::Multivector;
using Hll = fatvec::HllMatrix<double, std::int32_t, Exec>;

namespace {

struct Options {
  int size = 60;
  int k = 8;
  int sweeps = 20;
  double tolerance = 1e-10;
};

constexpr double weight = 0.7;

/// A team has a hack, its threads have the rows, vector lanes the columns.
struct Sweep {
  Hll a;
  Multivector b, x, z;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const auto hack = a.hack(team.league_rank());
    const int rows = static_cast<int>(hack.entries.extent(0));
    const int slots = static_cast<int>(hack.entries.extent(1));
    const int first = team.league_rank() * a.hack_size();
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, rows), [&](int r) {
      const int row = first + r;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, static_cast<int>(x.extent(1))),
                           [&](int c) {
                             double rest = b(row, c);
                             double diagonal = 1;
                             for (int j = 0; j < slots && hack.entries(r, j) >= 0; ++j) {
                               rest -= hack.values(r, j) * x(hack.entries(r, j), c);
                               if (hack.entries(r, j) == row) diagonal = hack.values(r, j);
                             }
                             z(row, c) = x(row, c) + weight / diagonal * rest;
                           });
    });
  }
};

void sweep(const Exec& exec, const Hll& a, const Multivector& b, const Multivector& x,
           const Multivector& z) {
  using Teams = Kokkos::TeamPolicy<Exec>;
  int lanes = 1;
  while (lanes < b.extent_int(1) && lanes < Teams::vector_length_max()) lanes *= 2;
  Kokkos::parallel_for("jacobi::sweep",
                       Teams(exec, static_cast<int>(a.hacks()), Kokkos::AUTO, lanes),
                       Sweep{a, b, x, z});
}

struct Distance {
  Multivector a, b;
  KOKKOS_FUNCTION void operator()(int i, double& most) const {
    for (int c = 0; c < static_cast<int>(a.extent(1)); ++c) {
      const double here = Kokkos::abs(a(i, c) - b(i, c));
      if (Kokkos::isnan(here))
        most = HUGE_VAL;  // a maximum would drop it
      else
        most = Kokkos::max(most, here);
    }
  }
};

/// The largest |a(i, c) - b(i, c)|.
double distance(const Exec& exec, const Multivector& a, const Multivector& b) {
  double most = 0;
  Kokkos::parallel_reduce("jacobi::distance",
                          Kokkos::RangePolicy<Exec>(exec, 0, static_cast<int>(a.extent(0))),
                          Distance{a, b}, Kokkos::Max<double>(most));
  return most;
}

bool run(const Options& options) {
  const Exec exec;
  const Matrix csr = examples::generated("gen:stencil7:" + std::to_string(options.size));
  const Hll a = Hll::from_csr(exec, csr);
  const Multivector b("b", csr.rows(), options.k), x("x", csr.rows(), options.k),
      z("z", csr.rows(), options.k), expected("expected", csr.rows(), options.k);
  Kokkos::deep_copy(exec, b, 1.0);

  examples::Stopwatch clock;
  clock.time(exec, [&] {
    for (int n = 0; n < options.sweeps; ++n) {
      sweep(exec, a, b, x, z);
      sweep(exec, a, b, z, x);
    }
  });
  std::printf("%d sweeps, %d columns: %.3g s\n", 2 * options.sweeps, options.k, clock.seconds());

  // One more, and the same by fatvec's product: the 7-point matrix has 6 on its diagonal.
  sweep(exec, a, b, x, z);
  Kokkos::deep_copy(exec, expected, b);
  fatvec::spmm(exec, -1.0, a, x, 1.0, expected);
  examples::for_each_element(
      "jacobi::expected", exec, csr.rows(), options.k, KOKKOS_LAMBDA(std::int64_t i, int c) {
        expected(i, c) = x(i, c) + weight / 6.0 * expected(i, c);
      });
  const double size = distance(exec, x, Multivector("zero", csr.rows(), options.k));
  examples::Checks checks;
  checks.at_most("largest difference from fatvec's product, relative",
                 distance(exec, z, expected) / size, options.tolerance);
  return checks.passed();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Weighted Jacobi for k right-hand sides, by a kernel of one's own on HLL's Views.",
               "jacobi");
  examples::add_number(app, "--size", options.size, 1, 600, "grid points per axis");
  examples::add_number(app, "--k", options.k, 1, 256, "right-hand sides");
  examples::add_number(app, "--sweeps", options.sweeps, 1, 1e6, "pairs of sweeps");
  examples::add_number(app, "--tolerance", options.tolerance, 0, 1,
                       "largest difference from the product of fatvec");
  return examples::run(app, argc, argv, [&] { return run(options); });
}
