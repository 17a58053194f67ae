// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fatvec/generate/generate.hpp>
#include <fatvec/plan/cache.hpp>

/// What `fatvec tune` remembers: found again, never trusted when damaged, never lost by another
/// writer.
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

  std::filesystem::path folder_;
};

Key a_key(std::int64_t k) {
  return {"a device", "a build", "1234abcd", k, Layout::column};
}

TEST_F(TuneCache, KeepsAndFinds) {
  Cache cache(path());
  EXPECT_FALSE(cache.find(a_key(8)));
  EXPECT_EQ(cache.problem(), "");
  const std::string policy = HllRow::HostPolicy::tuning_range().front().to_string();
  cache.store(a_key(8), {{"hll-row", policy, true}, 1.5e-3});
  cache.store(a_key(9), {{"csr-row"}, 2.5e-3});
  const auto found = Cache(path()).find(a_key(8));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->choice, (Choice{"hll-row", policy, true}));
  EXPECT_EQ(found->seconds, 1.5e-3);
  EXPECT_FALSE(cache.find(a_key(10)));
}

TEST_F(TuneCache, DamagedFilesAreSetAsideAndReported) {
  for (const char* text :
       {"", "{", "[]", "{\"version\": 1}", "{\"version\": 99, \"entries\": {}}", "\x01\x02\xff"}) {
    write(text);
    Cache cache(path());
    EXPECT_FALSE(cache.find(a_key(1))) << text;
    EXPECT_NE(cache.problem().find(path().string()), std::string::npos) << text;
    cache.store(a_key(1), {{"csr-row"}, 1e-3});
    EXPECT_NE(cache.problem().find(".damaged"), std::string::npos) << text;
    EXPECT_TRUE(std::filesystem::exists(path().string() + ".damaged"));
    EXPECT_TRUE(cache.find(a_key(1)));
  }
}

TEST_F(TuneCache, SenselessEntriesAreNotTrusted) {
  for (const char* entry :
       {"7", "{}", R"({"kernel": "no-such", "policy": "", "packed": false, "seconds": 1})",
        R"({"kernel": "csr-row", "policy": "nonsense", "packed": false, "seconds": 1})",
        R"({"kernel": "csr-row", "policy": "", "packed": 3, "seconds": 1})",
        R"({"kernel": "csr-row", "policy": "", "packed": false, "seconds": -1})",
        R"({"kernel": ["csr-row"], "policy": "", "packed": false, "seconds": 1})"}) {
    write("{\"version\": 1, \"entries\": {\"" + a_key(1).text() + "\": " + entry + "}}");
    Cache cache(path());
    EXPECT_FALSE(cache.find(a_key(1))) << entry;
    EXPECT_NE(cache.problem(), "") << entry;
  }
}

TEST_F(TuneCache, SeveralWritersLoseNothing) {
  constexpr int writers = 8;
  constexpr int each = 15;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < writers; ++writer) {
    threads.emplace_back([&, writer] {
      for (int n = 0; n < each; ++n)
        Cache(path()).store(a_key(1 + writer * each + n), {{"csr-row"}, 1e-3});
    });
  }
  for (auto& thread : threads) thread.join();
  Cache cache(path());
  for (int k = 1; k <= writers * each; ++k) EXPECT_TRUE(cache.find(a_key(k))) << k;
}

TEST_F(TuneCache, FoldersThatCannotBeWrittenAreAnError) {
  EXPECT_THROW(Cache("/proc/no-such-folder/tune.json").store(a_key(1), {{"csr-row"}, 1e-3}), Error);
}

TEST_F(TuneCache, ApplicationsAreToldOfDamage) {
  const auto a = generate::generate(generate::parse_spec("gen:stencil7:3"));
  write("{");
  ASSERT_EQ(setenv("FATVEC_CACHE", path().c_str(), 1), 0);
  std::string problem;
  EXPECT_FALSE(tuned_choice(Exec(), a, 1, Layout::row, &problem));
  EXPECT_NE(problem.find(path().string()), std::string::npos);
  Cache(path()).store(key_of(Exec(), a, 1, Layout::row), {{"csr-row"}, 1e-3});
  EXPECT_EQ(tuned_choice(Exec(), a, 1, Layout::row, &problem), Choice{"csr-row"});
  EXPECT_EQ(problem, "");
  unsetenv("FATVEC_CACHE");
}

TEST(Fingerprint, OfTheStructureAlone) {
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
}

}  // namespace
}  // namespace fatvec::tune
