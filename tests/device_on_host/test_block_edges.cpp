// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "compiled.hpp"
#include "multiply_with.hpp"

namespace fatvec::test {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// A = (5) in one block of 3 x 3: what is behind the matrix is no fill, and 0 · Inf must not reach
/// Y, neither from memory nor from scratch memory.
TEST(DeviceBlocks, DoNotReadXBehindItsLastRow) {
  const Kokkos::View<int*, Exec> row_map("row_map", 2);
  const Kokkos::View<int*, Exec> entries("entries", 1);
  const Kokkos::View<double*, Exec> values("values", 1);
  row_map(1) = 1;
  values(0) = 5;
  const CsrMatrix<double, int, Exec, int> a(1, 1, row_map, entries, values);
  FormatOptions options;
  options.block_size = 3;
  const auto bsr = BsrMatrix<double, int, Exec, int>::from_csr(Exec(), a, options);
  for (const auto form : {portable::Form::automatic, portable::Form::range}) {
    for (const int k : {1, 4, 8, 9, 16}) {
      const Kokkos::View<double**, Kokkos::LayoutRight, Exec> x("x", 1, k);
      const Kokkos::View<double**, Kokkos::LayoutRight, Exec> y("y", 1, k);
      Kokkos::deep_copy(x, std::numeric_limits<double>::infinity());
      BsrRow::DevicePolicy policy;
      policy.form = form;
      multiply_with<BsrRow>(Exec(), policy, 1.0, bsr, x, 0.0, y);
      for (int c = 0; c < k; ++c)
        EXPECT_EQ(y(0, c), std::numeric_limits<double>::infinity()) << "k = " << k;
    }
  }
}

}  // namespace
}  // namespace fatvec::test
