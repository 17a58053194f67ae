// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "mixed_precision.hpp"

namespace fatvec::test {
namespace {

/// HLL's kernel is that of all formats of interleaved rows.
TEST(MixedPrecision, DeviceKernelsKeepTheAccuracyOfY) {
  expect_accuracy_of_y<CsrRow>(portable::DevicePolicy{});
  expect_accuracy_of_y<HllRow>(HllRow::DevicePolicy{});
  expect_accuracy_of_y<BsrRow>(BsrRow::DevicePolicy{});
  expect_accuracy_of_y<BitTcfWindow>(device::WindowPolicy{});
}

}  // namespace
}  // namespace fatvec::test
