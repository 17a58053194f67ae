// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>

/// Kokkos starts only when tests really run: listing them must work on a machine without the
/// device.
#if defined(__SANITIZE_ADDRESS__)
/// AddressSanitizer's allocator gives up as others do: tests ask for more than there is.
extern "C" const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "allocator_may_return_null=1";
}
#endif

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int failed = RUN_ALL_TESTS();
  const bool none = testing::UnitTest::GetInstance()->test_to_run_count() == 0;
  return std::getenv("GTEST_TOTAL_SHARDS") != nullptr && none ? 1 : failed;  // nothing registered
}
