// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fatvec/app/dispatch/compare_backends.hpp>
#include <fatvec/app/dispatch/product.hpp>

namespace fatvec::product {
namespace {

TEST(CompareBackends, TheFasterProductPaysFromWhereTheTotalsCross) {
  const std::vector<BackendCost> costs = {{.once = 0, .each = 3}, {.once = 10, .each = 1}};
  const Fastest few = fastest_backend(costs, 2);
  EXPECT_EQ(few.index, 0U);
  EXPECT_EQ(few.from, 1);
  EXPECT_EQ(few.until, 5) << "both take 15";
  const Fastest many = fastest_backend(costs, 100);
  EXPECT_EQ(many.index, 1U);
  EXPECT_EQ(many.from, 5);
  EXPECT_TRUE(std::isinf(many.until));
}

TEST(CompareBackends, AmongThreeTheMiddleOneHasARange) {
  const std::vector<BackendCost> costs = {
      {.once = 0, .each = 10}, {.once = 8, .each = 2}, {.once = 100, .each = 1}};
  const Fastest found = fastest_backend(costs, 20);
  EXPECT_EQ(found.index, 1U);
  EXPECT_EQ(found.from, 1);
  EXPECT_EQ(found.until, 92);
}

TEST(CompareBackends, WhatIsFasterInEveryPartAlwaysWins) {
  const Fastest found =
      fastest_backend({{.once = 5, .each = 2}, {.once = 1, .each = 1}, {.once = 1, .each = 1}}, 7);
  EXPECT_EQ(found.index, 1U) << "of equals the first";
  EXPECT_EQ(found.from, 1);
  EXPECT_TRUE(std::isinf(found.until));
}

TEST(CompareBackends, NothingIsCopiedToABackendInTheHostsMemory) {
  for (const auto backend : backends()) {
    const auto [in, out] = transfer_bandwidth(backend);
    EXPECT_EQ(std::isinf(in), backend != "cuda") << backend;
    EXPECT_GT(out, 0) << backend;
  }
}

}  // namespace
}  // namespace fatvec::product
