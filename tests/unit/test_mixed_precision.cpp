// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "mixed_precision.hpp"

namespace fatvec::test {
namespace {

TEST(MixedPrecision, EveryKernelKeepsTheAccuracyOfY) {
  for_each_kernel([](auto kernel) {
    using Kernel = decltype(kernel);
    expect_accuracy_of_y<Kernel>(typename Kernel::HostPolicy{});
  });
}

}  // namespace
}  // namespace fatvec::test
