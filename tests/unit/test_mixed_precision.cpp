// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mixed_precision.hpp"

namespace fatvec::test {
namespace {

int packed = 0;
void count_packing(const char* label, std::uint32_t, std::uint64_t*) {
  packed += std::string(label).find("fatvec::packing::") != std::string::npos;
}

/// Y = 1.5 A X - 0.5 Y by plans for A in float, X and Y in double.
template <class KokkosLayout>
void expect_accuracy_of_plans(Layout layout, bool packs) {
  constexpr int k = 203;  // packing fewer is no launch
  using View = Kokkos::View<double**, KokkosLayout, MixedExec>;
  const MixedCsr csr = mixed_sample();
  const View x("x", csr.cols(), k);
  const View y("y", csr.rows(), k);
  Kokkos::deep_copy(x, thirds("x", csr.cols(), k));
  for (const char* kernel : {"csr-row", "hll-row", "sell-row", "bsr-row", "csr-portable"}) {
    Kokkos::deep_copy(y, thirds("y", csr.rows(), k));
    const auto reference = verify::reference_product(1.5, csr, x, -0.5, y);
    const PlanOptions options{
        .layout = layout,
        .choice = Choice{kernel, "", packs},
        .machine = Machine{"test", MixedExec::name(), true, 4, 50, 200, 32e6, 1e-6, 1e-8}};
    const auto plan = analyse<PlanKernels, double>(MixedExec(), csr, k, options);
    packed = 0;
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(count_packing);
    spmm(MixedExec(), 1.5, plan, x, -0.5, y);
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
    MixedExec().fence();
    EXPECT_EQ(packed > 0, packs) << kernel;
    EXPECT_TRUE(verify::compare(reference, y).passed) << kernel << (packs ? ", packed" : "");
  }
}

TEST(MixedPrecision, EveryKernelKeepsTheAccuracyOfY) {
  for_each_kernel([](auto kernel) {
    using Kernel = decltype(kernel);
    expect_accuracy_of_y<Kernel>(typename Kernel::HostPolicy{});
  });
}

TEST(MixedPrecision, PlansKeepTheAccuracyOfY) {
  expect_accuracy_of_plans<Kokkos::LayoutRight>(Layout::row, false);
  expect_accuracy_of_plans<Kokkos::LayoutLeft>(Layout::column, false);
  expect_accuracy_of_plans<Kokkos::LayoutLeft>(Layout::column, true);
}

TEST(MixedPrecision, APlanIsForOneScalarUnlessToldOtherwise) {
  using Plain = decltype(analyse(MixedExec(), MixedCsr(), 1));
  static_assert(std::is_same_v<Plain, CsrPlan<float, int, MixedExec, int>>);
  using Mixed = decltype(analyse<PlanKernels, double>(MixedExec(), MixedCsr(), 1));
  static_assert(std::is_same_v<Mixed, Plan<MixedCsr, PlanKernels, double>>);
  const CsrMatrix<const float, int, MixedExec, int> constant;
  using Constant = decltype(analyse<PlanKernels, double>(MixedExec(), constant, 1));
  static_assert(
      std::is_same_v<Constant,
                     Plan<CsrMatrix<const float, int, MixedExec, int>, PlanKernels, double>>);
}

using DoubleCsr = CsrMatrix<double, int, MixedExec, int>;

/// mixed_sample() with values that float does not have.
DoubleCsr sample_of_doubles(int salt = 0) {
  const MixedCsr sample = mixed_sample();
  const DoubleCsr::Scalars values("values", sample.values.extent(0));
  for (std::size_t n = 0; n < values.extent(0); ++n)
    values(n) = (n % 2 == 0 ? 1.0 : -1.0) / (3.0 + static_cast<double>(n) + salt);
  return {sample.rows(), sample.cols(), sample.row_map, sample.entries, values};
}

/// The same matrix, of floats as doubles.
DoubleCsr rounded_by_hand(const DoubleCsr& a) {
  const DoubleCsr::Scalars values("values", a.values.extent(0));
  for (std::size_t n = 0; n < values.extent(0); ++n) values(n) = static_cast<float>(a.values(n));
  return {a.rows(), a.cols(), a.row_map, a.entries, values};
}

double largest_error_by_hand(const DoubleCsr& a) {
  double largest = 0;
  for (std::size_t n = 0; n < a.values.extent(0); ++n)
    largest = std::max(largest, std::abs(static_cast<float>(a.values(n)) / a.values(n) - 1));
  return largest;
}

PlanOptions options_for(const char* kernel, Op op = Op::none) {
  return {.op = op,
          .choice = Choice{.kernel = kernel},
          .machine = Machine{"test", MixedExec::name(), true, 4, 50, 200, 32e6, 1e-6, 1e-8},
          .keep_value_map = true};
}

/// Y = 1.5 op(A) X - 0.5 Y by the plan is what the rounded matrix gives, to the rounding of
/// doubles, and what A gives, to the error of its values besides; but not what A gives in double.
template <class Plan>
void expect_product_of_rounded(const Plan& plan, const DoubleCsr& a, const std::string& what) {
  for (const int k : {1, 2, 4, 17}) {
    const auto x = thirds("x", a.cols(), k);
    const auto y = thirds("y", a.rows(), k);
    const auto tight = verify::reference_product(1.5, rounded_by_hand(a), x, -0.5, y);
    const auto of_a = verify::reference_product(1.5, a, x, -0.5, y);
    auto rounding = verify::Rounding::of<double>();
    rounding.of_values = plan.largest_error();
    const auto wide = verify::reference_product(1.5, a, x, -0.5, y, rounding);
    spmm(MixedExec(), 1.5, plan, x, -0.5, y);
    MixedExec().fence();
    EXPECT_TRUE(verify::compare(tight, y).passed) << what << ", k = " << k;
    EXPECT_TRUE(verify::compare(wide, y).passed) << what << ", k = " << k;
    EXPECT_FALSE(verify::compare(of_a, y).passed) << what << ", k = " << k;
  }
}

TEST(SinglePrecision, EveryKernelMultipliesTheRoundedMatrix) {
  const DoubleCsr a = sample_of_doubles();
  const DoubleCsr transposed = apply(MixedExec(), Op::transpose, a);
  for (const char* kernel : {"csr-row", "hll-row", "sell-row", "sliced-dia-row", "bsr-row",
                             "bittcf-window", "csr-portable", "sliced-dia-portable"}) {
    const auto plan = analyse(MixedExec(), single_precision(a), 4, options_for(kernel));
    EXPECT_EQ(plan.choice().kernel, kernel);
    EXPECT_NEAR(plan.largest_error(), largest_error_by_hand(a), 1e-15);
    EXPECT_NE(plan.reason().find("stored as floats"), std::string::npos) << plan.reason();
    expect_product_of_rounded(plan, a, kernel);
    expect_product_of_rounded(
        analyse(MixedExec(), single_precision(a), 4, options_for(kernel, Op::transpose)),
        transposed, std::string(kernel) + ", transposed");
  }
}

TEST(SinglePrecision, TheModelKnowsOfHalfTheBytes) {
  const DoubleCsr a = sample_of_doubles();
  const auto plan = analyse(MixedExec(), single_precision(a), 1, options_for("csr-row"));
  for (const auto& prediction : plan.ranking()) {
    if (prediction.format == "csr") {
      EXPECT_EQ(prediction.matrix_bytes, static_cast<double>(a.bytes()) - 4.0 * a.nnz());
    }
  }
}

/// A = diag(value), 3 x 3, in the middle of which is `value`.
DoubleCsr with_value(double value) {
  const DoubleCsr::Offsets row_map("row_map", 4);
  const DoubleCsr::Ordinals entries("entries", 3);
  const DoubleCsr::Scalars values("values", 3);
  for (int i = 0; i < 3; ++i) {
    row_map(i + 1) = i + 1;
    entries(i) = 2 - i;
    values(i) = i == 1 ? value : 0.5;
  }
  return {3, 3, row_map, entries, values};
}

template <class Refused, class F>
void expect_refusal(const F& f, const std::string& part) {
  try {
    f();
    FAIL() << "no error with: " << part;
  } catch (const Refused& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(SinglePrecision, WhatAFloatCanBePassesEveryBound) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {0.0, -0.0, 0.375, -3.4028234663852886e38, 0x1p-149, infinity,
                             -infinity, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(rounded(MixedExec(), single_precision(with_value(value), within(0))).largest_error, 0)
        << value;
  EXPECT_LE(rounded(MixedExec(), single_precision(sample_of_doubles())).largest_error, 0x1p-24);
}

TEST(SinglePrecision, RefusalsNameTheValueAndItsPlace) {
  const auto round = [](double value, double error) {
    return rounded(MixedExec(), single_precision(with_value(value), within(error)));
  };
  expect_refusal<PrecisionError>([&] { round(1e39, 0.5); }, "1e+39 in row 1, column 1");
  expect_refusal<PrecisionError>([&] { round(-1e39, 0.5); }, "beyond the largest float");
  expect_refusal<PrecisionError>([&] { round(1e-39, 0.5); }, "below the smallest normal float");
  expect_refusal<PrecisionError>([&] { round(1e-60, 0.5); }, "below the smallest normal float");
  expect_refusal<PrecisionError>([&] { round(1.0 / 3, 1e-9); }, "more than 1e-09");
  EXPECT_NO_THROW(round(1.0 / 3, 1e-7));
  const DoubleCsr a = sample_of_doubles();
  a.values(a.row_map(41) + 2) = 1e40;
  expect_refusal<PrecisionError>(
      [&] { analyse(MixedExec(), single_precision(a), 1, options_for("sell-row", Op::transpose)); },
      detail::concat("in row 41, column ", a.entries(a.row_map(41) + 2)));
  for (const double error : {-1e-9, 1.0, std::numeric_limits<double>::quiet_NaN()})
    expect_refusal<UsageError>([&] { single_precision(a, {error}); }, "relative error");
  FormatOptions tight{.memory_limit = 10};
  expect_refusal<CapacityError>(
      [&] { rounded(MixedExec(), single_precision(sample_of_doubles()), tight.memory_limit); },
      "a float for each value");
}

TEST(SinglePrecision, NewValuesAreRoundedAndOneThatIsRefusedChangesNothing) {
  const DoubleCsr a = sample_of_doubles();
  for (const char* kernel : {"csr-row", "sell-row", "sliced-dia-row", "bsr-row"}) {
    for (const Op op : {Op::none, Op::transpose}) {
      auto plan = analyse(MixedExec(), single_precision(a), 4, options_for(kernel, op));
      const auto other = sample_of_doubles(5);
      plan.update(MixedExec(), other.values);
      EXPECT_NEAR(plan.largest_error(), largest_error_by_hand(other), 1e-15);
      const auto of_other = apply(MixedExec(), op, other);
      expect_product_of_rounded(plan, of_other, kernel);
      const auto bad = sample_of_doubles();
      bad.values(bad.row_map(41) + 2) = 1e-44;
      expect_refusal<PrecisionError>([&] { plan.update(MixedExec(), bad.values); }, "in row 41");
      expect_refusal<PrecisionError>([&] { plan.update(MixedExec(), bad); }, "in row 41");
      expect_product_of_rounded(plan, of_other, std::string(kernel) + " after a refusal");
      plan.update(MixedExec(), a);
      expect_product_of_rounded(plan, apply(MixedExec(), op, a), kernel);
      expect_refusal<ShapeError>([&] { plan.update(MixedExec(), DoubleCsr::Scalars("few", 3)); },
                                 "3 values (few)");
    }
  }
}

TEST(SinglePrecision, TakesConstArraysWhichItKeeps) {
  using Constant = CsrMatrix<const double, const int, MixedExec, int>;
  const auto plan = [] {
    const DoubleCsr a = sample_of_doubles();
    PlanOptions options = options_for("csr-row");
    options.keep_value_map = false;
    return analyse(MixedExec(),
                   single_precision(Constant(a.rows(), a.cols(), a.row_map, a.entries, a.values)),
                   1, options);
  }();
  expect_product_of_rounded(plan, sample_of_doubles(), "const");
}

}  // namespace
}  // namespace fatvec::test

/// Kernels for mixed precision can be compiled once, as others are.
FATVEC_LAUNCH_STORED(, fatvec::test::MixedExec, double, std::int32_t, CsrRow, float)
