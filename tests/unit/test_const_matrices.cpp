// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include <fatvec/kernels/registry.hpp>
#include <fatvec/plan/plan.hpp>

#include "generated.hpp"

/// Matrices whose arrays nobody may write: what is made of them is what is made of others, and they
/// stay as they are.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, int, Exec>;
using ConstCsr = CsrMatrix<const double, const int, Exec>;
using Right = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;

Machine a_machine() {
  return {"test", Exec::name(), true, 4, 50, 200, 32e6, 1e-6, 1e-8};
}

/// Small integers, so that every sum is exact in any order.
Csr a_matrix() {
  const auto a = test::generated("gen:powerlaw:300:4.2");
  for (std::size_t n = 0; n < a.values.extent(0); ++n)
    a.values(n) = static_cast<double>(n % 17) - 8;
  return {a.rows(), a.cols(), a.row_map, a.entries, a.values};
}

ConstCsr constant(const Csr& a) {
  return {a.rows(), a.cols(), a.row_map, a.entries, a.values};
}

Right vectors(std::int64_t rows) {
  const Right x("x", rows, 3);
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t c = 0; c < 3; ++c) x(i, c) = static_cast<double>((i * 3 + c * 5) % 13) - 6;
  return x;
}

template <class Product>
void expect_product(const Csr& a, const Product& product, const std::string& what) {
  const Right x = vectors(a.cols());
  const Right y("y", a.rows(), 3);
  product(x, y);
  for (int i = 0; i < a.rows(); ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      double sum = 0;
      for (auto n = a.row_map(i); n < a.row_map(i + 1); ++n)
        sum += a.values(n) * x(static_cast<std::size_t>(a.entries(n)), c);
      ASSERT_EQ(y(static_cast<std::size_t>(i), c), sum) << what << ": " << i << ", " << c;
    }
}

template <class Plan>
void expect_product(const Csr& a, const Plan& plan) {
  expect_product(
      a,
      [&](const Right& x, const Right& y) {
        spmm(Exec(), 1.0, plan, x, 0.0, y);
        Exec().fence();
      },
      plan.choice().kernel);
}

TEST(ConstMatrices, AreConvertedToEveryFormat) {
  const Csr a = a_matrix();
  for_each_kernel([&](auto kernel) {
    using Kernel = decltype(kernel);
    using Format = typename Kernel::template Matrix<double, int, Exec, std::int32_t>;
    if constexpr (!std::is_same_v<Format, Csr> &&
                  std::is_same_v<typename DefaultKernel<Format>::type, Kernel>) {
      const auto matrix = convert<Format>(Exec(), constant(a));
      expect_product(
          a,
          [&](const Right& x, const Right& y) {
            spmm(Exec(), 1.0, matrix, x, 0.0, y);
            Exec().fence();
          },
          std::string(Kernel::name));
    }
  });
}

TEST(ConstMatrices, AreTransposed) {
  const Csr a = a_matrix();
  const auto transposed = transpose(Exec(), constant(a));
  static_assert(std::is_same_v<decltype(transposed), const Csr>);
  expect_product(
      transposed,
      [&](const Right& x, const Right& y) {
        spmm(Exec(), Op::transpose, 1.0, constant(a), x, 0.0, y);
      },
      "the transpose");
  expect_product(
      a,
      [&](const Right& x, const Right& y) { spmm(1.0, transpose(Exec(), transposed), x, 0.0, y); },
      "the transpose of the transpose");
}

TEST(ConstMatrices, HavePlans) {
  const Csr a = a_matrix();
  for (const char* kernel : {"csr-row", "hll-row", "sell-row", "bsr-row", "bittcf-window"}) {
    auto plan = analyse(Exec(), constant(a), 3,
                        {.choice = Choice{kernel}, .machine = a_machine(), .keep_value_map = true});
    ASSERT_EQ(plan.choice().kernel, kernel);
    expect_product(a, plan);
    Csr other = a;
    other.values = Csr::Scalars("other", a.values.extent(0));
    for (std::size_t n = 0; n < a.values.extent(0); ++n) other.values(n) = 1 - a.values(n);
    plan.update(Exec(), ConstCsr::Scalars(other.values));
    expect_product(other, plan);
    plan.update(Exec(), constant(a));
    expect_product(a, plan);
  }
}

TEST(ConstMatrices, HavePlansWhereValuesAloneAreConst) {
  const Csr a = a_matrix();
  const CsrMatrix<const double, int, Exec> of_values(a.rows(), a.cols(), a.row_map, a.entries,
                                                     a.values);
  expect_product(a, analyse(Exec(), of_values, 3, {.machine = a_machine()}));
}

TEST(ConstMatrices, LiveAsLongAsAPlanMultipliesThem) {
  const auto use_count = [](const char* kernel) {
    const Csr a = a_matrix();
    const auto before = a.values.use_count();
    const auto plan =
        analyse(Exec(), constant(a), 3, {.choice = Choice{kernel}, .machine = a_machine()});
    return a.values.use_count() - before;
  };
  EXPECT_EQ(use_count("csr-row"), 1);
  EXPECT_EQ(use_count("hll-row"), 0) << "a converted matrix needs the caller's no more";
}

}  // namespace
}  // namespace fatvec
