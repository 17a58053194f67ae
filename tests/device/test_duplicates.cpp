// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include <fatvec/formats/bsr.hpp>
#include <fatvec/formats/transpose.hpp>

/// What conversions make of entries that share a place is a function of A, on every device.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;
template <class Device>
using Csr = CsrMatrix<double, int, Device, int>;

/// Rows that hold every column several times, in no order; sums depend on the order of their
/// values.
Csr<Host> with_duplicates(int rows, int cols, int times) {
  const int length = cols * times;
  const Csr<Host>::Offsets row_map("row_map", rows + 1);
  const Csr<Host>::Ordinals entries("entries", rows * length);
  const Csr<Host>::Scalars values("values", rows * length);
  for (int i = 0; i < rows; ++i) {
    row_map(i + 1) = (i + 1) * length;
    for (int n = 0; n < length; ++n) {
      entries(i * length + n) = (n * 7 + i) % cols;
      values(i * length + n) = 1.0 / (1 + (i * 31 + n * 17) % 1013);
    }
  }
  return {rows, cols, row_map, entries, values};
}

TEST(Duplicates, StandInOrderInATranspose) {
  for (const auto& [rows, cols] : {std::pair(3000, 5), std::pair(30, 400)}) {
    const auto a = with_duplicates(rows, cols, 3);  // long and short rows of the transpose
    for (int repeat = 0; repeat < 5; ++repeat) {
      const auto t = mirror<Host>(transpose(Exec(), mirror<Exec>(a)));
      std::vector<int> at(t.row_map.data(), t.row_map.data() + t.rows());
      for (int i = 0; i < a.rows(); ++i)
        for (int n = a.row_map(i); n < a.row_map(i + 1); ++n) {
          const int place = at[a.entries(n)]++;
          ASSERT_EQ(t.entries(place), i);
          ASSERT_EQ(t.values(place), a.values(n)) << "row " << i << ", entry " << n;
        }
    }
  }
}

TEST(Duplicates, HaveTheSameSumInBlocksEveryTime) {
  const auto a = mirror<Exec>(with_duplicates(600, 40, 3));
  using Bsr = BsrMatrix<double, int, Exec, int>;
  const auto first = detail::host_copy(Bsr::from_csr(Exec(), a).values);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const auto again = detail::host_copy(Bsr::from_csr(Exec(), a).values);
    ASSERT_EQ(again.extent(0), first.extent(0));
    for (std::size_t n = 0; n < first.extent(0); ++n) ASSERT_EQ(again(n), first(n)) << n;
  }
}

TEST(Duplicates, AreCounted) {
  EXPECT_EQ(detail::duplicates_of(Exec(), mirror<Exec>(with_duplicates(30, 40, 3))), 30 * 40 * 2);
  EXPECT_EQ(detail::duplicates_of(Exec(), mirror<Exec>(with_duplicates(30, 40, 1))), 0);
}

}  // namespace
}  // namespace fatvec
