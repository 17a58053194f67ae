// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstdint>
#include <vector>

#include <fatvec/kernels/host/partition.hpp>
#include <fatvec/kernels/sell.hpp>
#include <fatvec/plan/convert.hpp>

#include "generated.hpp"

/// Parts that the threads of a CPU take from one another.
namespace fatvec {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Counts how often each part is multiplied; some take longer than others.
struct CountParts {
  std::atomic<int>* met;
  void operator()(std::int64_t part) const {
    if (part % 5 == 0)
      for (volatile int wait = 0; wait < 2000;) wait = wait + 1;
    ++met[part];
  }
};

void expect_each_part(const Host& exec, std::int64_t parts, int times) {
  std::vector<std::atomic<int>> met(static_cast<std::size_t>(parts));
  for (int n = 0; n < times; ++n)
    detail::launch_parts("parts", exec, parts, CountParts{met.data()});
  exec.fence();
  for (const auto& count : met) ASSERT_EQ(count, times) << parts;
}

TEST(LaunchParts, EachIsMultipliedOnce) {
  const Host exec;
  const std::int64_t threads = exec.concurrency();
  for (const std::int64_t parts : {std::int64_t{1}, threads, 4 * threads, 4 * threads + 1,
                                   5 * threads - 1, 16 * threads + 3, std::int64_t{1000}})
    for (int n = 0; n < 20; ++n) expect_each_part(exec, parts, 3);
}

#if defined(KOKKOS_ENABLE_OPENMP)
TEST(LaunchParts, ThreadsOfTheCallersOwnMultiplyByThemselves) {
  const Host exec;
  const std::int64_t parts = 16 * exec.concurrency() + 1;
  constexpr int callers = 5;  // more than the pool may have
  std::vector<std::atomic<int>> met(static_cast<std::size_t>(parts));
  std::atomic<int> launches = 0;
#pragma omp parallel num_threads(callers)
  {
    detail::launch_parts("parts", exec, parts, CountParts{met.data()});
    ++launches;
  }
  for (const auto& count : met) EXPECT_EQ(count, launches);
}

TEST(LaunchParts, InstancesOfOneThreadMultiplySideBySide) {
  const Host all;
  if (all.concurrency() < 2) GTEST_SKIP() << "one thread";
  const auto instances = Kokkos::Experimental::partition_space(all, 1, 1);
#pragma omp parallel for num_threads(2)
  for (int n = 0; n < 2; ++n) expect_each_part(instances[static_cast<std::size_t>(n)], 33, 2);
}
#endif

/// Neither the order in which parts are taken nor by whom is seen in the result.
TEST(LaunchParts, ProductsHaveTheSameBitsInEveryRun) {
  const auto a = test::generated("gen:powerlaw:40000:12");
  const auto sell = convert<SellMatrix<double, std::int32_t, Host>>(Host(), a);
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> x("x", a.cols(), 4), y("y", a.rows(), 4),
      first("first", a.rows(), 4);
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t c = 0; c < 4; ++c) x(i, c) = 1.0 / static_cast<double>(i + c + 1);
  spmm(Host(), 1.0, sell, x, 0.0, first);
  for (int n = 0; n < 10; ++n) {
    Kokkos::deep_copy(y, -1);
    spmm(Host(), 1.0, sell, x, 0.0, y);
    for (std::size_t i = 0; i < y.extent(0); ++i)
      for (std::size_t c = 0; c < 4; ++c) ASSERT_EQ(y(i, c), first(i, c));
  }
}

}  // namespace
}  // namespace fatvec
