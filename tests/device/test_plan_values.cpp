// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/plan/single_precision.hpp>

#include "generated.hpp"

/// New values in the same pattern, on the default device: the products of an updated plan are those
/// of a new one. Other types, operations and kernels are unit/test_plan_update.cpp's.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Csr = CsrMatrix<double, std::int32_t, Exec>;
constexpr int k = 5;

/// Small integers: every product is exact.
Csr::Scalars values_of(std::int64_t nnz, int salt) {
  const Csr::Scalars values("values", nnz);
  const auto host = Kokkos::create_mirror_view(values);
  for (std::int64_t n = 0; n < nnz; ++n) host(n) = static_cast<double>((n * 5 + salt) % 17) - 8;
  Kokkos::deep_copy(values, host);
  return values;
}

auto x_of(int cols) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec> x("x", cols, k);
  const auto host = Kokkos::create_mirror_view(x);
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t c = 0; c < x.extent(1); ++c)
      host(i, c) = static_cast<double>((7 * i + 3 * c) % 11) - 5;
  Kokkos::deep_copy(x, host);
  return x;
}

template <class Plan>
auto product_of(const Plan& plan) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec> y("y", plan.rows(), k);
  spmm(Exec(), 1.0, plan, x_of(plan.cols()), 0.0, y);
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
}

TEST(PlanValues, AreReplacedInEveryFormat) {
  const Csr generated = mirror<Exec>(test::generated("gen:powerlaw:700:4.2"));
  const auto with_values = [&](int salt) {
    return Csr(generated.rows(), generated.cols(), generated.row_map, generated.entries,
               values_of(generated.nnz(), salt));
  };
  const Machine machine{"test", Exec::name(), detail::is_host<Exec>, 4, 50, 200, 32e6, 1e-6, 1e-8};
  for (const Op op : {Op::none, Op::transpose}) {
    for (const char* kernel : {"csr-row", "hll-row", "sell-row", "bsr-row", "bittcf-window"}) {
      const PlanOptions options{
          .op = op, .choice = Choice{.kernel = kernel}, .machine = machine, .keep_value_map = true};
      auto plan = analyse(Exec(), with_values(3), k, options);
      for (const int salt : {7, 11}) {
        plan.update(Exec(), values_of(generated.nnz(), salt));
        const auto found = product_of(plan);
        const auto expected = product_of(analyse(Exec(), with_values(salt), k, options));
        for (std::size_t i = 0; i < found.extent(0); ++i)
          for (std::size_t c = 0; c < found.extent(1); ++c)
            ASSERT_EQ(found(i, c), expected(i, c)) << kernel << ": " << i << ", " << c;
      }
    }
  }
}

/// Thirds and the like, which are rounded where the plan is; the oracle has them as floats.
TEST(PlanValues, AreRoundedAndLookedAtOnTheDevice) {
  const auto on_host = test::generated("gen:powerlaw:700:4.2");
  const auto values_from = [&](double salt, bool as_floats) {
    auto a = on_host;
    a.values = decltype(a.values)("values", on_host.nnz());
    for (std::int64_t n = 0; n < a.nnz(); ++n) {
      a.values(n) = 1 / (3 + salt + static_cast<double>(n));
      if (as_floats) a.values(n) = static_cast<float>(a.values(n));
    }
    return a;
  };
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x_of(on_host.cols()));
  const auto expect_product = [&](const auto& plan, double salt) {
    const auto y = product_of(plan);
    const auto reference = verify::reference_product(1.0, values_from(salt, true), x, 0.0, y);
    EXPECT_TRUE(verify::compare(reference, y).passed) << salt;
  };
  const Csr a = mirror<Exec>(values_from(0, false));
  const Machine machine{"test", Exec::name(), detail::is_host<Exec>, 4, 50, 200, 32e6, 1e-6, 1e-8};
  auto plan = analyse<TypeList<CsrRow>>(Exec(), single_precision(a, within(1e-7)), k,
                                        {.machine = machine, .keep_value_map = true});
  EXPECT_GT(plan.largest_error(), 0x1p-26);
  expect_product(plan, 0);
  plan.update(Exec(), Csr::Scalars(mirror<Exec>(values_from(4, false)).values));
  expect_product(plan, 4);
  auto bad = values_from(0, false);
  bad.values(on_host.row_map(300)) = 1e40;
  try {
    plan.update(Exec(), Csr::Scalars(mirror<Exec>(bad).values));
    FAIL() << "1e40 is no float";
  } catch (const PrecisionError& error) {
    const std::string place = detail::concat("1e+40 in row ", 300, ", column ",
                                             on_host.entries(on_host.row_map(300)), " ");
    EXPECT_NE(std::string(error.what()).find(place), std::string::npos) << error.what();
  }
  expect_product(plan, 4);
}

/// A row of all columns, whose sum depends on the order of its additions.
TEST(PlanSums, AreTheSameBitsInEveryRun) {
  const Csr arrow = mirror<Exec>(test::generated("gen:arrow:20000"));
  const Csr::Scalars values("values", arrow.nnz());
  const auto host = Kokkos::create_mirror_view(values);
  for (std::int64_t n = 0; n < arrow.nnz(); ++n) host(n) = 1.0 / static_cast<double>(1 + n % 97);
  Kokkos::deep_copy(values, host);
  const Csr a(arrow.rows(), arrow.cols(), arrow.row_map, arrow.entries, values);
  const Machine machine{"test", Exec::name(), detail::is_host<Exec>, 4, 50, 200, 32e6, 1e-6, 1e-8};
  for (const char* kernel : {"csr-row", "hll-row", "sell-row"}) {
    const auto plan =
        analyse(Exec(), a, k, {.choice = Choice{.kernel = kernel}, .machine = machine});
    const auto first = product_of(plan);
    for (int run = 0; run < 20; ++run) {
      const auto again = product_of(plan);
      for (std::size_t i = 0; i < first.extent(0); ++i)
        for (std::size_t c = 0; c < first.extent(1); ++c)
          ASSERT_EQ(first(i, c), again(i, c)) << kernel << ": " << i << ", " << c;
    }
  }
}

}  // namespace
}  // namespace fatvec
