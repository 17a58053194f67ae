// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace fatvec::test

/// Kernels for mixed precision can be compiled once, as others are.
FATVEC_LAUNCH_STORED(, fatvec::test::MixedExec, double, std::int32_t, CsrRow, float)
