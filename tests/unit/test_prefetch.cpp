// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <vector>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/formats/bsr.hpp>
#include <fatvec/formats/ellpack.hpp>
#include <fatvec/formats/hll.hpp>
#include <fatvec/formats/jad.hpp>
#include <fatvec/formats/sell.hpp>
#include <fatvec/kernels/bsr.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/kernels/ellpack.hpp>
#include <fatvec/kernels/hll.hpp>
#include <fatvec/kernels/jad.hpp>
#include <fatvec/kernels/sell.hpp>
#include <fatvec/plan/convert.hpp>

#include "generated.hpp"

/// When CPU kernels prefetch rows of X, and that the products in which they do are right.
namespace fatvec {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, std::int32_t, Host>;

/// While it lives no product is taken to be in the caches, where nothing is prefetched.
class NothingIsKept {
 public:
  NothingIsKept() : before_(host::cached_entries().exchange(0)) {}
  ~NothingIsKept() { host::cached_entries() = before_; }
  NothingIsKept(const NothingIsKept&) = delete;
  NothingIsKept& operator=(const NothingIsKept&) = delete;

 private:
  double before_;
};

std::int64_t distance(const Csr& a, std::int64_t k, std::int64_t cached = 10'000'000) {
  return detail::prefetch_row_distance(
      a.row_access(), a.entries.data(), 0, a.rows(),
      {.rows = a.rows(), .x_rows = a.cols(), .bytes = k * 8, .cached = cached});
}

TEST(HostPolicy, MuchWorkIsTakenByTheThreadThatIsFree) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(host::parts_of_thread(0, 2), 1);
  EXPECT_EQ(host::parts_of_thread(host::least_shared_work, 2), 1);
  EXPECT_EQ(host::parts_of_thread(host::least_shared_work + 1, 2), host::shared_parts);
  EXPECT_EQ(host::parts_of_thread(host::least_shared_work + 1, 1), 1);
  EXPECT_EQ(host::parts_of_thread(most, 1), host::shared_parts);
  EXPECT_EQ(host::parts_of_thread(most, 2), host::shared_parts);
}

TEST(Prefetch, IsForScatteredColumns) {
  const Csr scattered = test::generated("gen:uniform:100000:10");
  EXPECT_EQ(distance(scattered, 16), 9) << "80 entries";
  EXPECT_EQ(distance(scattered, 12), 0) << "9.6 MB: the last cache has them";
  EXPECT_EQ(distance(scattered, 13), 9);
  EXPECT_EQ(distance(scattered, 40, 32'000'000), 0) << "so has a larger one";
  EXPECT_GT(distance(scattered, 41, 32'000'000), 0);
  const auto of_blocks = [&](std::int64_t bytes) {
    return detail::prefetch_row_distance(
        scattered.row_access(), scattered.entries.data(), 0, scattered.rows(),
        {.rows = 100'000, .x_rows = 400'000, .bytes = bytes, .cached = 0, .block = 4});
  };
  EXPECT_EQ(of_blocks(56), 0) << "rows of X shorter than a line, one by one";
  EXPECT_GT(of_blocks(64), 0);
}

/// A band 16,001 wide: near the diagonal where the last cache holds as many rows of X, else
/// scattered. One that is shifted by half of the columns is far from it.
TEST(Prefetch, IsNotForBandsThatTheLastCacheHolds) {
  const std::int32_t n = 200'000;
  const std::int32_t width = 16'000;
  const Csr::Offsets row_map("row_map", n + 1);
  const Csr::Ordinals entries("entries", 2 * n);
  for (std::int32_t i = 0; i < n; ++i) {
    row_map(i + 1) = 2 * (i + 1);
    entries(2 * i) = i < n - width ? i : i - width;
    entries(2 * i + 1) = i < n - width ? i + 7919 * i % width + 1 : i;
  }
  const Csr band(n, n, row_map, entries, Csr::Scalars("values", 2 * n));
  EXPECT_EQ(distance(band, 16), 0) << "2 MB";
  EXPECT_GT(distance(band, 128), 0) << "16 MB";
  const auto of_blocks = [&](std::int64_t block) {
    return detail::prefetch_row_distance(
        band.row_access(), band.entries.data(), 0, n,
        {.rows = n, .x_rows = block * n, .bytes = 128, .cached = 10'000'000, .block = block});
  };
  EXPECT_EQ(of_blocks(4), 0) << "8 MB";
  EXPECT_GT(of_blocks(8), 0) << "16 MB";
  for (std::int32_t i = 0; i < 2 * n; ++i) entries(i) = (entries(i) + n / 2) % n;
  EXPECT_GT(distance(band, 16), 0) << "far from the diagonal";
  EXPECT_EQ(distance(band, 1, 0), 0) << "250 kB hold 31,250 rows of one column";
}

TEST(Prefetch, IsForPatternsWhereRowsOfXAreLong) {
  const Csr seven = test::generated("gen:stencil7:50");
  EXPECT_EQ(distance(seven, 16, 1), 0);
  EXPECT_GT(distance(seven, 32, 1), 0);
  const Csr five = test::generated("gen:stencil5:300");
  EXPECT_EQ(distance(five, 12, 1), 0);
  EXPECT_GT(distance(five, 16, 1), 0);
  const Csr band = test::generated("gen:banded:40000:10");
  EXPECT_EQ(distance(band, 128), 0) << "a new column in 21";
}

TEST(Prefetch, IsNotForFewOrEmptyRows) {
  const Csr empty = test::generated("gen:uniform:50000:0");
  EXPECT_EQ(distance(empty, 64), 0);
  const Csr scattered = test::generated("gen:uniform:100000:10");
  const auto of_rows = [&](std::int64_t first, std::int64_t last) {
    return detail::prefetch_row_distance(
        scattered.row_access(), scattered.entries.data(), first, last,
        {.rows = 100'000, .x_rows = 100'000, .bytes = 128, .cached = 10'000'000});
  };
  EXPECT_EQ(of_rows(5, 29), 0);
  EXPECT_EQ(of_rows(5, 30), 9);
}

using Rows = Kokkos::View<double**, Kokkos::LayoutRight, Host>;

template <class Kernel, class Matrix>
void expect_product(const Matrix& matrix, const Rows& x, const Rows& expected) {
  const Rows y("y", expected.extent(0), expected.extent(1));
  spmm<Kernel>(Host(), {}, 1.0, matrix, x, 0.0, y);
  Host().fence("test");
  for (std::size_t n = 0; n < y.size(); ++n)
    if (!(std::abs(y.data()[n] - expected.data()[n]) <= 1e-11))
      FAIL() << Kernel::name << ", element " << n << ": " << y.data()[n] << " is not "
             << expected.data()[n];
}

/// k columns at once, against as many products with one column, which do not prefetch.
TEST(Prefetch, ProductsThatPrefetchAreRight) {
  using Bsr = BsrMatrix<double, std::int32_t, Host>;
  using Hll = HllMatrix<double, std::int32_t, Host>;
  const NothingIsKept guard;
  const Csr a = test::generated("gen:uniform:5001x100001:9");
  for (const std::size_t k : {13, 16, 43, 75}) {
    ASSERT_GT(distance(a, static_cast<std::int64_t>(k)), 0);
    const Rows x("x", static_cast<std::size_t>(a.cols()), k);
    const Rows expected("expected", static_cast<std::size_t>(a.rows()), k);
    for (std::size_t i = 0; i < x.extent(0); ++i)
      for (std::size_t c = 0; c < k; ++c) x(i, c) = static_cast<double>((5 * i + 3 * c) % 13) - 6;
    for (std::size_t c = 0; c < k; ++c)
      spmm<CsrRow>(Host(), {}, 1.0, a, Kokkos::subview(x, Kokkos::ALL, c), 0.0,
                   Kokkos::subview(expected, Kokkos::ALL, c));
    expect_product<CsrRow>(a, x, expected);
    expect_product<HllRow>(convert<Hll>(Host(), a), x, expected);
    expect_product<HllRow>(convert<Hll::WithLayout<Kokkos::LayoutLeft>>(Host(), a), x, expected);
    expect_product<BsrRow>(convert<Bsr>(Host(), a), x, expected);
  }
}

/// A product must have the same bits whether it prefetches or not: a measurement decides.
template <class Kernel, class Matrix>
void expect_the_same_bits(const Matrix& a, std::size_t k) {
  using V = Kokkos::View<double**, Kokkos::LayoutRight, Host>;
  const V x("x", static_cast<std::size_t>(a.cols()), k);
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t c = 0; c < k; ++c) x(i, c) = 1.0 / static_cast<double>(1 + i + 7 * c);
  const auto product = [&](std::int64_t beyond) {
    host::prefetched_beyond() = beyond;
    const V y("y", static_cast<std::size_t>(a.rows()), k);
    spmm<Kernel>(Host(), {}, 1.0 / 3, a, x, 0.0, y);
    Host().fence("test");
    return y;
  };
  const V with = product(0);
  const V without = product(std::numeric_limits<std::int64_t>::max());
  for (std::size_t n = 0; n < with.size(); ++n)
    ASSERT_EQ(with.data()[n], without.data()[n])
        << Kernel::name << ", " << k << " columns, element " << n;
}

TEST(Prefetch, SumsHaveTheSameBitsWithAndWithout) {
  using Sell = SellMatrix<double, std::int32_t, Host>;
  using Jad = JadMatrix<double, std::int32_t, Host>;
  using Hll = HllMatrix<double, std::int32_t, Host>::WithLayout<Kokkos::LayoutLeft>;
  using Ellpack = EllMatrix<double, std::int32_t, Host>::WithLayout<Kokkos::LayoutLeft>;
  const Csr a = test::generated("gen:uniform:2001x100001:9");
  const std::int64_t before = host::prefetched_beyond();
  const NothingIsKept guard;
  const auto sell = convert<Sell>(Host(), a);
  const auto jad = convert<Jad>(Host(), a);
  const auto hll = convert<Hll>(Host(), a);
  const auto ellpack = convert<Ellpack>(Host(), a);
  for (const std::size_t k : {1, 2, 3, 4, 7, 8, 16, 20, 33}) {
    expect_the_same_bits<CsrRow>(a, k);
    expect_the_same_bits<SellRow>(sell, k);
    expect_the_same_bits<JadRow>(jad, k);
    expect_the_same_bits<HllRow>(hll, k);
    expect_the_same_bits<EllpackRow>(ellpack, k);
  }
  host::prefetched_beyond() = before;
}

TEST(Prefetch, WhatCachesKeepIsMultipliedLikeTheRest) {
  using V = Kokkos::View<double**, Kokkos::LayoutRight, Host>;
  const Csr a = test::generated("gen:powerlaw:300:7");
  const double before = host::cached_entries();
  for (std::size_t k = 1; k <= 33; ++k) {
    const V x("x", static_cast<std::size_t>(a.cols()), k);
    for (std::size_t i = 0; i < x.extent(0); ++i)
      for (std::size_t c = 0; c < k; ++c) x(i, c) = static_cast<double>((i + 3 * c) % 7) - 3;
    const V y("y", static_cast<std::size_t>(a.rows()), k);
    const auto expected = verify::reference_product(1.5, a, x, 0.0, y);
    for (const double kept : {0.0, 1e9}) {
      host::cached_entries() = kept;
      Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
      spmm<CsrRow>(Host(), {}, 1.5, a, x, 0.0, y);
      Host().fence("test");
      EXPECT_TRUE(verify::compare(expected, y).passed) << k << " columns, " << kept << " bytes";
    }
  }
  host::cached_entries() = before;
}

/// Elements at the very end of memory that may be read.
template <class T>
class LastOnes {
 public:
  explicit LastOnes(std::size_t n) {
    EXPECT_NE(start_, MAP_FAILED);
    EXPECT_EQ(mprotect(start_ + page_, page_, PROT_NONE), 0);
    data = reinterpret_cast<T*>(start_ + page_) - n;
  }
  LastOnes(const LastOnes&) = delete;
  LastOnes& operator=(const LastOnes&) = delete;
  ~LastOnes() { munmap(start_, 2 * page_); }
  T* data;

 private:
  std::size_t page_ = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  char* start_ = static_cast<char*>(
      mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
};

struct Lengths {
  std::vector<std::int64_t> of_row;
  [[nodiscard]] std::int64_t length(std::int64_t i) const {
    return of_row[static_cast<std::size_t>(i)];
  }
};

TEST(SparseDot, LengthsVaryWhereManyRowsDifferFromTheirNeighbours) {
  Lengths rows{std::vector<std::int64_t>(1000, 7)};
  EXPECT_FALSE(detail::lengths_vary(rows, 1000));
  for (std::size_t i = 0; i < 1000; i += 30) rows.of_row[i] = 5;  // as where a grid's lines end
  EXPECT_FALSE(detail::lengths_vary(rows, 1000));
  for (std::size_t i = 0; i < 1000; i += 2) rows.of_row[i] = 8;
  EXPECT_TRUE(detail::lengths_vary(rows, 1000));
  for (const std::int64_t count : {0, 1}) EXPECT_FALSE(detail::lengths_vary(rows, count));
  EXPECT_TRUE(detail::lengths_vary(rows, 2));
}

/// Every length, at the very end of A.
template <class T, class Value = T>
void expect_dense_column_is_right() {
  for (std::size_t length = 0; length <= 41; ++length) {
    const LastOnes<std::int32_t> entries(length);
    const LastOnes<Value> values(length);
    std::vector<T> x(100, std::numeric_limits<T>::quiet_NaN());
    T expected = 0;
    for (std::size_t j = 0; j < length; ++j) {
      const std::size_t column = 1 + 37 * j % 99;
      entries.data[j] = static_cast<std::int32_t>(column);
      values.data[j] = static_cast<Value>(j % 5) - 2;
      x[column] = static_cast<T>(j % 7) - 3;
      expected += values.data[j] * x[column];
    }
    const auto count = static_cast<std::int64_t>(length);
    EXPECT_EQ((detail::sparse_dot<T, true>(count, entries.data, values.data, x.data())), expected)
        << length;
    EXPECT_EQ((detail::sparse_dot<T, false>(count, entries.data, values.data, x.data())), expected)
        << length;
#if defined(FATVEC_HAS_GNU_VECTORS)
    if constexpr (detail::has_masked_dot<T, Value, std::int32_t>) {
      const auto by_masks = [&](auto gather) {  // of which x[0], a NaN, reaches nothing
        return detail::masked_dot<T>(static_cast<std::int64_t>(length), entries.data, values.data,
                                     static_cast<const T*>(x.data()), gather);
      };
      EXPECT_EQ(by_masks(detail::ByInstruction()), expected) << length;
      EXPECT_EQ(by_masks(detail::ByLoads()), expected) << length;
    }
#endif
  }
}

TEST(SparseDot, OfEveryLengthReadsNothingBehindA) {
  expect_dense_column_is_right<double>();
  expect_dense_column_is_right<float>();
  expect_dense_column_is_right<double, float>();
}

/// With few columns, against the sums themselves; prefetching from 10 MB on, whatever was measured.
TEST(Prefetch, FewColumnsThatPrefetchAreRight) {
  const Csr wide = test::generated("gen:uniform:20001x2000001:9");
  const Csr others = test::generated("gen:uniform:20001x1500001:9");
  ASSERT_GT(distance(wide, 1), 0);
  ASSERT_GT(distance(others, 2), 0);
  for (std::size_t k = 1; k <= 7; ++k) {
    const Csr& a = k == 1 ? wide : others;
    using V = Kokkos::View<double**, Kokkos::LayoutRight, Host>;
    const V x("x", static_cast<std::size_t>(a.cols()), k);
    const V y("y", static_cast<std::size_t>(a.rows()), k);
    for (std::size_t i = 0; i < x.extent(0); ++i)
      for (std::size_t c = 0; c < k; ++c) x(i, c) = static_cast<double>((5 * i + 3 * c) % 13) - 6;
    using Output = detail::ScaledSum<double>;
    const detail::SlotsOf<Csr> slots = detail::slots_of(a);
    const detail::HostRowKernel<double, detail::SlotsOf<Csr>, detail::Columns::contiguous, Output>
        kernel{.a = detail::SlotRows<detail::SlotsOf<Csr>>(slots),
               .x = {x.data(), static_cast<std::int64_t>(x.stride(0))},
               .to = {{1.0, 0.0, detail::span_of<detail::Columns::strided>(y)}},
               .x_rows = a.cols(),
               .k = static_cast<std::int64_t>(k),
               .partition = {a.rows(), 2},
               .cached_bytes = 10'000'000};
    kernel(0);
    kernel(1);
    for (std::size_t i = 0; i < y.extent(0); ++i)
      for (std::size_t c = 0; c < k; ++c) {
        double sum = 0;
        for (std::int64_t n = a.row_map(i); n < a.row_map(i + 1); ++n)
          sum += a.values(n) * x(a.entries(n), c);
        ASSERT_NEAR(y(i, c), sum, 1e-11) << i << ", " << c;
      }
  }
}

}  // namespace
}  // namespace fatvec
