// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>

#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>

/// The tables of the portable kernel, those of devices included.
namespace fatvec::portable {
namespace {

Work mesh(std::int64_t k) {
  return {.host = false,
          .strided = false,
          .contiguous_rows = true,
          .rows = 250'000,
          .mean_length = 16,
          .k = k};
}

/// Calls visit(work) for hosts and devices, both layouts, few and many rows, short and long ones.
template <class Visit>
void for_each_work(const Visit& visit) {
  for (const bool host : {false, true})
    for (const bool strided : {false, true})
      for (const bool contiguous_rows : {false, true})
        for (const std::int64_t rows : {1, 5'000, 3'000'000})
          for (const double length : {0.0, 3.5, 12.0, 900.0})
            for (std::int64_t k = 1; k <= 65; ++k)
              visit(Work{.host = host,
                         .strided = strided,
                         .contiguous_rows = contiguous_rows,
                         .rows = rows,
                         .mean_length = length,
                         .k = k});
}

TEST(PortablePolicy, EveryWorkHasAChoiceThatIsCompiled) {
  for_each_work([](const Work& work) {
    const Choice choice = chosen({}, work);
    EXPECT_EQ(choice.form, Form::range);
    EXPECT_GE(choice.width, 1);
    EXPECT_LE(choice.width, work.host ? 16 : work.strided ? 8 : 4);
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(choice.threads_per_row)));
    EXPECT_LE(choice.threads_per_row, 32);
    if (work.host || !work.contiguous_rows) {
      EXPECT_EQ(choice.threads_per_row, 1);
    }
  });
}

TEST(PortablePolicy, WhatIsAskedForIsTaken) {
  const Choice range = chosen({Form::range, 3, 8}, mesh(16));
  EXPECT_EQ(range.form, Form::range);
  EXPECT_EQ(range.width, 3);
  EXPECT_EQ(range.threads_per_row, 8);
  EXPECT_EQ(chosen({Form::range, 3, 100}, mesh(16)).threads_per_row, 32);
  EXPECT_EQ(chosen({Form::range, 3, 7}, mesh(16)).threads_per_row, 4);
  EXPECT_EQ(team_width(false, 3), 1) << "teams have tiles of 1 and 4 columns";
  EXPECT_EQ(team_width(false, 17), 4);
  EXPECT_EQ(team_width(true, 1), 4) << "on hosts of 4";
}

TEST(PortablePolicy, FewRowsGetNarrowerTilesOrMoreThreads) {
  Work work = mesh(16);
  work.contiguous_rows = false;
  EXPECT_EQ(chosen({}, work).width, 4);
  work.rows = 2'000;
  EXPECT_EQ(chosen({}, work).width, 1);
  work = mesh(1);
  EXPECT_EQ(chosen({}, work).threads_per_row, 4);
  work.mean_length = 64;
  EXPECT_EQ(chosen({}, work).threads_per_row, 8);
  work.rows = 2'000;
  EXPECT_EQ(chosen({}, work).threads_per_row, most_threads_per_row);
  work.mean_length = 25;  // each is to have some entries
  EXPECT_EQ(chosen({}, work).threads_per_row, 8);
  work.mean_length = 6;  // too short to be shared
  EXPECT_EQ(chosen({}, work).threads_per_row, 1);
}

TEST(PortablePolicy, BlocksAreSharedWhereRowsHaveSome) {
  Work work{.host = false,
            .strided = false,
            .contiguous_rows = false,
            .rows = 250'000,
            .mean_length = 16,
            .k = 2,
            .blocks = true};
  EXPECT_EQ(chosen({}, work).threads_per_row, 4);
  work.mean_length = 3;
  EXPECT_EQ(chosen({}, work).threads_per_row, 1);
}

TEST(PortablePolicy, DivisorsDivideExactly) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  for (const std::int64_t by :
       {1L, 2L, 3L, 5L, 7L, 12L, 640L, 641L, 1L << 30, (1L << 30) + 1, most}) {
    const Divisor divisor(static_cast<std::uint32_t>(by));
    for (const std::int64_t multiple : {0L, by, 2 * by, most / by / 2 * by, most / by * by, most})
      for (std::int64_t number = multiple - 1; number <= multiple + 1; ++number) {
        if (number < 0 || number > most) continue;
        const int quotient = divisor.quotient(static_cast<int>(number));
        EXPECT_EQ(quotient, number / by) << number << " / " << by;
        EXPECT_EQ(divisor.remainder(static_cast<int>(number), quotient), number % by);
      }
  }
}

}  // namespace
}  // namespace fatvec::portable
