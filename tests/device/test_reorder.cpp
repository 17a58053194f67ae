// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include <fatvec/fatvec.hpp>
#include <fatvec/reorder/permute.hpp>

#include "generated.hpp"

/// The same on the device as on the host (unit/test_reorder.cpp): matrices and multivectors in
/// another order, and the product in the old one.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Csr = CsrMatrix<double, std::int32_t, Exec, std::int32_t>;
using Places = Permutation<std::int32_t, Exec>;

/// Row i to 7 i + 3 modulo the number of rows, which 7 does not divide.
Places strided(std::int64_t n) {
  const Places place("place", static_cast<std::size_t>(n));
  const auto host = Kokkos::create_mirror_view(place);
  for (std::int64_t i = 0; i < n; ++i) host(i) = static_cast<std::int32_t>((7 * i + 3) % n);
  Kokkos::deep_copy(place, host);
  return place;
}

template <class Layout>
void expect_the_same_product(const char* spec) {
  SCOPED_TRACE(spec);
  const auto host = test::generated(spec);
  const Csr a = mirror<Exec>(host);
  ASSERT_NE(a.rows() % 7, 0);
  const auto place = strided(a.rows());
  const Csr b = permuted(Exec(), a, place);
  ASSERT_EQ(b.nnz(), a.nnz());
  const Kokkos::View<double**, Layout, Exec> x("x", a.rows(), 3), x_new("x_new", a.rows(), 3),
      y("y", a.rows(), 3), y_new("y_new", a.rows(), 3), expected("expected", a.rows(), 3);
  const auto x_host = Kokkos::create_mirror_view(x);
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (int c = 0; c < 3; ++c) x_host(i, c) = static_cast<double>((i * 5 + c) % 11) - 4;
  Kokkos::deep_copy(x, x_host);
  to_new_order(Exec(), place, x, x_new);
  spmm(Exec(), 1.0, b, x_new, 0.0, y_new);
  to_old_order(Exec(), place, y_new, y);
  spmm(Exec(), 1.0, a, x, 0.0, expected);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  const auto wanted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  for (std::int64_t i = 0; i < a.rows(); ++i)
    for (int c = 0; c < 3; ++c) ASSERT_NEAR(found(i, c), wanted(i, c), 1e-11) << i << ", " << c;
}

TEST(PermutedOnDevice, MultipliesAsBefore) {
  for (const char* const spec : {"gen:powerlaw:600:4", "gen:stencil5:19", "gen:arrow:90"}) {
    expect_the_same_product<Kokkos::LayoutRight>(spec);
    expect_the_same_product<Kokkos::LayoutLeft>(spec);
  }
}

template <class Layout>
void expect_the_same_product_by_a_plan(const char* spec, bool packed) {
  SCOPED_TRACE(spec);
  const Csr a = mirror<Exec>(test::generated(spec));
  const bool cpu = detail::is_host<Exec>;
  const Machine machine{"test", Exec::name(), cpu, 4, 50, 200, 32e6, 1e-6, 1e-8};
  const auto plan = analyse(
      Exec(), a, 9,
      {.choice = Choice{"csr-row", "", packed}, .machine = machine, .order = RowOrder::rcm});
  ASSERT_TRUE(plan.reordered());
  const Kokkos::View<double**, Layout, Exec> x("x", a.cols(), 9), y("y", a.rows(), 9),
      expected("expected", a.rows(), 9);
  const auto x_host = Kokkos::create_mirror_view(x);
  for (std::int64_t i = 0; i < a.cols(); ++i)
    for (int c = 0; c < 9; ++c) x_host(i, c) = static_cast<double>((i * 5 + c) % 11) - 4;
  Kokkos::deep_copy(x, x_host);
  for (const double beta : {0.0, -1.0}) {
    Kokkos::deep_copy(y, beta == 0 ? std::numeric_limits<double>::quiet_NaN() : 3.0);
    Kokkos::deep_copy(expected, 3.0);
    spmm(Exec(), 2.0, plan, x, beta, y);
    spmm(Exec(), 2.0, a, x, beta, expected);
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    const auto wanted = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
    for (std::int64_t i = 0; i < a.rows(); ++i)
      for (int c = 0; c < 9; ++c) ASSERT_NEAR(found(i, c), wanted(i, c), 1e-11) << i << ", " << c;
  }
}

TEST(PlanOrderOnDevice, RowsFindTheirPlaceInY) {
  for (const char* const spec : {"gen:powerlaw:600:4", "gen:stencil5:19", "gen:arrow:90"})
    for (const bool packed : {false, true}) {
      expect_the_same_product_by_a_plan<Kokkos::LayoutRight>(spec, packed);
      expect_the_same_product_by_a_plan<Kokkos::LayoutLeft>(spec, packed);
    }
}

TEST(PermutedOnDevice, RefusesWhatIsNoPermutation) {
  const Csr a = mirror<Exec>(test::generated("gen:stencil5:19"));
  EXPECT_THROW(permuted(Exec(), a, Places("zeros", a.rows())), InputError);
  EXPECT_THROW(permuted(Exec(), a, strided(a.rows() - 1)), ShapeError);
}

}  // namespace
}  // namespace fatvec
