// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

#include <fatvec/generate/generate.hpp>
#include <fatvec/plan/kept_machine.hpp>

/// What `fatvec tune` remembers: found again, and never trusted when damaged. Several writers are
/// threads/test_files.cpp's.
namespace fatvec::tune {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

class TuneCache : public testing::Test {
 protected:
  TuneCache()
      : folder_(std::filesystem::temp_directory_path() /
                ("fatvec-cache-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder_);
  }
  ~TuneCache() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "deep" / "tune.json"; }
  void write(const std::string& text) const {
    std::filesystem::create_directories(path().parent_path());
    std::ofstream(path()) << text;
  }
  [[nodiscard]] static std::string text_of(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::string text() const { return text_of(path()); }

  std::filesystem::path folder_;
};

Key a_key(std::int64_t k) {
  return {"a device", "a build", "1234abcd", k, Layout::column};
}

Winner a_winner(const Choice& choice, double seconds) {
  return {.choice = choice,
          .seconds = seconds,
          .median_seconds = 1.1 * seconds,
          .spread = 0.2,
          .repetitions = 20};
}

Winner csr(double seconds) {
  return a_winner({"csr-row"}, seconds);
}

TEST_F(TuneCache, KeepsAndFinds) {
  Cache cache(path());
  EXPECT_FALSE(cache.find(a_key(8)));
  EXPECT_EQ(cache.problem(), "");
  const std::string policy = HllRow::HostPolicy::tuning_range().front().to_string();
  cache.store(a_key(8), a_winner({"hll-row", policy, true}, 1.5e-3));
  cache.store(a_key(9), csr(2.5e-3));
  const auto found = Cache(path()).find(a_key(8));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->choice, (Choice{"hll-row", policy, true}));
  EXPECT_EQ(found->seconds, 1.5e-3);
  EXPECT_EQ(found->median_seconds, 1.1 * 1.5e-3);
  EXPECT_EQ(found->spread, 0.2);
  EXPECT_EQ(found->repetitions, 20);
  EXPECT_FALSE(cache.find(a_key(10)));
}

TEST_F(TuneCache, ALockOfAnotherProcessIsToldAndNotWaitedForEver) {
  using std::chrono_literals::operator""ms;
  write("");
  const std::string lock = path().string() + ".lock";
  const int other = open(lock.c_str(), O_CREAT | O_RDWR, 0644);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  std::vector<std::string> told;
  const auto tell = [&](const std::string& text) {
    told.push_back(text);
    if (told.size() == 2) flock(other, LOCK_UN);
  };
  Cache impatient(path(), {.tell = tell, .silence = 1ms, .limit = 20ms});
  try {
    impatient.store(a_key(1), csr(1e-3));
    FAIL() << "stored beside another writer";
  } catch (const UsageError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(lock + ": another process"), std::string::npos) << text;
    EXPECT_NE(text.find("FATVEC_CACHE"), std::string::npos) << text;
  }
  EXPECT_EQ(text(), "");
  EXPECT_THROW(Cache(path(), {.limit = 20ms}).store(a_key(1), csr(1e-3)), UsageError);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find(lock), std::string::npos) << told[0];
  Cache patient(path(), {.tell = tell, .silence = 1ms});
  EXPECT_TRUE(patient.store(a_key(1), csr(1e-3)));
  EXPECT_EQ(told.size(), 2U);
  close(other);
}

TEST_F(TuneCache, DamagedFilesAreSetAsideAndReported) {
  for (const char* text :
       {"", "{", "[]", "{\"version\": 1}", "{\"version\": 3, \"entries\": []}",
        "{\"version\": \"3\", \"entries\": {}}", "{\"version\": -4, \"entries\": {}}",
        "{\"version\": 3, \"entries\": {}, \"set_aside\": 7}", "\x01\x02\xff"}) {
    write(text);
    Cache cache(path());
    EXPECT_FALSE(cache.find(a_key(1))) << text;
    EXPECT_NE(cache.problem().find(path().string()), std::string::npos) << text;
    cache.store(a_key(1), csr(1e-3));
    EXPECT_NE(cache.problem().find(".damaged"), std::string::npos) << text;
    EXPECT_TRUE(std::filesystem::exists(path().string() + ".damaged"));
    EXPECT_TRUE(cache.find(a_key(1)));
  }
}

/// What a cache of one entry is in a file.
std::string file_of(const std::string& entry) {
  return "{\"version\": 3, \"entries\": {\"" + a_key(1).text() + "\": " + entry + "}}";
}

TEST_F(TuneCache, WhatWasSetAsideEarlierIsKept) {
  for (const char* text : {"first", "second", "third"}) {
    write(text);
    Cache(path()).store(a_key(1), csr(1e-3));
  }
  EXPECT_EQ(text_of(path().string() + ".damaged"), "first");
  EXPECT_EQ(text_of(path().string() + ".damaged.2"), "second");
  EXPECT_EQ(text_of(path().string() + ".damaged.3"), "third");
}

TEST_F(TuneCache, TheCacheOfANewerVersionIsLeftAlone) {
  for (const char* text : {"{\"version\": 4, \"entries\": {}}", "{\"version\": 99}",
                           "{\"version\": 18446744073709551615, \"entries\": 7}"}) {
    write(text);
    Cache cache(path());
    EXPECT_FALSE(cache.find(a_key(1))) << text;
    EXPECT_NE(cache.problem().find("newer"), std::string::npos) << text;
    EXPECT_FALSE(cache.store(a_key(1), csr(1e-3), Replace::always)) << text;
    EXPECT_NE(cache.problem().find("newer"), std::string::npos) << text;
    EXPECT_NE(cache.problem().find("FATVEC_CACHE"), std::string::npos) << text;
    EXPECT_EQ(text_of(path()), text);
    EXPECT_FALSE(std::filesystem::exists(path().string() + ".damaged"));
  }
}

TEST_F(TuneCache, WhatIsNoPlainFileIsLeftAlone) {
  std::filesystem::create_directories(path());
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& odd : {path(), pipe, std::filesystem::path("/dev/null")}) {
    Cache cache(odd);
    EXPECT_FALSE(cache.find(a_key(1))) << odd;
    EXPECT_FALSE(cache.store(a_key(1), csr(1e-3))) << odd;
    EXPECT_NE(cache.problem().find("no plain file"), std::string::npos) << odd;
    EXPECT_TRUE(std::filesystem::exists(odd)) << odd;
    EXPECT_FALSE(std::filesystem::exists(odd.string() + ".lock")) << odd;
  }
}

TEST_F(TuneCache, DeepNestingNeedsNoStack) {
  const std::string deep(2'000'000, '[');
  const std::string closed = deep + std::string(deep.size(), ']');
  for (const std::string& text : {deep, file_of(closed)}) {
    write(text);
    Cache cache(path());
    EXPECT_FALSE(cache.find(a_key(1)));
    EXPECT_NE(cache.problem().find("nested"), std::string::npos);
    EXPECT_TRUE(cache.store(a_key(1), csr(1e-3)));
    EXPECT_TRUE(cache.find(a_key(1)));
  }
}

std::string entry_of(const std::string& kernel, const std::string& policy,
                     const std::string& times) {
  return "{\"kernel\": " + kernel + ", \"policy\": " + policy + ", \"packed\": false, " + times +
         "}";
}

TEST_F(TuneCache, SenselessEntriesAreSetAside) {
  const std::string right =
      R"("seconds": 4e-5, "median_seconds": 5e-5, "spread": 0.1, "repetitions": 9)";
  write(file_of(entry_of(R"("csr-row")", R"("")", right)));
  EXPECT_TRUE(Cache(path()).find(a_key(1))) << "the others differ from this one";
  for (const std::string& entry :
       {std::string("7"), std::string("{}"), entry_of(R"("no-such")", R"("")", right),
        entry_of(R"(["csr-row"])", R"("")", right), entry_of(R"("csr-row")", R"("odd")", right),
        entry_of(R"("csr-row")", R"("")", R"("seconds": 4e-5)"),
        entry_of(R"("csr-row")", R"("")",
                 R"("seconds": -4e-5, "median_seconds": 5e-5, "spread": 0.1, "repetitions": 9)"),
        entry_of(R"("csr-row")", R"("")",
                 R"("seconds": 1e-12, "median_seconds": 5e-5, "spread": 0.1, "repetitions": 9)"),
        entry_of(R"("csr-row")", R"("")",
                 R"("seconds": 1e300, "median_seconds": 1e300, "spread": 0.1, "repetitions": 9)"),
        entry_of(R"("csr-row")", R"("")",
                 R"("seconds": 4e-5, "median_seconds": 3e-5, "spread": 0.1, "repetitions": 9)"),
        entry_of(R"("csr-row")", R"("")",
                 R"("seconds": 4e-5, "median_seconds": 5e-5, "spread": null, "repetitions": 9)"),
        entry_of(R"("csr-row")", R"("")",
                 R"("seconds": 4e-5, "median_seconds": 5e-5, "spread": 0.1, "repetitions": 0)"),
        entry_of(R"("csr-row")", R"("")",
                 R"("seconds": 4e-5, "median_seconds": 5e-5, "spread": 0.1, "repetitions": 1e300)"),
        entry_of(R"("csr-row")", R"("")",
                 R"("seconds": "4", "median_seconds": 5e-5, "spread": 0.1, "repetitions": 9)")}) {
    write(file_of(entry));
    Cache cache(path());
    EXPECT_FALSE(cache.find(a_key(1))) << entry;
    EXPECT_NE(cache.problem(), "") << entry;
    EXPECT_TRUE(cache.store(a_key(1), csr(1e-3))) << entry;
    EXPECT_NE(cache.problem().find("set_aside"), std::string::npos) << entry;
    EXPECT_TRUE(cache.store(a_key(2), csr(1e-3)));
    EXPECT_EQ(cache.problem(), "") << "said once";
    EXPECT_NE(text().find("\"set_aside\""), std::string::npos) << "nothing is lost";
    EXPECT_TRUE(cache.find(a_key(1)));
  }
}

TEST_F(TuneCache, KeepsTheBetter) {
  Cache cache(path());
  EXPECT_TRUE(cache.store(a_key(1), csr(41e-6)));
  for (const double seconds : {41e-6, 15.9e-3}) {
    EXPECT_FALSE(cache.store(a_key(1), a_winner({"hll-row"}, seconds)));
    EXPECT_EQ(cache.find(a_key(1))->choice, Choice{"csr-row"});
    EXPECT_EQ(cache.find(a_key(1))->seconds, 41e-6);
  }
  EXPECT_TRUE(cache.store(a_key(1), a_winner({"hll-row"}, 40e-6)));
  EXPECT_EQ(cache.find(a_key(1))->choice, Choice{"hll-row"});
  EXPECT_TRUE(cache.store(a_key(1), csr(50e-6), Replace::always));
  EXPECT_EQ(cache.find(a_key(1))->seconds, 50e-6);
}

TEST_F(TuneCache, RefusesTimesThatCannotBe) {
  Cache cache(path());
  const double infinite = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double seconds : {0.0, -1.0, nan, infinite})
    EXPECT_THROW(cache.store(a_key(1), csr(seconds), Replace::always), UsageError) << seconds;
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST(TuneKey, NamesTheKernelSet) {
  const auto a = generate::generate(generate::parse_spec("gen:stencil7:3"));
  std::ostringstream kernels;
  kernels << "kernels " << std::hex << kernel_set();
  EXPECT_NE(key_of(Exec(), a, 1, Layout::row).text().find(kernels.str()), std::string::npos);
}

TEST_F(TuneCache, FoldersThatCannotBeWrittenAreAnError) {
  EXPECT_THROW(Cache("/proc/no-such-folder/tune.json").store(a_key(1), csr(1e-3)), Error);
}

TEST_F(TuneCache, ApplicationsAreToldOfDamage) {
  const auto a = generate::generate(generate::parse_spec("gen:stencil7:3"));
  write("{");
  ASSERT_EQ(setenv("FATVEC_CACHE", path().c_str(), 1), 0);
  std::string problem;
  EXPECT_FALSE(tuned_choice(Exec(), a, 1, Layout::row, &problem));
  EXPECT_NE(problem.find(path().string()), std::string::npos);
  Cache(path()).store(key_of(Exec(), a, 1, Layout::row), csr(1e-3));
  EXPECT_EQ(tuned_choice(Exec(), a, 1, Layout::row, &problem), Choice{"csr-row"});
  EXPECT_EQ(problem, "");
  unsetenv("FATVEC_CACHE");
}

class KeptMachine : public TuneCache {
 protected:
  KeptMachine() { setenv("FATVEC_CACHE", path().c_str(), 1); }
  ~KeptMachine() override { unsetenv("FATVEC_CACHE"); }
  static Machine a_machine() {
    return {.device = "a device",
            .backend = "OpenMP",
            .threads = 2,
            .memory_gbs = 10,
            .cache_gbs = 100,
            .cache_bytes = 32e6,
            .launch_seconds = 1e-6,
            .latency_seconds = 2e-8,
            .prefetched_beyond = 12e6};
  }
};

TEST_F(KeptMachine, IsFoundUnderItsKey) {
  EXPECT_FALSE(find_machine("a", 0));
  keep_machine("a", a_machine(), 0);
  Machine other = a_machine();
  other.memory_gbs = 20;
  keep_machine("b", other, 0);
  const auto found = find_machine("a", 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->device, "a device");
  EXPECT_EQ(found->threads, 2);
  EXPECT_EQ(found->memory_gbs, 10);
  EXPECT_EQ(found->latency_seconds, 2e-8);
  EXPECT_EQ(found->prefetched_beyond, 12e6);
  EXPECT_EQ(kept_machines().size(), 2U);
  EXPECT_EQ(kept_machines()["b"].memory_gbs, 20);
}

TEST_F(KeptMachine, WhatMakesNoSenseIsMeasuredAgain) {
  keep_machine("a", a_machine(), 0);
  const std::string good = text_of(machine_path());
  ASSERT_TRUE(find_machine("a", 0));
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"10.0", "-1"},
                                                        {"10.0", "1000"},
                                                        {"100.0", "null"},
                                                        {"32000000.0", "\"x\""},
                                                        {"12000000.0", "-5"},
                                                        {"\"threads\": 2", "\"threads\": 0"},
                                                        {"{", "["},
                                                        {"}", ""}}) {
    std::string bad = good;
    ASSERT_NE(bad.find(from), std::string::npos) << from;
    bad.replace(bad.find(from), from.size(), to);
    std::ofstream(machine_path()) << bad;
    EXPECT_FALSE(find_machine("a", 0)) << bad;
    EXPECT_TRUE(kept_machines().empty()) << bad;
    keep_machine("a", a_machine(), 0);
    EXPECT_TRUE(find_machine("a", 0));
  }
}

TEST_F(KeptMachine, FiguresOfABusyComputerServeAsLongAsItIsBusy) {
  keep_machine("a", a_machine(), 3);
  EXPECT_TRUE(find_machine("a", 2.5));
  EXPECT_FALSE(find_machine("a", 0.2));
  keep_machine("a", a_machine(), 0.4);
  EXPECT_TRUE(find_machine("a", 0));
}

TEST_F(KeptMachine, NothingIsWrittenBesideADevice) {
  setenv("FATVEC_CACHE", "/dev/null", 1);
  keep_machine("a", a_machine(), 0);
  EXPECT_FALSE(std::filesystem::exists("/dev/machine.json"));
  setenv("FATVEC_CACHE", "/proc/none/tune.json", 1);
  keep_machine("a", a_machine(), 0);
}

TEST_F(KeptMachine, IsMeasuredOnce) {
  const Machine first = kept_machine(Exec());
  if (!machine_problem(first).empty()) GTEST_SKIP() << "too busy: " << machine_problem(first);
  ASSERT_EQ(kept_machines().size(), 1U);
  EXPECT_EQ(kept_machines().begin()->second.memory_gbs, first.memory_gbs);
  host::prefetched_beyond() = 1;
  Machine other = first;
  other.memory_gbs = first.memory_gbs / 2;
  other.prefetched_beyond = 3e6;
  keep_machine(kept_machines().begin()->first, other, 0);
  EXPECT_EQ(kept_machine(Exec()).memory_gbs, other.memory_gbs);
  EXPECT_EQ(host::prefetched_beyond(), 3'000'000);
}

TEST(Fingerprint, DependsOnTheStructureAlone) {
  const auto a = generate::generate(generate::parse_spec("gen:stencil7:7"));
  const auto before = fingerprint(Exec(), a);
  a.values(3) += 1;
  EXPECT_EQ(fingerprint(Exec(), a), before);
  const auto narrow = CsrMatrix<float, int, Exec, std::int64_t>(
      a.rows(), a.cols(), a.row_map, a.entries, Kokkos::View<float*, Exec>("values", a.nnz()));
  EXPECT_EQ(fingerprint(Exec(), narrow), before);
  std::swap(a.entries(0), a.entries(1));
  EXPECT_NE(fingerprint(Exec(), a), before);
  EXPECT_NE(fingerprint(Exec(), generate::generate(generate::parse_spec("gen:stencil7:8"))),
            before);
  using Csr = CsrMatrix<double, int, Exec, int>;
  const Csr::Offsets none("row_map", 4);
  EXPECT_NE(fingerprint(Exec(), Csr(3, 4, none, {}, {})),
            fingerprint(Exec(), Csr(3, 5, none, {}, {})));
  const Csr::Offsets one("row_map", 3), other("row_map", 3);
  const Csr::Ordinals of_one("entries", 3), of_other("entries", 3);
  const Csr::Scalars values("values", 3);
  one(1) = 1, other(1) = 2;  // where the other has its first column
  one(2) = other(2) = of_one(2) = of_other(2) = 3;
  of_one(0) = of_one(1) = of_other(1) = 2;
  of_other(0) = 1;
  EXPECT_NE(fingerprint(Exec(), Csr(2, 4, one, of_one, values)),
            fingerprint(Exec(), Csr(2, 4, other, of_other, values)));
}

struct Groups : std::numpunct<char> {
  [[nodiscard]] char do_thousands_sep() const override { return ','; }
  [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

TEST(Key, IsTheSameInEveryLocale) {
  const auto a = generate::generate(generate::parse_spec("gen:stencil7:7"));
  const Key before = key_of(Exec(), a, 1000, Layout::row);
  const std::locale plain = std::locale::global(std::locale(std::locale::classic(), new Groups));
  const Key grouped = key_of(Exec(), a, 1000, Layout::row);
  std::locale::global(plain);
  EXPECT_EQ(grouped.text(), before.text());
}

}  // namespace
}  // namespace fatvec::tune
