// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/sliced_dia.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/kernels/sliced_dia.hpp>

#include "diagonal_matrices.hpp"

/// Sliced diagonals: which entries go where, that all of them come back, that padding is not read.
namespace fatvec {
namespace {

using test::Entry;
using test::Host;
using test::matrix_of;
using test::mixed;
using test::random_matrix;
using test::random_value;

FormatOptions slices_of(std::int64_t size) {
  FormatOptions options;
  options.slice_size = size;
  return options;
}

template <class T, class Offset>
void expect_round_trip(const CsrMatrix<T, int, Host, Offset>& csr, std::int64_t size) {
  test::expect_round_trip<SlicedDiaMatrix<T, int, Host, Offset>>(csr, slices_of(size));
}

TEST(SlicedDia, GivesBackTheMatrix) {
  for (const std::int64_t size : {0, 1, 4, 7, 8, 32, 100000}) {
    expect_round_trip(mixed<double, int>(101, 101), size);
    expect_round_trip(mixed<double, std::int64_t>(70, 33), size);
    expect_round_trip(mixed<float, int>(33, 150), size);
    expect_round_trip(mixed<Kokkos::complex<double>, int>(64, 64), size);
    expect_round_trip(matrix_of<double, int>(0, 0, {}), size);
    expect_round_trip(matrix_of<double, int>(5, 0, {}), size);
  }
}

/// The slots of slice s by a map, one entry after the other: rows need not be sorted.
template <class Csr, class Dia>
void expect_slots(const Csr& csr, const Dia& dia, int s) {
  const int size = dia.slice_size();
  const int first = s * size;
  std::map<std::pair<int, int>, std::map<int, double>> diagonals;  // of a column's n-th entry
  for (int i = first; i < std::min(first + size, csr.rows()); ++i) {
    std::map<int, int> seen;
    for (auto n = csr.row_map(i); n < csr.row_map(i + 1); ++n) {
      const int j = csr.entries(n);
      diagonals[{j - (i - first), seen[j]++}][i - first] = csr.values(n);
    }
  }
  struct Slot {
    int first_column = 0;
    std::uint32_t mask = 0;
    std::vector<int> columns;
    std::vector<double> values;
  };
  const Slot empty{0, 0, std::vector<int>(size, -1), std::vector<double>(size, 0)};
  std::vector<Slot> slots;
  std::vector<Slot> rest;
  std::vector<std::size_t> of_row(size, 0);
  const auto put = [](Slot& slot, int r, double value) {
    slot.mask |= 1U << r;
    slot.values[r] = value;
  };
  for (const auto& [diagonal, rows] : diagonals) {
    const bool is_slot = static_cast<int>(rows.size()) * 12 >= size * 8 + 8;
    if (is_slot) slots.push_back(empty);
    if (is_slot) slots.back().first_column = diagonal.first;
    for (const auto& [r, value] : rows) {
      if (is_slot) {
        put(slots.back(), r, value);
        continue;
      }
      const std::size_t n = of_row[r]++;
      if (n == rest.size()) rest.push_back(empty);
      rest[n].columns[r] = diagonal.first + r;
      put(rest[n], r, value);
    }
  }
  const auto first_rest = slots.size();
  slots.insert(slots.end(), rest.begin(), rest.end());
  ASSERT_EQ(dia.slot_offsets(s + 1) - dia.slot_offsets(s), slots.size());
  ASSERT_EQ(dia.rest_offsets(s + 1) - dia.rest_offsets(s), rest.size());
  for (std::size_t n = 0; n < slots.size(); ++n) {
    const auto slot = dia.slot_offsets(s) + n;
    ASSERT_EQ(dia.diagonals(slot).first_column, slots[n].first_column);
    ASSERT_EQ(dia.diagonals(slot).mask, slots[n].mask);
    for (int r = 0; r < size; ++r) {
      ASSERT_EQ(dia.values(slot * size + r), slots[n].values[r]);
      if (n < first_rest) continue;
      const auto of_rest = dia.rest_offsets(s) + n - first_rest;
      ASSERT_EQ(dia.entries(of_rest * size + r), slots[n].columns[r]);
    }
  }
}

template <class Offset>
void expect_slots_of_random_matrices() {
  std::mt19937 random(5);
  for (int n = 0; n < 100; ++n) {
    const bool shuffled = n % 4 == 0;
    const auto csr = random_matrix<Offset>(random, shuffled);
    for (const std::int64_t size : {1, 2, 3, 8, 31, 32}) {
      const auto dia =
          SlicedDiaMatrix<double, int, Host, Offset>::from_csr(Host(), csr, slices_of(size));
      for (int s = 0; s < dia.slices(); ++s) expect_slots(csr, dia, s);
      if (testing::Test::HasFailure()) FAIL() << "matrix " << n << ", slices of " << size;
      if (!shuffled) expect_round_trip(csr, size);
    }
  }
}

TEST(SlicedDia, StoresTheSlotsOfAReference) {
  expect_slots_of_random_matrices<int>();
  expect_slots_of_random_matrices<std::int64_t>();
}

TEST(SlicedDia, StoresADiagonalWhereThatIsFewerBytes) {
  // A slot of 8 doubles has 72 bytes, an entry with a column 12: from 6 entries on.
  for (const int count : {5, 6}) {
    std::vector<Entry<double>> list;
    for (int i = 0; i < count; ++i) list.push_back({i, i + 3, 1.5 + i});
    const auto dia = SlicedDiaMatrix<double, int, Host, int>::from_csr(
        Host(), matrix_of<double, int>(8, 20, list), slices_of(8));
    ASSERT_EQ(dia.slot_offsets(1), 1);
    EXPECT_EQ(dia.rest_offsets(1), count == 5 ? 1 : 0);
    EXPECT_EQ(dia.diagonals(0).mask, (1U << count) - 1);
    const auto slice = dia.slice(0);
    EXPECT_EQ(slice.values.extent(1), 1U);
    EXPECT_EQ(slice.values(2, 0), 3.5);
    if (count == 5)
      EXPECT_EQ(slice.entries(2, 0), 5);
    else
      EXPECT_EQ(dia.diagonals(0).first_column, 3);
  }
}

TEST(SlicedDia, TheFirstColumnMayLieOutsideTheMatrix) {
  std::vector<Entry<double>> list;
  for (int i = 2; i < 8; ++i) list.push_back({i, i - 2, 1.0 + i});
  const auto csr = matrix_of<double, int>(8, 6, list);
  const auto dia = SlicedDiaMatrix<double, int, Host, int>::from_csr(Host(), csr, slices_of(8));
  ASSERT_EQ(dia.rest_offsets(1), 0);
  EXPECT_EQ(dia.diagonals(0).first_column, -2);
  expect_round_trip(csr, 8);
}

TEST(SlicedDia, ASecondEntryOfAColumnHasASlotOfItsOwn) {
  std::vector<Entry<double>> list;
  for (int i = 0; i < 8; ++i) list.push_back({i, i, 1.25 + i});
  list.push_back({3, 3, 0.75});
  const auto csr = matrix_of<double, int>(8, 8, list);
  const auto dia = SlicedDiaMatrix<double, int, Host, int>::from_csr(Host(), csr, slices_of(8));
  EXPECT_EQ(dia.slot_offsets(1), 2);
  EXPECT_EQ(dia.rest_offsets(1), 1);
  EXPECT_EQ(dia.diagonals(1).mask, 1U << 3);
  expect_round_trip(csr, 8);
}

TEST(SlicedDia, SortsRows) {
  const auto csr =
      matrix_of<double, int>(2, 5, {{0, 4, 1.5}, {0, 1, 2.5}, {1, 3, 3.5}, {1, 0, 4.5}});
  const auto back =
      SlicedDiaMatrix<double, int, Host, int>::from_csr(Host(), csr, slices_of(2)).to_csr(Host());
  EXPECT_EQ(back.entries(0), 1);
  EXPECT_EQ(back.values(0), 2.5);
  EXPECT_EQ(back.entries(2), 0);
  EXPECT_EQ(back.values(2), 4.5);
}

TEST(SlicedDia, RefusesWhatDoesNotFit) {
  using Dia = SlicedDiaMatrix<double, int, Host, int>;
  const auto csr = mixed<double, int>(40, 40);
  EXPECT_THROW(Dia::from_csr(Host(), csr, slices_of(-1)), UsageError);
  FormatOptions tight;
  tight.memory_limit = 100;
  EXPECT_THROW(Dia::from_csr(Host(), csr, tight), CapacityError);
}

/// By a policy, X and Y in this layout; of the poisoned matrix, whose absent values are NaN.
template <class T, class Offset, class Layout, class Kernel = SlicedDiaPortable, class Value,
          class Policy>
void expect_product(const CsrMatrix<Value, int, Host, Offset>& csr, std::int64_t size, int k,
                    const Policy& policy) {
  using Dia = SlicedDiaMatrix<Value, int, Host, Offset>;
  const auto dia = Dia::from_csr(Host(), csr, slices_of(size));
  const auto nan = Value(std::numeric_limits<double>::quiet_NaN());
  for (std::int64_t n = 0; n < static_cast<std::int64_t>(dia.diagonals.extent(0)); ++n)
    for (std::int64_t r = 0; r < dia.slice_size(); ++r)
      if ((dia.diagonals(n).mask >> r & 1) == 0) dia.values(n * dia.slice_size() + r) = nan;
  test::expect_product_of<T, Layout, Kernel>(csr, dia, k, policy);
}

template <class T, class Offset>
void expect_products(const CsrMatrix<T, int, Host, Offset>& csr) {
  for (const std::int64_t size : {0, 7, 32})
    for (const int k : {1, 2, 5, 8, 19}) {
      for (const auto& policy : portable::HostTilePolicy::tuning_range()) {
        expect_product<T, Offset, Kokkos::LayoutRight>(csr, size, k, policy);
        expect_product<T, Offset, Kokkos::LayoutLeft>(csr, size, k, policy);
      }
      for (const auto& policy : portable::TilePolicy::tuning_range()) {
        expect_product<T, Offset, Kokkos::LayoutRight>(csr, size, k, policy);
        expect_product<T, Offset, Kokkos::LayoutLeft>(csr, size, k, policy);
      }
    }
  for (const std::int64_t size : {0, 5})
    for (int k = 1; k <= 9; ++k)
      for (const auto& policy : host::Policy::tuning_range()) {
        expect_product<T, Offset, Kokkos::LayoutRight, SlicedDiaRow>(csr, size, k, policy);
        expect_product<T, Offset, Kokkos::LayoutLeft, SlicedDiaRow>(csr, size, k, policy);
      }
}

TEST(SlicedDia, AbsentSlotsReachNoProduct) {
  expect_products(mixed<double, int>(101, 140));
  expect_products(mixed<double, std::int64_t>(70, 33));
}
TEST(SlicedDia, ProductsOfOtherScalars) {
  expect_products(mixed<float, int>(101, 140));
  expect_products(mixed<Kokkos::complex<double>, int>(50, 40));
}

TEST(SlicedDia, AbsentSlotsInFloatReachNoProductInDouble) {
  const auto csr = mixed<float, int>(101, 140);
  for (const int k : {1, 2, 3, 5, 8, 16, 19})
    expect_product<double, int, Kokkos::LayoutRight, SlicedDiaRow>(csr, 0, k, host::Policy{});
}

TEST(SlicedDia, MultipliesLongRows) {
  std::mt19937 random(3);
  std::vector<Entry<double>> list;
  for (int i = 0; i < 200; ++i)
    for (int j = i % 50 == 7 ? 0 : i; j < (i % 50 == 7 ? 900 : i + 2); ++j)
      list.push_back({i, j, random_value<double>(random)});
  const auto csr = matrix_of<double, int>(200, 900, list);
  for (const int k : {1, 6}) {
    expect_product<double, int, Kokkos::LayoutRight>(csr, 32, k, portable::TilePolicy{});
    expect_product<double, int, Kokkos::LayoutRight>(csr, 8, k, portable::HostTilePolicy{});
    expect_product<double, int, Kokkos::LayoutLeft, SlicedDiaRow>(csr, 0, k, host::Policy{});
    expect_product<double, int, Kokkos::LayoutRight, SlicedDiaRow>(csr, 0, k, host::Policy{});
  }
}

/// Y is larger than what non-temporal stores begin with, and its last slice is not full.
TEST(SlicedDia, StreamsALargeY) {
  constexpr int rows = 1'100'003;
  constexpr int k = 8;
  static_assert(std::int64_t{rows} * k * 8 > detail::streaming_bytes);
  std::vector<Entry<double>> list;
  for (int i = 0; i < rows; ++i) list.push_back({i, i, 1.0 + i % 3});
  const auto dia = SlicedDiaMatrix<double, int, Host, int>::from_csr(
      Host(), matrix_of<double, int>(rows, rows, list));
  Kokkos::View<double**, Kokkos::LayoutRight, Host> x("x", rows, k);
  Kokkos::View<double**, Kokkos::LayoutRight, Host> y("y", rows, k);
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < k; ++c) x(i, c) = i % 7 + c;
  Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
  spmm(Host(), 2, dia, x, 0, y);
  for (int i = 0; i < rows; ++i)
    for (int c = 0; c < k; ++c) ASSERT_EQ(y(i, c), 2 * (1.0 + i % 3) * (i % 7 + c)) << i;
}

/// The last slice is not full, and rows of Y follow each other without a gap: what lies behind Y
/// stays.
TEST(SlicedDia, LeavesWhatIsBehindALastSliceThatIsNotFull) {
  const auto csr = mixed<double, int>(101, 101);
  const auto dia = SlicedDiaMatrix<double, int, Host, int>::from_csr(Host(), csr);
  for (std::size_t k = 1; k <= 9; ++k) {
    const Kokkos::View<double**, Kokkos::LayoutRight, Host> x("x", 101, k);
    const Kokkos::View<double**, Kokkos::LayoutRight, Host> all("y", 101 + 32, k);
    Kokkos::deep_copy(x, 1);
    Kokkos::deep_copy(all, -77);
    spmm(Host(), 2, dia, x, 0, Kokkos::subview(all, Kokkos::pair(0, 101), Kokkos::ALL));
    Host().fence("test");
    for (std::size_t i = 101; i < all.extent(0); ++i)
      for (std::size_t c = 0; c < k; ++c)
        ASSERT_EQ(all(i, c), -77) << i << ", " << c << " of " << k;
  }
}

/// What is left over is told by the footprint: the model weighs it.
TEST(SlicedDia, FootprintKnowsWhatIsLeftOver) {
  using Dia = SlicedDiaMatrix<double, int, Host, int>;
  std::vector<Entry<double>> list;
  for (int i = 0; i < 8; ++i) list.push_back({i, i, 1.0});
  EXPECT_EQ(Dia::footprint(Host(), matrix_of<double, int>(8, 20, list), slices_of(8)).left_over, 0);
  list.push_back({2, 17, 1.0});
  EXPECT_EQ(Dia::footprint(Host(), matrix_of<double, int>(8, 20, list), slices_of(8)).left_over, 8);
}

/// A row that has no entry in a slot does not see X there, even where its neighbours do.
TEST(SlicedDia, NanInXReachesOnlyRowsThatHaveTheColumn) {
  std::vector<Entry<double>> list;
  for (int i = 0; i < 8; ++i)
    if (i != 4) list.push_back({i, i, 1.5 + i});
  list.push_back({3, 4, 0.5});
  const auto dia = SlicedDiaMatrix<double, int, Host, int>::from_csr(
      Host(), matrix_of<double, int>(8, 8, list), slices_of(8));
  Kokkos::View<double*, Host> x("x", 8);
  Kokkos::View<double*, Host> y("y", 8);
  Kokkos::deep_copy(x, 1);
  x(4) = std::numeric_limits<double>::quiet_NaN();
  spmm(Host(), 1, dia, x, 0, y);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(std::isnan(y(i)), i == 3) << i;
  EXPECT_EQ(y(4), 0);
}

}  // namespace
}  // namespace fatvec
