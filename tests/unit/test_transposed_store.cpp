// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>

#include <fatvec/formats/bittcf.hpp>
#include <fatvec/formats/bsr.hpp>
#include <fatvec/formats/sell.hpp>
#include <fatvec/kernels/bittcf.hpp>
#include <fatvec/kernels/bsr.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/kernels/sell.hpp>
#include <fatvec/plan/convert.hpp>
#include <fatvec/plan/packing.hpp>

#include "generated.hpp"

/// Rows that a CPU's kernel forms in a buffer and transposes into a column-major Y, against the
/// same kernel's row-major Y: every number is a small integer, every result exact.
namespace fatvec {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
template <class T, class Layout>
using Multivector = Kokkos::View<T**, Layout, Host>;

template <class View>
void fill(const View& view, int salt) {
  for (std::size_t i = 0; i < view.extent(0); ++i)
    for (std::size_t c = 0; c < view.extent(1); ++c)
      view(i, c) = static_cast<typename View::value_type>(
          static_cast<int>((5 * i + 3 * c + static_cast<std::size_t>(salt)) % 13) - 6);
}

/// Y with `spare` more rows in each column, which must stay.
template <class Kernel, class T, class Matrix>
void expect_transposed(const Matrix& a, int k, int beta, int spare = 0) {
  const auto rows = static_cast<std::size_t>(a.rows());
  const auto columns = static_cast<std::size_t>(k);
  const Multivector<T, Kokkos::LayoutRight> x("x", static_cast<std::size_t>(a.cols()), columns);
  const Multivector<T, Kokkos::LayoutRight> expected("expected", rows, columns);
  const Multivector<T, Kokkos::LayoutLeft> whole("whole", rows + static_cast<std::size_t>(spare),
                                                 columns);
  fill(x, 0);
  fill(expected, 1);
  fill(whole, 1);
  const auto y = Kokkos::subview(whole, Kokkos::make_pair(std::size_t{0}, rows), Kokkos::ALL);
  spmm<Kernel>(Host(), {}, T{2}, a, x, static_cast<T>(beta), expected);
  spmm<Kernel>(Host(), {}, T{2}, a, x, static_cast<T>(beta), y);
  Host().fence("test");
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t i = 0; i < rows; ++i)
      if (y(i, c) != expected(i, c))
        FAIL() << "k = " << k << ": " << i << ", " << c << ": " << y(i, c) << " is not "
               << expected(i, c);
    for (std::size_t i = rows; i < whole.extent(0); ++i)
      ASSERT_EQ(whole(i, c), static_cast<T>(static_cast<int>((5 * i + 3 * c + 1) % 13) - 6))
          << "beyond Y: " << i << ", " << c;
  }
}

CsrMatrix<double, std::int32_t, Host> whole_numbers(const char* spec) {
  const auto a = test::generated(spec);
  for (std::size_t n = 0; n < a.values.extent(0); ++n) a.values(n) = static_cast<double>(n % 7) - 3;
  return a;
}

template <class Csr>
auto blocks_of(const Csr& a, int size) {
  FormatOptions options;
  options.block_size = size;
  return convert<BsrMatrix<double, std::int32_t, Host>>(Host(), a, options);
}

TEST(TransposedStore, IsRightForEveryNumberOfColumns) {
  const auto a = whole_numbers("gen:powerlaw:701:4.2");
  const auto bsr = blocks_of(a, 3);
  for (const int k :
       {2, 3, 8, 31, 64, 130, 513, 1100}) {  // the last two are more than fit into the buffer
    for (const int beta : {0, -1}) {
      expect_transposed<CsrRow, double>(a, k, beta, 3);
      expect_transposed<BsrRow, double>(bsr, k, beta, 3);
    }
  }
}

TEST(TransposedStore, IsRightForBlocksOfAnySize) {
  const auto a = whole_numbers("gen:stencil5:40x41");
  for (int size = 1; size <= 16; ++size)
    for (const int k : {9, 300}) expect_transposed<BsrRow, double>(blocks_of(a, size), k, 1);
}

/// Whether k columns of a row-major buffer go into a column-major Y past the caches.
bool streams(const Multivector<double, Kokkos::LayoutLeft>& y) {
  const auto rows = static_cast<std::int64_t>(y.extent(0));
  const auto k = static_cast<std::int64_t>(y.extent(1));
  const auto stride = static_cast<std::int64_t>(y.stride(1));
  const detail::HostPack<double, detail::Columns::contiguous> transpose{
      {{y.data(), k, 1}, {y.data(), 1, stride}, 0.0, rows, k}};
  return transpose.streaming().streams;
}

/// Whole lines of Y go past the caches: what begins within a line must not.
TEST(TransposedStore, IsRightForLargeProducts) {
  const auto a = whole_numbers("gen:banded:210000:1");
  const auto bsr = blocks_of(a, 3);
  EXPECT_TRUE(streams(Multivector<double, Kokkos::LayoutLeft>("y", 210'000, 24)));
  expect_transposed<CsrRow, double>(a, 24, 0);
  expect_transposed<CsrRow, double>(a, 24, 0, 3);
  expect_transposed<BsrRow, double>(bsr, 24, 0);
  expect_transposed<CsrRow, double>(a, 24, 1);
}

/// With 200 columns a buffer has few block rows, which do not end with lines of Y.
TEST(TransposedStore, IsRightForLargeProductsOfManyColumns) {
  const auto bsr = blocks_of(whole_numbers("gen:banded:24000:1"), 3);
  EXPECT_TRUE(streams(Multivector<double, Kokkos::LayoutLeft>("y", 24'000, 200)));
  expect_transposed<BsrRow, double>(bsr, 200, 0);
}

TEST(TransposedStore, PackingCopiesYOnlyWhereItMust) {
  using Csr = CsrMatrix<double, std::int32_t, Host>;
  using Sell = SellMatrix<double, std::int32_t, Host>;
  using BitTcf = BitTcfMatrix<double, std::int32_t, Host>;
  const host::Policy on_host;
  const portable::DevicePolicy rows;
  const device::WindowPolicy windows;
  EXPECT_TRUE((stores_column_major<CsrRow, Csr, double>(on_host, 64)));
  EXPECT_TRUE((stores_column_major<CsrRow, Csr, double>(rows, 32)));
  EXPECT_FALSE((stores_column_major<CsrRow, Csr, double>(rows, 33))) << "a row of a warp";
  EXPECT_FALSE((stores_column_major<SellRow, Sell, double>(on_host, 64))) << "sorted";
  EXPECT_FALSE((stores_column_major<SellRow, Sell, double>(SellRow::DevicePolicy{}, 32)))
      << "sorted";
  EXPECT_TRUE((stores_column_major<BitTcfWindow, BitTcf, double>(windows, 64))) << "tensor cores";
  EXPECT_FALSE((stores_column_major<BitTcfWindow, BitTcf, float>(windows, 64)));
  EXPECT_FALSE((stores_column_major<BitTcfWindow, BitTcf, double>(on_host, 1)));
  // X and Y are asked, not the values of A.
  using BitTcfOfFloat = BitTcfMatrix<float, std::int32_t, Host>;
  using BsrOfFloat = BsrMatrix<float, std::int32_t, Host>;
  using Complex = Kokkos::complex<double>;
  EXPECT_TRUE((stores_column_major<BitTcfWindow, BitTcfOfFloat, double>(windows, 64)));
  EXPECT_TRUE((stores_column_major<BsrRow, BsrOfFloat, double>(on_host, 64)));
  EXPECT_FALSE((stores_column_major<BsrRow, BsrOfFloat, Complex>(on_host, 64)));
  const auto a = whole_numbers("gen:stencil5:20x20");
  const Multivector<double, Kokkos::LayoutLeft> x("x", 400, 5);
  const Multivector<double, Kokkos::LayoutLeft> y("y", 400, 5);
  const auto x_of = detail::operand_of(x);
  const auto y_of = detail::span_of<detail::Columns::strided>(y);
  const auto expect_contiguous_y = [&](const auto& packing, bool contiguous) {
    ASSERT_TRUE(packing.takes(x_of, y_of, 5));
    packing.run(Host(), x_of, 1.0, y_of, 5, [&](const auto& of_x, double, const auto& of_y) {
      EXPECT_EQ(of_x.column_stride, 1);
      EXPECT_EQ(of_y.column_stride == 1, contiguous);
    });
  };
  expect_contiguous_y(Packing<double, Host>::of<CsrRow>(Host(), on_host, a, 5), false);
  expect_contiguous_y(
      Packing<double, Host>::of<BitTcfWindow>(Host(), on_host, convert<BitTcf>(Host(), a), 5),
      true);
}

}  // namespace
}  // namespace fatvec
