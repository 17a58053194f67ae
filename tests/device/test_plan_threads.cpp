// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include <fatvec/plan/plan.hpp>

#include "generated.hpp"

/// One plan, and several threads of the host, each with an instance, an X and a Y of its own.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Right = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
constexpr int k = 6;
constexpr int threads = 2;

/// Round numbers, another one for each thread.
Right vectors(std::int64_t rows, int thread) {
  const Right x("x", rows, k);
  const auto host = Kokkos::create_mirror_view(x);
  for (std::size_t i = 0; i < host.extent(0); ++i)
    for (std::size_t c = 0; c < k; ++c)
      host(i, c) = static_cast<double>((i * 7 + c * 3) % 11) - 5 + thread;
  Kokkos::deep_copy(x, host);
  return x;
}

TEST(PlanThreads, MultiplyByOnePlanAtATime) {
  const auto host = test::generated("gen:powerlaw:700:4.2");
  for (std::size_t n = 0; n < host.values.extent(0); ++n)
    host.values(n) = static_cast<double>(n % 17) - 8;
  const auto a = mirror<Exec>(host);
  const Machine machine{"test", Exec::name(), detail::is_host<Exec>, 4, 50, 200, 32e6, 1e-6, 1e-8};
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  for (const char* kernel : {"csr-row", "hll-row", "sell-row", "bsr-row", "bittcf-window"}) {
    const auto plan = analyse(Exec(), a, k, {.choice = Choice{kernel}, .machine = machine});
    std::vector<Right> x;
    std::vector<Right> y;
    for (int t = 0; t < threads; ++t) {
      x.push_back(vectors(a.cols(), t));
      y.emplace_back("y", a.rows(), k);
    }
    Kokkos::fence();
    std::vector<std::thread> running;
    for (std::size_t t = 0; t < threads; ++t)
      running.emplace_back([&, t] {
        for (int repeat = 0; repeat < 20; ++repeat) spmm(instances[t], 1.0, plan, x[t], 1.0, y[t]);
        instances[t].fence();
      });
    for (auto& thread : running) thread.join();
    for (std::size_t t = 0; t < threads; ++t) {
      const auto of_x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x[t]);
      const auto of_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y[t]);
      for (int i = 0; i < a.rows(); ++i)
        for (std::size_t c = 0; c < k; ++c) {
          double sum = 0;
          for (auto n = host.row_map(i); n < host.row_map(i + 1); ++n)
            sum += host.values(n) * of_x(static_cast<std::size_t>(host.entries(n)), c);
          ASSERT_EQ(of_y(static_cast<std::size_t>(i), c), 20 * sum)
              << kernel << ", thread " << t << ": " << i << ", " << c;
        }
    }
  }
}

}  // namespace
}  // namespace fatvec
