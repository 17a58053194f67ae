// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <fatvec/plan/this_machine.hpp>

/// The measured figures of a machine: believed only where they can be.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

Machine a_machine() {
  return {.device = "test",
          .backend = Exec::name(),
          .cpu = true,
          .threads = 4,
          .memory_gbs = 50,
          .cache_gbs = 200,
          .cache_bytes = 32e6,
          .launch_seconds = 1e-6,
          .latency_seconds = 1e-8};
}

TEST(Machine, IsMeasured) {
  const Machine machine = measure_machine(Exec());
  EXPECT_GT(machine.memory_gbs, 0);
  EXPECT_GT(machine.cache_gbs, 0);
  EXPECT_GT(machine.cache_bytes, 1e5);
  EXPECT_GT(machine.launch_seconds, 0);
  EXPECT_GT(machine.latency_seconds, 0);
  EXPECT_FALSE(machine.device.empty());
  EXPECT_GE(machine.prefetched_beyond, 0.08 * machine.cache_bytes);
  EXPECT_LE(machine.prefetched_beyond, 2 * machine.cache_bytes);
  EXPECT_EQ(host::prefetched_beyond(), static_cast<std::int64_t>(machine.prefetched_beyond))
      << "products heed it";
}

TEST(Machine, TryingToPrefetchLeavesProductsAsTheyWere) {
  const std::int64_t before = host::prefetched_beyond();
  detail::prefetching_pays(Exec(), 1e6);
  EXPECT_EQ(host::prefetched_beyond(), before);
}

TEST(Machine, WithoutMemoryForLargeVectorsPrefetchingStaysAsItWas) {
  EXPECT_EQ(detail::measure_prefetching(Exec(), 32e6, 1e6), host::prefetched_beyond());
}

TEST(Machine, WithoutMemoryToMeasureIsACapacityError) {
  constexpr double bytes = 1e17;
  EXPECT_THROW(detail::read_gbs(Exec(), bytes, 1), CapacityError);
  EXPECT_THROW(detail::copy_gbs(Exec(), bytes), CapacityError);
  EXPECT_THROW(detail::latency_seconds(Exec(), bytes), CapacityError);
}

TEST(Machine, ProblemsNameTheFigure) {
  EXPECT_EQ(machine_problem(a_machine()), "");
  struct Absurd {
    const char* named;
    double Machine::* figure;
    double value;
  };
  const double infinite = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [named, figure, value] : {Absurd{"launch time", &Machine::launch_seconds, 0.02},
                                             {"launch time", &Machine::launch_seconds, 0},
                                             {"launch time", &Machine::launch_seconds, nan},
                                             {"memory bandwidth", &Machine::memory_gbs, infinite},
                                             {"memory bandwidth", &Machine::memory_gbs, -12},
                                             {"cache bandwidth", &Machine::cache_gbs, nan},
                                             {"cache size", &Machine::cache_bytes, 0},
                                             {"cache latency", &Machine::latency_seconds, 1},
                                             {"the cache", &Machine::cache_gbs, 50},
                                             {"the cache", &Machine::memory_gbs, 300}}) {
    Machine machine = a_machine();
    machine.*figure = value;
    EXPECT_NE(machine_problem(machine).find(named), std::string::npos)
        << value << ": " << machine_problem(machine);
  }
}

TEST(Machine, IsMeasuredAgainWhileItCannotBe) {
  int measured = 0;
  const auto disturbed = [&](int times) {
    return [&measured, times] {
      Machine machine = a_machine();
      if (measured++ < times) machine.launch_seconds = 0.02;
      return machine;
    };
  };
  EXPECT_EQ(machine_problem(measured_again_while_implausible(disturbed(0))), "");
  EXPECT_EQ(measured, 1);
  measured = 0;
  EXPECT_EQ(machine_problem(measured_again_while_implausible(disturbed(3))), "");
  EXPECT_EQ(measured, 4);
  measured = 0;
  EXPECT_NE(machine_problem(measured_again_while_implausible(disturbed(1000))), "");
  EXPECT_LT(measured, 10) << "it ends";
}

TEST(Machine, TheBetterOfEachFigureCounts) {
  int measured = 0;
  const Machine machine = measured_again_while_implausible([&] {
    Machine disturbed = a_machine();
    if (measured == 0) disturbed.launch_seconds = 0.02;
    if (measured == 0) disturbed.latency_seconds = 0.5e-8;
    if (measured == 1) disturbed.cache_gbs = 1;
    if (measured == 1) disturbed.memory_gbs = std::numeric_limits<double>::infinity();
    ++measured;
    return disturbed;
  });
  EXPECT_EQ(measured, 2);
  EXPECT_EQ(machine_problem(machine), "");
  EXPECT_EQ(machine.launch_seconds, 1e-6);
  EXPECT_EQ(machine.latency_seconds, 0.5e-8);
  EXPECT_EQ(machine.cache_gbs, 200);
  EXPECT_EQ(machine.memory_gbs, 50);
}

}  // namespace
}  // namespace fatvec
