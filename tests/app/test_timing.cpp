// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fatvec/app/dispatch/timing.hpp>

#include "made_up_machine.hpp"

/// The clock of the programs and the benchmark, on machines whose disturbances are made up.
namespace fatvec::product {
namespace {

constexpr TimingPolicy policy{
    .repetitions = 20, .least_seconds = 0.05, .most_seconds = 0.5, .fewest = 3, .rounds = 5};

TEST(Timing, LeastIsThatOfAQuietMachine) {
  int runs = 0;
  MadeUpMachine machine([&](double) { return ++runs % 5 != 0; });
  const auto timing = time_in_turns({machine.run(41e-6)}, policy, machine.clock()).front();
  EXPECT_DOUBLE_EQ(timing.least(), 41e-6);
  EXPECT_GT(timing.median(), 1e-3) << "four of five repetitions are disturbed";
  EXPECT_GT(timing.spread(), 0.9) << "and the spread says so";
}

TEST(Timing, ADisturbanceHitsAllAlike) {
  const auto busy_at_first = [](double now) { return now < 0.3; };
  MadeUpMachine alone(busy_at_first);
  const TimingPolicy brief{
      .repetitions = 10, .least_seconds = 0.02, .most_seconds = 0.2, .fewest = 3, .rounds = 5};
  EXPECT_GT(time_in_turns({alone.run(1e-3)}, brief, alone.clock()).front().least(), 10e-3)
      << "who is measured in that time by himself has no other";
  MadeUpMachine together(busy_at_first);
  const auto timings = time_in_turns(
      {together.run(1e-3), together.run(1.1e-3), together.run(1.2e-3)}, brief, together.clock());
  EXPECT_DOUBLE_EQ(timings[0].least(), 1e-3);
  EXPECT_DOUBLE_EQ(timings[1].least(), 1.1e-3);
  EXPECT_DOUBLE_EQ(timings[2].least(), 1.2e-3);
}

TEST(Timing, RepetitionsOfTheSameAddUp) {
  Timing timing{.seconds = {1, 3}};
  timing.add({.seconds = {0.5, 2}});
  EXPECT_EQ(timing.seconds, (std::vector<double>{0.5, 1, 2, 3}));
}

TEST(LoadNote, SaysThatOthersCompute) {
  EXPECT_EQ(load_note(0.1), "");
  EXPECT_EQ(load_note(2.13), "load average 2.1: others compute here, too; expect noise");
}

}  // namespace
}  // namespace fatvec::product
