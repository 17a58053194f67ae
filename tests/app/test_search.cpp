// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>

#include <fatvec/app/dispatch/search.hpp>

#include "made_up_machine.hpp"

/// What `fatvec tune` finds and keeps, with times that are made up.
namespace fatvec::product {
namespace {

const std::map<std::string, double> quiet = {
    {"csr-row", 41e-6}, {"hll-row", 45e-6}, {"sell-row", 60e-6}, {"ellpack-row", 100e-6}};

double seconds_of(const Choice& choice) {
  const auto found = quiet.find(choice.kernel);
  const double seconds = found == quiet.end() ? 80e-6 : found->second;
  return choice.policy.empty() ? seconds : 1.1 * seconds;
}

/// Of the three best formats, all about right; ELLPACK is thought hopeless.
SearchTask a_task() {
  SearchTask task{.backend = default_backend(), .memory = 1e9};
  for (const auto& [kernel, predicted] : std::map<std::string, double>{
           {"csr-row", 50e-6}, {"hll-row", 44e-6}, {"sell-row", 50e-6}, {"ellpack-row", 1e-3}})
    task.ranking.push_back(
        {.choice = {kernel}, .format = format_of_kernel(kernel), .seconds = predicted});
  return task;
}

/// Measures products of a machine, and notes which.
struct Measured {
  explicit Measured(std::function<bool(double)> disturbed) : machine(std::move(disturbed)) {}

  std::vector<Measurement> operator()(const std::vector<Choice>& choices) {
    const TimingPolicy policy{
        .repetitions = 20, .least_seconds = 0.02, .most_seconds = 0.2, .fewest = 3, .rounds = 10};
    batches.push_back(choices);
    std::vector<std::function<double()>> runs;
    for (const auto& choice : choices) runs.push_back(machine.run(seconds_of(choice)));
    const auto timings = time_in_turns(runs, policy, machine.clock());
    std::vector<Measurement> results;
    for (std::size_t n = 0; n < choices.size(); ++n)
      results.push_back({.choice = choices[n], .timing = timings[n], .bytes = 1e6});
    return results;
  }
  [[nodiscard]] MeasureInTurns function() {
    return [this](const std::vector<Choice>& choices) { return (*this)(choices); };
  }

  MadeUpMachine machine;
  std::vector<std::vector<Choice>> batches;
};

bool never(double) {
  return false;
}

std::vector<Measurement> found_on(const SearchTask& task, std::function<bool(double)> disturbed) {
  Measured measured(std::move(disturbed));
  return search(task, measured.function());
}

TEST(Search, FindsOnABusyMachineWhatItFindsOnAQuietOne) {
  const auto when_quiet = found_on(a_task(), never);
  std::minstd_rand random;
  const auto mostly = [&](double) { return random() % 5 != 0; };
  const auto when_busy = found_on(a_task(), mostly);
  EXPECT_EQ(when_quiet.front().choice, Choice{"csr-row"});
  EXPECT_EQ(when_busy.front().choice, Choice{"csr-row"});
  EXPECT_DOUBLE_EQ(when_busy.front().seconds(), 41e-6);
  EXPECT_GT(when_busy.front().timing.median(), 1e-3) << "it was busy";
  EXPECT_EQ(when_busy.size(), when_quiet.size());
}

TEST(Search, NoisyFinalistsAreMeasuredLonger) {
  const auto finals_on = [](std::function<bool(double)> disturbed) {
    Measured measured(std::move(disturbed));
    SearchTask task = a_task();
    task.defaults_only = true;
    search(task, measured.function());
    return measured.batches.size() - 1;
  };
  EXPECT_EQ(finals_on(never), 1U);
  std::minstd_rand random;
  EXPECT_EQ(finals_on([&](double) { return random() % 2 != 0; }), 3U);
}

TEST(Search, MeasuresAgainWhatCannotBe) {
  Measured measured([](double now) { return now < 1.2; });
  SearchTask task = a_task();
  task.defaults_only = true;
  task.memory = 0;  // no finalists, who would be measured twice anyway
  const auto first = measured.function()({Choice{"csr-row"}}).front();
  EXPECT_TRUE(disturbed(first, task.ranking));
  measured.batches.clear();
  const auto found = search(task, measured.function());
  ASSERT_GT(measured.batches.size(), 1U);
  EXPECT_EQ(measured.batches[1], measured.batches[0]) << "all of them once more";
  EXPECT_EQ(found.front().choice, Choice{"csr-row"});
  EXPECT_DOUBLE_EQ(found.front().seconds(), 41e-6);
  EXPECT_FALSE(disturbed(found.front(), task.ranking));
}

TEST(Search, EndsOnAMachineThatIsAlwaysDisturbed) {
  Measured measured([](double) { return true; });
  SearchTask task = a_task();
  task.defaults_only = true;
  const auto found = search(task, measured.function());
  EXPECT_EQ(found.size(), 3U);
  EXPECT_LT(measured.batches.size(), 10U);
}

TEST(Search, WhatIsKeptIsMeasuredFirstAndAmongTheFinalists) {
  Measured measured(never);
  SearchTask task = a_task();
  task.kept = Choice{"ellpack-row"};  // hopeless, and far behind the best
  const auto found = search(task, measured.function());
  EXPECT_EQ(measured.batches.front().front(), task.kept);
  const auto& finalists = measured.batches.back();
  EXPECT_EQ(std::count(finalists.begin(), finalists.end(), *task.kept), 1);
  EXPECT_EQ(std::count(finalists.begin(), finalists.end(), Choice{"csr-row"}), 1);
  EXPECT_EQ(found.front().choice, Choice{"csr-row"});
  for (const auto& m : found)
    EXPECT_EQ(std::count_if(found.begin(), found.end(),
                            [&](const auto& other) { return other.choice == m.choice; }),
              1);
}

TEST(Search, TriesWhatIsHopelessOnRequest) {
  SearchTask task = a_task();
  task.defaults_only = true;
  EXPECT_EQ(found_on(task, never).size(), 3U);
  task.all = true;
  EXPECT_EQ(found_on(task, never).size(), 4U);
}

TEST(MachineOfThePrograms, IsRefusedWithTheRemedyWhereItCannotBe) {
  Machine machine{"a device", "OpenMP", true, 2, 12, 150, 32e6, 2e-6, 7e-9};
  EXPECT_EQ(&require_plausible(machine), &machine);
  machine.launch_seconds = 0.02;
  try {
    require_plausible(machine);
    ADD_FAILURE() << "a launch of 20 ms was accepted";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("launch time"), std::string::npos) << text;
    EXPECT_NE(text.find("0.02 s"), std::string::npos) << text;
    EXPECT_NE(text.find("OMP_NUM_THREADS"), std::string::npos) << text;
  }
}

/// One measurement with one repetition.
std::vector<Measurement> only(const Choice& choice, double seconds) {
  return {{.choice = choice, .timing = {.seconds = {seconds}}}};
}

class Keep : public testing::Test {
 protected:
  Keep()
      : folder_(std::filesystem::temp_directory_path() /
                ("fatvec-keep-" + std::to_string(getpid()))),
        cache(folder_ / "tune.json") {
    std::filesystem::remove_all(folder_);
  }
  ~Keep() override { std::filesystem::remove_all(folder_); }
  Verdict kept(const std::vector<Measurement>& measured, bool force = false) {
    SearchTask task = a_task();
    if (const auto before = cache.find(key)) task.kept = before->choice;
    return keep(cache, key, task, measured, force);
  }

  std::filesystem::path folder_;
  tune::Cache cache;
  tune::Key key{"a device", "a build", "1234abcd", 8, Layout::row};
};

TEST_F(Keep, TheBetterStays) {
  EXPECT_TRUE(kept(only({"csr-row"}, 41e-6)).kept);
  const Verdict worse = kept(only({"hll-row"}, 60e-6));
  EXPECT_FALSE(worse.kept);
  EXPECT_NE(worse.note.find("csr-row took 41 us"), std::string::npos) << worse.note;
  EXPECT_NE(worse.note.find("--force"), std::string::npos) << worse.note;
  EXPECT_FALSE(kept(only({"csr-row"}, 60e-6)).kept) << "nor do its own figures grow";
  EXPECT_EQ(cache.find(key)->choice, Choice{"csr-row"});
  EXPECT_EQ(cache.find(key)->seconds, 41e-6);
}

TEST_F(Keep, TheFasterReplacesIt) {
  kept(only({"csr-row"}, 41e-6));
  EXPECT_TRUE(kept(only({"hll-row"}, 40e-6)).kept);
  EXPECT_EQ(cache.find(key)->choice, Choice{"hll-row"});
  EXPECT_TRUE(kept(only({"hll-row"}, 39e-6)).kept);
  EXPECT_EQ(cache.find(key)->seconds, 39e-6);
}

TEST_F(Keep, ForceReplacesTheBetter) {
  kept(only({"csr-row"}, 41e-6));
  EXPECT_TRUE(kept(only({"hll-row"}, 60e-6), true).kept);
  EXPECT_EQ(cache.find(key)->seconds, 60e-6);
}

TEST_F(Keep, RefusesWhatWasDisturbed) {
  const Verdict verdict = kept(only({"csr-row"}, 15.9e-3));
  EXPECT_FALSE(verdict.kept);
  EXPECT_NE(verdict.note.find("15.9 ms where 50 us"), std::string::npos) << verdict.note;
  EXPECT_FALSE(cache.find(key));
  EXPECT_TRUE(kept(only({"csr-row"}, 15.9e-3), true).kept) << "who insists";
}

TEST_F(Keep, SpreadAndRepetitionsAreKeptToo) {
  kept({{.choice = {"csr-row"}, .timing = {.seconds = {1e-5, 2e-5, 3e-5}}}});
  const auto winner = cache.find(key);
  ASSERT_TRUE(winner);
  EXPECT_EQ(winner->median_seconds, 2e-5);
  EXPECT_NEAR(winner->spread, 0.8, 1e-12);
  EXPECT_EQ(winner->repetitions, 3);
}

TEST_F(Keep, WhatIsWrongNowMakesRoom) {
  kept(only({"hll-row"}, 41e-6));
  auto measured = only({"csr-row"}, 60e-6);
  measured.push_back({.choice = {"hll-row"}, .problem = "does not fit", .fits = false});
  EXPECT_FALSE(kept(measured).kept) << "it may fit another time";
  measured.back() = {.choice = {"hll-row"}, .problem = "wrong result in row 3"};
  const Verdict verdict = kept(measured);
  EXPECT_TRUE(verdict.kept);
  EXPECT_NE(verdict.note.find("replaces hll-row: wrong result"), std::string::npos);
  EXPECT_EQ(cache.find(key)->choice, Choice{"csr-row"});
}

TEST_F(Keep, KeepsNothingWhereNothingWasMeasured) {
  EXPECT_FALSE(kept({}).kept);
  EXPECT_FALSE(kept({{.choice = {"csr-row"}, .problem = "does not fit", .fits = false}}).kept);
  EXPECT_FALSE(std::filesystem::exists(cache.path()));
}

}  // namespace
}  // namespace fatvec::product
