// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fatvec/fatvec.hpp>
#include <fatvec/reorder/permute.hpp>
#include <fatvec/reorder/rcm.hpp>
#include <fatvec/statistics/row_statistics.hpp>

#include "generated.hpp"

/// Matrices and multivectors in another order, and the order of Cuthill and McKee.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, std::int32_t, Exec, std::int32_t>;
using Places = Permutation<std::int32_t, Exec>;

Csr a_matrix(const std::string& spec) {
  return test::generated(spec);
}

Places shuffled(std::int64_t n) {
  const Places place("place", static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) place(i) = static_cast<std::int32_t>(i);
  std::shuffle(place.data(), place.data() + n, std::mt19937(7));
  return place;
}

/// The sum of the entries at (i, j).
double at(const Csr& a, int i, int j) {
  double sum = 0;
  for (auto n = a.row_map(i); n < a.row_map(i + 1); ++n)
    if (a.entries(n) == j) sum += a.values(n);
  return sum;
}

std::int64_t bandwidth(const Csr& a) {
  const auto rows = row_statistics(a);
  return std::max(rows.lower_bandwidth, rows.upper_bandwidth);
}

TEST(Permuted, HasEveryEntryInItsPlace) {
  for (const std::string spec : {"gen:powerlaw:60:4", "gen:stencil5:7", "gen:arrow:9"}) {
    const Csr a = a_matrix(spec);
    const auto place = shuffled(a.rows());
    const Csr b = permuted(Exec(), a, place);
    ASSERT_EQ(b.nnz(), a.nnz());
    for (int i = 0; i < a.rows(); ++i) {
      for (int j = 0; j < a.cols(); ++j) ASSERT_EQ(at(b, place(i), place(j)), at(a, i, j)) << spec;
      for (auto n = b.row_map(i) + 1; n < b.row_map(i + 1); ++n)
        ASSERT_LE(b.entries(n - 1), b.entries(n)) << spec;
    }
  }
}

template <class LayoutX, class LayoutY>
void expect_the_same_product() {
  const Csr a = a_matrix("gen:powerlaw:300:5");
  const auto place = shuffled(a.rows());
  const Csr b = permuted(Exec(), a, place);
  constexpr int k = 5;
  const auto n = static_cast<std::size_t>(a.rows());
  const Kokkos::View<double**, LayoutX, Exec> x("x", n, k), x_new("x_new", n, k);
  const Kokkos::View<double**, LayoutY, Exec> y("y", n, k), y_new("y_new", n, k),
      expected("expected", n, k);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < k; ++c) x(i, c) = static_cast<double>((7 * i + c) % 11) - 5;
  to_new_order(Exec(), place, x, x_new);
  spmm(Exec(), 1.0, b, x_new, 0.0, y_new);
  to_old_order(Exec(), place, y_new, y);
  spmm(Exec(), 1.0, a, x, 0.0, expected);
  Exec().fence();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < k; ++c) ASSERT_NEAR(y(i, c), expected(i, c), 1e-12);
}

TEST(Permuted, MultipliesInTheNewOrder) {
  expect_the_same_product<Kokkos::LayoutRight, Kokkos::LayoutRight>();
  expect_the_same_product<Kokkos::LayoutLeft, Kokkos::LayoutRight>();
  expect_the_same_product<Kokkos::LayoutLeft, Kokkos::LayoutLeft>();
}

TEST(Permuted, RefusesWhatIsNoPermutation) {
  const Csr a = a_matrix("gen:stencil5:3");
  EXPECT_THROW(permuted(Exec(), a, shuffled(8)), ShapeError);
  for (const int wrong : {-1, 9, 1}) {
    const auto place = shuffled(9);
    place(0) = wrong == place(0) ? 2 : wrong;
    EXPECT_THROW(permuted(Exec(), a, place), InputError) << wrong;
  }
  EXPECT_THROW(permuted(Exec(), a_matrix("gen:uniform:9x8:2"), shuffled(9)), ShapeError);
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec> x("x", 9, 2), y("y", 9, 3);
  EXPECT_THROW(to_new_order(Exec(), shuffled(9), x, y), ShapeError);
  EXPECT_THROW(to_old_order(Exec(), shuffled(8), x, x), ShapeError);
  EXPECT_THROW(to_old_order(Exec(), shuffled(9), x, x), ShapeError);  // in place
  const Kokkos::View<double*, Exec> memory("memory", 20);
  const Kokkos::View<double**, Kokkos::LayoutStride, Exec> overlapping(
      memory.data(), Kokkos::LayoutStride(9, 1, 2, 1));
  EXPECT_THROW(to_new_order(Exec(), shuffled(9), x, overlapping), ShapeError);
}

TEST(Rcm, FindsTheBandAgain) {
  for (const std::string spec : {"gen:stencil7:9", "gen:stencil27:8", "gen:banded:400:1"}) {
    const Csr grid = a_matrix(spec);
    const Csr mixed = permuted(Exec(), grid, shuffled(grid.rows()));
    const Csr ordered = permuted(Exec(), mixed, rcm(Exec(), mixed));
    EXPECT_LE(bandwidth(ordered), 3 * bandwidth(grid)) << spec;
    EXPECT_GT(bandwidth(mixed), 3 * bandwidth(grid)) << spec;
  }
}

TEST(Rcm, TakesAnySquarePattern) {
  for (const std::string spec : {"gen:empty:0x0", "gen:empty:5x5", "gen:diagonal:7", "gen:arrow:20",
                                 "gen:powerlaw:200:4", "gen:uniform:50:3"}) {
    const Csr a = a_matrix(spec);
    const auto place = rcm(Exec(), a);
    EXPECT_NO_THROW(require_permutation(Exec(), place, a.rows())) << spec;
  }
  EXPECT_THROW(rcm(Exec(), a_matrix("gen:uniform:9x8:2")), ShapeError);
}

TEST(Rcm, DuplicatesAreOneEdge) {
  const Csr::Offsets row_map("row_map", 4);
  const Csr::Ordinals entries("entries", 5);
  const int offsets[] = {0, 3, 5, 5}, columns[] = {2, 2, 2, 0, 0};
  std::copy_n(offsets, 4, row_map.data());
  std::copy_n(columns, 5, entries.data());
  const Csr a(3, 3, row_map, entries, Csr::Scalars("values", 5));
  EXPECT_NO_THROW(require_permutation(Exec(), rcm(Exec(), a), 3));
}

}  // namespace
}  // namespace fatvec
