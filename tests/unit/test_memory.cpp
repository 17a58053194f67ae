// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fatvec/core/memory.hpp>
#include <fatvec/formats/coo.hpp>
#include <fatvec/formats/csr.hpp>

/// Huge pages are asked for where they are of use, and nowhere else. Limits are seen, and what does
/// not fit is a CapacityError.
namespace fatvec {
namespace {

using View = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// Whether the kernel has been advised to use huge pages at this address.
bool is_advised(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> begin >> dash >> end && dash == '-')
      here = begin <= wanted && wanted < end;
    if (here && line.starts_with("VmFlags:")) return line.find(" hg") != std::string::npos;
  }
  return false;
}

TEST(Memory, HugePagesLieUnderLargeViewsOnly) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled"))
    GTEST_SKIP() << "no huge pages on this system";
  const auto plain = Kokkos::view_alloc(Kokkos::WithoutInitializing, "view");
  const View large(plain, 1 << 20, 4);
  EXPECT_EQ(prefer_huge_pages(large), large);
  EXPECT_TRUE(is_advised(&large(1 << 19, 0)));
  const View small(plain, 1000, 3);
  EXPECT_FALSE(is_advised(prefer_huge_pages(small).data()));
  EXPECT_EQ(prefer_huge_pages(View()).data(), nullptr);
}

/// A made-up tree of control groups.
class ControlGroups : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(testing::TempDir()) /
            testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text << "\n";
  }
  [[nodiscard]] std::uint64_t left() const {
    return detail::left_by_control_groups((root_ / "cgroup").c_str(), root_.string());
  }

 private:
  std::filesystem::path root_;
};

TEST_F(ControlGroups, NoneHasNoLimit) {
  EXPECT_EQ(left(), detail::unlimited);
  write("cgroup", "0::/job");
  EXPECT_EQ(left(), detail::unlimited);
  write("job/memory.max", "max");
  write("job/memory.current", "5000");
  EXPECT_EQ(left(), detail::unlimited);
}

TEST_F(ControlGroups, TheLeastOfAGroupAndThoseAboveItIsLeft) {
  write("cgroup", "0::/job/step");
  write("job/step/memory.max", "10000");
  write("job/step/memory.current", "6000");
  write("job/step/memory.stat", "anon 5000\ninactive_file 1000\nactive_file 0");
  EXPECT_EQ(left(), 5000);
  write("job/memory.max", "8000");
  write("job/memory.current", "7000");
  EXPECT_EQ(left(), 1000);
  write("memory.max", "500");
  write("memory.current", "600");
  EXPECT_EQ(left(), 0);
}

TEST_F(ControlGroups, TheFirstVersionHasFoldersForControllers) {
  write("cgroup", "5:cpuset:/other\n4:cpu,memory:/outside/of/the/container");
  write("memory/memory.limit_in_bytes", "9000");
  write("memory/memory.usage_in_bytes", "4000");
  write("memory/memory.stat", "inactive_file 1\ntotal_inactive_file 2000");
  EXPECT_EQ(left(), 7000);
}

TEST(Memory, TheLimitOfTheAddressSpaceIsSeen) {
  struct rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const std::uint64_t used =
      detail::number_in_file("/proc/self/statm", "", 0) * sysconf(_SC_PAGESIZE);
  struct rlimit narrow = before;
  narrow.rlim_cur = used + (1U << 30);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &narrow), 0);
  const std::uint64_t free = free_memory<Kokkos::HostSpace>();
  EXPECT_THROW(Coo<double>(1, 1, std::size_t{1} << 28), CapacityError);
  setrlimit(RLIMIT_AS, &before);
  EXPECT_LE(free, 1U << 30);
  EXPECT_GT(free, 1U << 28);
}

TEST(Memory, WhatCannotBeAllocatedIsACapacityError) {
  using Long = Kokkos::View<double*, Kokkos::DefaultExecutionSpace>;
  try {
    detail::allocate<Long>(Kokkos::DefaultExecutionSpace(), "too long", std::int64_t{1} << 50);
    FAIL() << "was allocated";
  } catch (const CapacityError& error) {
    EXPECT_NE(std::string(error.what()).find("too long"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace fatvec
