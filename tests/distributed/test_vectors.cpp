// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fatvec/distributed/statistics.hpp>

#include "message_hooks.hpp"
#include "support.hpp"

namespace fatvec::test {
namespace {

using Dots = distributed::ColumnResults<double, Exec>;
using Statistics = distributed::ColumnResults<VectorStatistics<double>, Exec>;

TEST(DistributedVectors, HaveTheDotProductsAndStatisticsOfTheWhole) {
  const Communicator world;
  const Partition rows = Partition::even(100, world.size());
  const auto x = operand<LayoutLeft>(rows.begin(world.rank()), rows.size(world.rank()), 3);
  const auto all = operand<LayoutRight>(0, 100, 3);
  const auto dots = distributed::dot(world, Exec(), x, x);
  const auto statistics = distributed::vector_statistics(world, Exec(), x);
  const auto expected = vector_statistics(Exec(), all);
  for (int c = 0; c < 3; ++c) {
    // Multiples of 1/64: sums are exact.
    EXPECT_EQ(dots[c], expected[c].square_sum);
    EXPECT_EQ(statistics[c].sum, expected[c].sum);
    EXPECT_EQ(statistics[c].min, expected[c].min);
    EXPECT_EQ(statistics[c].max, expected[c].max);
    EXPECT_EQ(statistics[c].zeros, expected[c].zeros);
  }
  const auto column = Kokkos::subview(x, Kokkos::ALL, 1);
  EXPECT_EQ(distributed::vector_statistics(world, Exec(), column).norm2(), expected[1].norm2());
}

TEST(DistributedVectors, AreReducedInOneRoundWithoutAllocating) {
  const Communicator world;
  const Partition rows = Partition::even(100, world.size());
  const auto x = operand<LayoutRight>(rows.begin(world.rank()), rows.size(world.rank()), 3);
  const auto y = operand<LayoutLeft>(rows.begin(world.rank()) + 5, rows.size(world.rank()), 3);
  const Exec exec;
  const Dots dots(world, exec, 3);
  const Statistics statistics(world, exec, 3);
  const auto expected_dots = distributed::dot(world, exec, x, y);
  const auto expected = distributed::vector_statistics(world, exec, x);
  const Allocations allocations;
  (void)take_sent();
  const double* const place = dots.on_host(exec).data();
  for (int n = 0; n < 3; ++n) {
    dot(exec, x, y, dots);
    vector_statistics(exec, x, statistics);
  }
  EXPECT_EQ(take_sent().rounds, 6);
  EXPECT_EQ(allocations.noted(), std::vector<std::string>{});
  EXPECT_EQ(dots.on_host(exec).data(), place);
  const auto on_device = on_host(dots.values);
  for (int c = 0; c < 3; ++c) {
    EXPECT_EQ(dots.on_host(exec)[c], expected_dots[c]);
    EXPECT_EQ(on_device(c), expected_dots[c]);
    EXPECT_EQ(statistics.on_host(exec)[c].norm2(), expected[c].norm2());
    EXPECT_EQ(statistics.on_host(exec)[c].norm2(), std::sqrt(expected[c].square_sum));
  }
}

TEST(DistributedVectors, ThatDoNotFitOnOneRankAreRefusedOnAll) {
  const Communicator world;
  const Exec exec;
  const Dots dots(world, exec, 3);
  const auto x = operand<LayoutRight>(0, 4, 3);
  const auto bad = operand<LayoutRight>(0, world.rank() == world.size() - 1 ? 5 : 4, 3);
  EXPECT_THROW(dot(exec, x, bad, dots), ShapeError);
  dot(exec, x, x, dots);  // serves on
  EXPECT_EQ(dots.on_host(exec)[0], world.size() * dot(exec, x, x)[0]);
  const Dots too_few(world, exec, 2);
  EXPECT_THROW(dot(exec, x, x, too_few), ShapeError);
}

}  // namespace
}  // namespace fatvec::test
