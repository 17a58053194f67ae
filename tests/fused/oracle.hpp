// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/fused/fused.hpp>

#include "zoo.hpp"

/// What fused products must give, for one matrix, k and layouts of X and Y.
namespace fatvec::test {

using Exec = Kokkos::DefaultExecutionSpace;
using HostMatrix = CsrMatrix<double, std::int32_t, Kokkos::DefaultHostExecutionSpace, std::int32_t>;
using HostVectors = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
template <class Layout>
using Vectors = Kokkos::View<double**, Layout, Exec>;
using Results = Kokkos::View<double*, Exec>;

inline double element(std::int64_t i, std::int64_t c, int seed) {
  return 0.125 * static_cast<double>((i * 7 + c * 13 + seed * 5) % 23) - 1.25 + 0.01 * seed;
}

inline HostVectors host_vectors(std::int64_t rows, std::int64_t k, int seed) {
  HostVectors view("host", rows, k);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t c = 0; c < k; ++c) view(i, c) = element(i, c, seed);
  return view;
}

template <class Layout>
Vectors<Layout> on_device(const HostVectors& from) {
  const Vectors<Layout> to("device", from.extent(0), from.extent(1));
  const auto mirror = Kokkos::create_mirror_view(to);
  for (std::size_t i = 0; i < from.extent(0); ++i)
    for (std::size_t c = 0; c < from.extent(1); ++c) mirror(i, c) = from(i, c);
  Kokkos::deep_copy(to, mirror);
  return to;
}

template <class View>
auto fetched(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// The zoo's matrix with 32-bit offsets.
inline HostMatrix narrow(const ZooMatrix& zoo) {
  HostMatrix::Offsets row_map("row_map", zoo.rows() + 1);
  for (int i = 0; i <= zoo.rows(); ++i) row_map(i) = static_cast<std::int32_t>(zoo.row_map(i));
  return {zoo.rows(), zoo.cols(), row_map, zoo.entries, zoo.values};
}

/// The dot product of two columns in extended precision, and n · eps · Σ|xy|.
struct Dot {
  long double value = 0;
  long double allowed = 0;
};
template <class X, class Y>
Dot exact_dot(const X& x, const Y& y, std::int64_t c) {
  Dot dot;
  for (std::size_t i = 0; i < x.extent(0); ++i) {
    const long double product = static_cast<long double>(x(i, c)) * y(i, c);
    dot.value += product;
    dot.allowed += std::fabs(product);
  }
  dot.allowed *= static_cast<long double>(x.extent(0) + 1) * std::numeric_limits<double>::epsilon();
  return dot;
}

template <class X, class Y>
void expect_dots(const Results& found, const X& x, const Y& y, const char* what) {
  const auto dots = fetched(found);
  for (std::size_t c = 0; c < dots.extent(0); ++c) {
    const Dot exact = exact_dot(x, y, static_cast<std::int64_t>(c));
    EXPECT_LE(std::fabs(dots(c) - exact.value), exact.allowed) << what << " of column " << c;
  }
}

inline void expect_same_bits(const Results& one, const Results& other) {
  const auto a = fetched(one);
  const auto b = fetched(other);
  for (std::size_t c = 0; c < a.extent(0); ++c) EXPECT_EQ(a(c), b(c)) << "column " << c;
}

/// Operands of products with one matrix.
template <class LayoutX, class LayoutY>
class FusedCase {
 public:
  FusedCase(const HostMatrix& csr, std::int64_t k)
      : csr_(csr),
        k_(k),
        x_(host_vectors(csr.cols(), k, 1)),
        y_(host_vectors(csr.rows(), k, 2)),
        z_(host_vectors(csr.rows(), k, 3)),
        of_x_(on_device<LayoutX>(x_)),
        of_z_(on_device<LayoutY>(z_)),
        dots_("dots", k),
        norms_("norms", k),
        again_("again", k) {}

  /// run(alpha, X, beta, Y, parts...) is a fused product.
  template <class Run>
  void check(const Run& run) const {
    check_sums(run, 1.0, 0.0);
    check_sums(run, -1.5, 0.5);
    check_sums(run, 0.0, 2.0);
    check_residual(run);
    check_all(run);
  }

 private:
  /// Y, its dot products with Z, and its norms; twice the same bits.
  template <class Run>
  void check_sums(const Run& run, double alpha, double beta) const {
    const HostVectors before = beta == 0 ? not_numbers() : y_;
    const auto y = on_device<LayoutY>(before);
    run(alpha, of_x_, beta, y, fused::dot_with(of_z_, dots_), fused::square_norms(norms_));
    const auto got = fetched(y);
    expect_right(verify::reference_product(alpha, csr_, x_, beta, before), got, "Y");
    expect_dots(dots_, z_, got, "dot product");
    expect_dots(norms_, got, got, "norm");
    const auto twice = on_device<LayoutY>(before);
    run(alpha, of_x_, beta, twice, fused::dot_with(of_z_, again_));
    expect_same_bits(dots_, again_);
    const auto unchanged = on_device<LayoutY>(beta == 0 ? y_ : before);
    run(alpha, of_x_, beta, unchanged, fused::not_stored(), fused::square_norms(again_));
    expect_same_bits(norms_, again_);
    expect_equal(fetched(unchanged), y_);
  }

  /// R = B - A X, in a place of its own and in that of B.
  template <class Run>
  void check_residual(const Run& run) const {
    const auto reference = verify::reference_product(-1.0, csr_, x_, 1.0, z_);
    const auto r = on_device<LayoutY>(not_numbers());
    run(-1.0, of_x_, 0.0, r, fused::plus(1.0, of_z_), fused::square_norms(norms_));
    expect_right(reference, fetched(r), "R");
    expect_dots(norms_, fetched(r), fetched(r), "norm of R");
    const auto in_place = on_device<LayoutY>(z_);
    run(-1.0, of_x_, 0.0, in_place, fused::plus(1.0, in_place));
    expect_equal(fetched(in_place), fetched(r));
  }

  /// Y = D (alpha A X + gamma B) + beta Z.
  template <class Run>
  void check_all(const Run& run) const {
    const double alpha = -0.75, gamma = 1.5, beta = 0.25;
    const Results diagonal("diagonal", csr_.rows());
    const auto d = Kokkos::create_mirror_view(diagonal);
    for (std::int64_t i = 0; i < csr_.rows(); ++i) d(i) = i % 2 == 0 ? 0.5 : -2;
    Kokkos::deep_copy(diagonal, d);
    auto reference = verify::reference_product(alpha, csr_, x_, gamma, z_);
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < csr_.rows(); ++i)
      for (std::int64_t c = 0; c < k_; ++c, ++at) {
        reference.value[at] = d(i) * reference.value[at] + beta * y_(i, c);
        reference.allowed[at] = std::fabs(d(i)) * reference.allowed[at] +
                                16 * std::numeric_limits<double>::epsilon() *
                                    (std::fabs(beta * y_(i, c)) + std::fabs(reference.value[at]));
      }
    const auto y = on_device<LayoutY>(not_numbers());
    run(alpha, of_x_, beta, y, fused::plus(gamma, of_z_), fused::rows_scaled(diagonal),
        fused::from(on_device<LayoutY>(y_)), fused::dot_with(of_z_, dots_));
    expect_right(reference, fetched(y), "W");
    expect_dots(dots_, z_, fetched(y), "dot product of W");
  }

  [[nodiscard]] HostVectors not_numbers() const {
    const HostVectors view("nan", csr_.rows(), k_);
    Kokkos::deep_copy(view, std::numeric_limits<double>::quiet_NaN());
    return view;
  }
  template <class Got>
  static void expect_right(const verify::Reference<double>& reference, const Got& got,
                           const char* what) {
    const auto verdict = verify::compare(reference, got);
    EXPECT_TRUE(verdict.passed) << what << ": row " << verdict.worst_row << " column "
                                << verdict.worst_column << " is off by " << verdict.scaled
                                << " times what rounding allows";
  }
  template <class A, class B>
  static void expect_equal(const A& a, const B& b) {
    for (std::size_t i = 0; i < a.extent(0); ++i)
      for (std::size_t c = 0; c < a.extent(1); ++c) ASSERT_EQ(a(i, c), b(i, c)) << i << ", " << c;
  }

  HostMatrix csr_;
  std::int64_t k_;
  HostVectors x_;
  HostVectors y_;
  HostVectors z_;
  Vectors<LayoutX> of_x_;
  Vectors<LayoutY> of_z_;
  Results dots_;
  Results norms_;
  Results again_;
};

/// check(case) for numbers of columns, of which GPUs take 130 in several sweeps, and all layouts.
template <class Check>
void for_cases(const HostMatrix& csr, const Check& check,
               const std::vector<std::int64_t>& ks = {1, 2, 3, 4, 5, 7, 13, 16, 64, 130}) {
  for (const std::int64_t k : ks) {
    SCOPED_TRACE(k);
    check(FusedCase<Kokkos::LayoutRight, Kokkos::LayoutRight>(csr, k));
    check(FusedCase<Kokkos::LayoutLeft, Kokkos::LayoutLeft>(csr, k));
    if (k == 3 || k == 9) check(FusedCase<Kokkos::LayoutRight, Kokkos::LayoutLeft>(csr, k));
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace fatvec::test
