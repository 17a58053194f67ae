// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fatvec/statistics/traffic.hpp>

namespace {

using fatvec::compulsory_bytes;
using fatvec::flops;

TEST(Traffic, CountsEveryArrayOnce) {
  // 10·(8 + 4) + (3 + 1)·8 + 2·8·(5 + 3): every factor distinct, so that none can stand in for
  // another.
  const fatvec::ProductSize size{
      .nnz = 10, .rows = 3, .columns_touched = 5, .k = 2, .offset_bytes = 8};
  EXPECT_EQ(compulsory_bytes(size), 120 + 32 + 128);
  EXPECT_EQ(flops(size), 40);
}

TEST(Traffic, FollowsTheTypes) {
  const fatvec::ProductSize size{.nnz = 10,
                                 .rows = 3,
                                 .columns_touched = 5,
                                 .k = 2,
                                 .value_bytes = 4,
                                 .index_bytes = 8,
                                 .offset_bytes = 2};
  EXPECT_EQ(compulsory_bytes(size), 10 * 12 + 4 * 2 + 2 * 4 * 8);
}

TEST(Traffic, EmptyMatrixStillWritesY) {
  EXPECT_EQ(compulsory_bytes({.nnz = 0, .rows = 7, .columns_touched = 0, .k = 3}),
            8 * 4 + 3 * 8 * 7);
  EXPECT_EQ(flops({.nnz = 0, .rows = 7, .columns_touched = 0, .k = 3}), 0);
}

TEST(Traffic, BetaReadsY) {
  fatvec::ProductSize size{.nnz = 10, .rows = 3, .columns_touched = 5, .k = 2};
  const double overwriting = compulsory_bytes(size);
  size.reads_y = true;
  EXPECT_EQ(compulsory_bytes(size), overwriting + 2 * 8 * 3);
}

TEST(Traffic, DoesNotOverflow) {
  const fatvec::ProductSize size{.nnz = std::int64_t{1} << 60,
                                 .rows = 1,
                                 .columns_touched = 1,
                                 .k = 256,
                                 .value_bytes = 8,
                                 .index_bytes = 8};
  EXPECT_EQ(compulsory_bytes(size), 0x1p64 + 2 * 4 + 256.0 * 8 * 2);
  EXPECT_EQ(flops(size), 0x1p69);
}

}  // namespace
