// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include <fatvec/generate/generate.hpp>
#include <fatvec/io/matrix_market.hpp>
#include <fatvec/plan/cache.hpp>

#include "at_once.hpp"

/// Files that several threads read and write.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

class FilesOfThreads : public testing::Test {
 protected:
  FilesOfThreads()
      : folder_(std::filesystem::temp_directory_path() /
                ("fatvec-threads-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~FilesOfThreads() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

tune::Key key(std::int64_t k) {
  return {"a device", "a build", "1234abcd", k, Layout::column};
}

TEST_F(FilesOfThreads, ACacheLosesNothing) {
  constexpr int writers = 8;
  constexpr int each = 15;
  const auto path = folder_ / "tune.json";
  const tune::Winner winner{.choice = {"csr-row"},
                            .seconds = 1e-3,
                            .median_seconds = 1e-3,
                            .spread = 0.2,
                            .repetitions = 20};
  test::at_once(2 * writers, [&](int t) {
    for (int n = 0; n < each; ++n) {
      tune::Cache cache(path);
      if (t < writers)
        EXPECT_TRUE(cache.store(key(1 + t * each + n), winner));
      else
        cache.find(key(1 + n));
      EXPECT_EQ(cache.problem(), "");
    }
  });
  tune::Cache cache(path);
  for (int k = 1; k <= writers * each; ++k) EXPECT_TRUE(cache.find(key(k))) << k;
}

TEST_F(FilesOfThreads, MatricesAreWrittenAndRead) {
  constexpr int threads = 4;
  const auto a = generate::generate(generate::parse_spec("gen:stencil7:9"));
  const auto entries = static_cast<std::size_t>(a.nnz());
  io::write_matrix_market(folder_ / "a.mtx", a);
  test::at_once(threads, [&](int t) {
    const auto path = folder_ / ("of_" + std::to_string(t) + ".mtx.gz");
    for (int n = 0; n < 5; ++n) {
      const auto read = io::read_matrix_market<double>(folder_ / "a.mtx");
      EXPECT_EQ(read.entries(), entries);
      io::write_matrix_market(path, read);
      io::write_matrix_market(folder_ / "of_all.mtx", read);
      EXPECT_EQ(io::read_matrix_market<double>(path).entries(), entries);
      EXPECT_EQ(io::read_matrix_market<double>(folder_ / "of_all.mtx").entries(), entries);
    }
  });
}

}  // namespace
}  // namespace fatvec
