// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "mixed_precision.hpp"

namespace fatvec::test {
namespace {

TEST(MixedPrecision, EveryKernelKeepsTheAccuracyOfY) {
  expect_accuracy_of_y([](auto kernel) { return typename decltype(kernel)::HostPolicy{}; });
}

}  // namespace
}  // namespace fatvec::test
