// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/row_order.hpp>

/// The order by length that SELL, JAD and pJAD are built on, against std::stable_sort.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Csr = CsrMatrix<double, int, Exec, int>;

/// A matrix of which the row lengths are all there is.
Csr with_lengths(const std::vector<int>& lengths) {
  const int rows = static_cast<int>(lengths.size());
  const Csr::Offsets row_map("row_map", rows + 1);
  const auto host = Kokkos::create_mirror_view(row_map);
  for (int i = 0; i < rows; ++i) host(i + 1) = host(i) + lengths[i];
  Kokkos::deep_copy(row_map, host);
  return Csr(rows, 1 << 30, row_map, {}, {});
}

std::vector<int> order_of(const std::vector<int>& lengths, std::int64_t window) {
  const auto order = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), detail::rows_by_length(Exec(), with_lengths(lengths), window));
  return std::vector<int>(order.data(), order.data() + order.extent(0));
}

std::vector<int> expected(const std::vector<int>& lengths, std::int64_t window) {
  std::vector<int> order(lengths.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t first = 0; first < order.size(); first += window) {
    const std::size_t last = std::min<std::size_t>(order.size(), first + window);
    std::stable_sort(order.begin() + first, order.begin() + last,
                     [&](int a, int b) { return lengths[a] > lengths[b]; });
  }
  return order;
}

TEST(RowOrder, EqualLengthsKeepTheirOrder) {
  EXPECT_EQ(order_of({2, 0, 2, 5, 0, 2}, 6), (std::vector<int>{3, 0, 2, 5, 1, 4}));
  EXPECT_EQ(order_of({7, 7, 7}, 3), (std::vector<int>{0, 1, 2}));
}

TEST(RowOrder, RowsStayInTheirWindow) {
  EXPECT_EQ(order_of({1, 2, 3, 4, 5}, 2), (std::vector<int>{1, 0, 3, 2, 4}));
  EXPECT_EQ(order_of({1, 2, 3, 4, 5}, 1), (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(order_of({1, 2, 3, 4, 5}, 1LL << 40), (std::vector<int>{4, 3, 2, 1, 0}));
}

TEST(RowOrder, NoRowsAndEmptyRowsAreSorted) {
  EXPECT_EQ(order_of({}, 4), (std::vector<int>{}));
  EXPECT_EQ(order_of({0, 0, 0}, 2), (std::vector<int>{0, 1, 2}));
}

TEST(RowOrder, ManyRowsOfManyLengthsAreSorted) {
  // Keys of one to five passes of the radix sort; pieces and windows that do not divide the rows.
  std::mt19937 random(7);
  for (const int longest : {1, 3, 255, 256, 70000}) {
    std::vector<int> lengths(1999);
    for (auto& length : lengths)
      length = static_cast<int>(random() % (longest + 1)) / (random() % 3 == 0 ? 1 : 9);
    for (const int window : {1, 2, 3, 32, 256, 300, 1024, 1999, 5000}) {
      EXPECT_EQ(order_of(lengths, window), expected(lengths, window)) << longest << ", " << window;
    }
  }
}

}  // namespace
}  // namespace fatvec
