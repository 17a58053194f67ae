// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <fatvec/core/memory.hpp>

/// Huge pages are asked for where they are of use, and nowhere else.
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

TEST(Memory, HugePagesUnderLargeViewsOnly) {
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

}  // namespace
}  // namespace fatvec
