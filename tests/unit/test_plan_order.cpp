// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <fatvec/fatvec.hpp>
#include <fatvec/reorder/permute.hpp>

#include "generated.hpp"

/// Plans that store rows in an order of their own: the products are A's, wherever the rows lie.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, int, Exec>;
using Right = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Exec>;

/// A cache that is small beside these matrices.
Machine a_machine(double cache_bytes = 32e6) {
  return {"test", Exec::name(), true, 4, 50, 200, cache_bytes, 1e-6, 1e-8};
}

/// Small integers, whose sums are exact in any order.
Csr with_integers(const Csr& a) {
  for (std::size_t n = 0; n < a.values.extent(0); ++n)
    a.values(n) = static_cast<double>(n % 17) - 8;
  return a;
}

Csr shuffled(const std::string& spec) {
  const Csr a = test::generated(spec);
  const Permutation<int, Exec> place("place", static_cast<std::size_t>(a.rows()));
  for (int i = 0; i < a.rows(); ++i) place(i) = i;
  std::shuffle(place.data(), place.data() + a.rows(), std::mt19937(7));
  return with_integers(permuted(Exec(), a, place));
}

template <class View>
View filled(int rows, int columns, int salt) {
  const View view("operand", static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < columns; ++c) view(i, c) = (i * 7 + c * 3 + salt) % 11 - 5;
  return view;
}

/// Y = beta Y + alpha A X by the plan is that of A; NaN in Y counts only where beta is not 0.
template <class X, class Y, class PlanOf>
void expect_product(const PlanOf& plan, const Csr& a, int k, double alpha, double beta) {
  const auto x = filled<X>(a.cols(), k, 0);
  const auto y = filled<Y>(a.rows(), k, 4);
  const auto expected = filled<Right>(a.rows(), k, 4);
  if (beta == 0) {
    Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
    Kokkos::deep_copy(expected, 0);
  }
  spmm(Exec(), alpha, plan, x, beta, y);
  Exec().fence();
  for (int i = 0; i < a.rows(); ++i)
    for (int c = 0; c < k; ++c) {
      double sum = 0;
      for (auto n = a.row_map(i); n < a.row_map(i + 1); ++n)
        sum += a.values(n) * x(a.entries(n), c);
      ASSERT_EQ(y(i, c), beta * expected(i, c) + alpha * sum)
          << i << ", " << c << " of " << k << ", beta " << beta;
    }
}

PlanOptions in_rcm(bool kept = false) {
  return {.machine = a_machine(), .order = RowOrder::rcm, .order_kept_by_caller = kept};
}

TEST(PlanOrder, MultipliesEveryMatrixInEveryLayout) {
  for (const std::string spec : {"gen:stencil7:7", "gen:powerlaw:300:4", "gen:arrow:40",
                                 "gen:empty:5x5", "gen:diagonal:1", "gen:empty:0x0"}) {
    SCOPED_TRACE(spec);
    const Csr a = shuffled(spec);
    for (const bool packed : {false, true}) {
      PlanOptions options = in_rcm();
      options.choice = Choice{"csr-row", "", packed};
      const auto plan = analyse(Exec(), a, 9, options);
      ASSERT_EQ(plan.reordered(), a.rows() > 0);
      for (const int k : {1, 4, 9, 40})  // 40: more than the plan's copies hold
        for (const double beta : {0.0, -1.0}) {
          expect_product<Right, Right>(plan, a, k, 2, beta);
          expect_product<Left, Left>(plan, a, k, 2, beta);
          expect_product<Left, Right>(plan, a, k, 1, beta);
          expect_product<Right, Left>(plan, a, k, 0, beta);
        }
    }
  }
}

/// Rows are stored through the order then, by an output that is not the ordinary one.
TEST(PlanOrder, AlphaZeroReadsNeitherANorX) {
  const Csr a = shuffled("gen:stencil7:5");
  Kokkos::deep_copy(a.values, std::numeric_limits<double>::quiet_NaN());
  const auto plan = analyse(Exec(), a, 3, in_rcm());
  ASSERT_TRUE(plan.reordered());
  const auto x = filled<Right>(a.cols(), 3, 1);
  Kokkos::deep_copy(x, std::numeric_limits<double>::quiet_NaN());
  for (const double beta : {0.0, 1.0, -0.5}) {
    const auto y = filled<Right>(a.rows(), 3, 2);
    const auto before = filled<Right>(a.rows(), 3, 2);
    spmm(Exec(), 0, plan, x, beta, y);
    Exec().fence();
    for (int i = 0; i < a.rows(); ++i)
      for (int c = 0; c < 3; ++c)
        ASSERT_EQ(y(i, c), beta * before(i, c)) << i << ", " << c << ", beta " << beta;
  }
}

TEST(PlanOrder, MultipliesByThePortableKernel) {
  const Csr a = shuffled("gen:stencil27:5");
  PlanOptions options = in_rcm();
  options.choice = Choice{"csr-portable"};
  expect_product<Right, Right>(analyse(Exec(), a, 3, options), a, 3, 2, -1);
}

TEST(PlanOrder, MultipliesATranspose) {
  const Csr a = shuffled("gen:powerlaw:200:4");
  PlanOptions options = in_rcm();
  options.op = Op::transpose;
  expect_product<Right, Right>(analyse(Exec(), a, 3, options), apply(Exec(), Op::transpose, a), 3,
                               1, 2);
}

TEST(PlanOrder, TakesColumnsOfALargerYAndLeavesTheOthers) {
  const Csr a = shuffled("gen:stencil7:6");
  const auto plan = analyse(Exec(), a, 16, in_rcm());
  const auto all = filled<Right>(a.rows(), 20, 1);
  const auto before = filled<Right>(a.rows(), 20, 1);
  const auto y = Kokkos::subview(all, Kokkos::ALL, std::pair(2, 18));
  const auto x = filled<Right>(a.cols(), 16, 3);
  const auto expected = filled<Right>(a.rows(), 16, 3);
  spmm(Exec(), 1, plan, x, 0, y);
  spmm(Exec(), 1, a, x, 0, expected);
  Exec().fence();
  for (int i = 0; i < a.rows(); ++i)
    for (int c = 0; c < 20; ++c)
      ASSERT_EQ(all(i, c), c < 2 || c >= 18 ? before(i, c) : expected(i, c - 2));
}

struct StoreNegative {
  Right y;
  template <int width>
  KOKKOS_FUNCTION void store(std::int64_t i, std::int64_t c, const double (&sums)[width]) const {
    for (int w = 0; w < width; ++w) y(i, c + w) = -sums[w];
  }
};

TEST(PlanOrder, GivesOutputsAndFusedProductsTheRowsOfA) {
  const Csr a = shuffled("gen:stencil7:6");
  const auto plan = analyse(Exec(), a, 9, in_rcm());
  const auto x = filled<Right>(a.cols(), 9, 0);
  const auto b = filled<Right>(a.rows(), 9, 2);
  const auto product = filled<Right>(a.rows(), 9, 0);
  const auto negative = filled<Right>(a.rows(), 9, 0);
  const auto r = filled<Right>(a.rows(), 9, 0);
  const Kokkos::View<double*, Exec> dots("dots", 9);
  spmm(Exec(), 1, a, x, 0, product);
  spmm(Exec(), plan, x, StoreNegative{negative});
  residual(Exec(), b, plan, x, r);
  Exec().fence();
  for (int i = 0; i < a.rows(); ++i)
    for (int c = 0; c < 9; ++c) {
      ASSERT_EQ(negative(i, c), -product(i, c));
      ASSERT_EQ(r(i, c), b(i, c) - product(i, c));
    }
  spmm_dot(Exec(), 1, plan, x, 0, r, dots);
  Exec().fence();
  for (int c = 0; c < 9; ++c) {
    double dot = 0;
    for (int i = 0; i < a.rows(); ++i) dot += x(i, c) * product(i, c);
    EXPECT_EQ(dots(c), dot);
  }
}

TEST(PlanOrder, KeptByTheCallerNeedsEveryFormatToBePermuted) {
  const Csr a = shuffled("gen:stencil27:5");
  for (const char* kernel : {"csr-row", "hll-row", "sell-row", "sliced-dia-row", "bsr-row"}) {
    SCOPED_TRACE(kernel);
    PlanOptions options = in_rcm(true);
    options.choice = Choice{kernel};
    const auto plan = analyse(Exec(), a, 4, options);
    ASSERT_TRUE(plan.reordered());
    const Csr b = permuted(Exec(), a, plan.permutation());
    expect_product<Right, Right>(plan, b, 4, 2, -1);
    expect_product<Left, Left>(plan, b, 4, 1, 0);
  }
}

TEST(PlanOrder, TakesNewValues) {
  const Csr a = shuffled("gen:powerlaw:300:4");
  for (const bool kept : {false, true})
    for (const Op op : {Op::none, Op::transpose}) {
      PlanOptions options = in_rcm(kept);
      options.op = op;
      options.keep_value_map = true;
      auto plan = analyse(Exec(), a, 3, options);
      EXPECT_GT(plan.value_map_bytes(), 0) << "the plan's rows are not A's";
      Csr other = a;
      other.values = Csr::Scalars("values", a.values.extent(0));
      for (std::size_t n = 0; n < other.values.extent(0); ++n)
        other.values(n) = static_cast<double>(n * 5 % 13) - 6;
      const auto expected = [&] {
        const Csr of_other = apply(Exec(), op, other);
        return kept ? permuted(Exec(), of_other, plan.permutation()) : of_other;
      };
      plan.update(Exec(), other.values);
      expect_product<Right, Right>(plan, expected(), 3, 1, 0);
      plan.update(Exec(), a);
      other.values = a.values;
      expect_product<Right, Right>(plan, expected(), 3, 1, 0);
      other = shuffled("gen:uniform:300:2");  // another structure
      plan.update(Exec(), other);
      expect_product<Right, Right>(plan, expected(), 3, 1, 0);
    }
}

TEST(PlanOrder, RefusesWhatItCannotOrder) {
  const Csr wide = test::generated("gen:uniform:9x8:2");
  EXPECT_THROW(analyse(Exec(), wide, 2, in_rcm()), ShapeError);
  const Csr a = test::generated("gen:stencil7:4");
  PlanOptions options = in_rcm();
  options.choice = Choice{"hll-row"};
  EXPECT_THROW(analyse(Exec(), a, 2, options), UsageError);
  EXPECT_THROW(analyse<TypeList<HllPortable>>(Exec(), a, 2, in_rcm()), UsageError);
  options.order = RowOrder(7);
  EXPECT_THROW(analyse(Exec(), a, 2, options), UsageError);
}

TEST(PlanOrder, AutomaticOrdersAMixedMeshAndLeavesTheOthers) {
  PlanOptions options{.products = 1e7, .machine = a_machine(2e5), .order = RowOrder::automatic};
  const Csr mixed = shuffled("gen:stencil7:32");
  const auto plan = analyse(Exec(), mixed, 16, options);
  EXPECT_TRUE(plan.reordered()) << plan.reason();
  EXPECT_NE(plan.reason().find("Cuthill-McKee"), std::string::npos) << plan.reason();
  expect_product<Right, Right>(plan, mixed, 16, 2, -1);

  options.products = 10;  // would not pay
  EXPECT_FALSE(analyse(Exec(), mixed, 16, options).reordered());
  options.products = 1e7;
  options.layout = Layout::column;
  EXPECT_FALSE(analyse(Exec(), mixed, 16, options).reordered());
  options.layout = Layout::row;
  const auto grid = analyse(Exec(), test::generated("gen:stencil7:32"), 16, options);
  EXPECT_FALSE(grid.reordered()) << grid.reason();
  const auto random = analyse(Exec(), test::generated("gen:uniform:32768:7"), 16, options);
  EXPECT_FALSE(random.reordered()) << random.reason();
  EXPECT_FALSE(analyse(Exec(), test::generated("gen:uniform:900x800:2"), 16, options).reordered());
  options.choice = Choice{"hll-row"};
  EXPECT_FALSE(analyse(Exec(), mixed, 16, options).reordered());
}

TEST(PlanOrder, ProductsNeitherAllocateNorFence) {
  const Csr a = shuffled("gen:stencil7:6");
  PlanOptions options = in_rcm();
  options.choice = Choice{"csr-row", "", true};
  const auto plan = analyse(Exec(), a, 4, options);
  const auto x = filled<Left>(a.cols(), 4, 0);
  const auto y = filled<Left>(a.rows(), 4, 0);
  static int events;
  events = 0;
  using namespace Kokkos::Tools::Experimental;
  set_allocate_data_callback(
      [](Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t) { ++events; });
  set_begin_fence_callback([](const char*, std::uint32_t, std::uint64_t*) { ++events; });
  spmm(Exec(), 1.0, plan, x, 2.0, y);
  set_allocate_data_callback(nullptr);
  set_begin_fence_callback(nullptr);
  EXPECT_EQ(events, 0);
}

}  // namespace
}  // namespace fatvec
