// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fatvec/formats/bsr.hpp>
#include <fatvec/fused/fused.hpp>
#include <fatvec/kernels/bsr.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/plan/convert.hpp>

#include "generated.hpp"

/// What CPU kernels do only with products that are too large for their caches: threads take blocks
/// of rows as they become free, and lines of Y go straight to memory. With a beta that is not 0
/// they do not.
namespace fatvec {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

template <class T>
using Multivector = Kokkos::View<T**, Kokkos::LayoutRight, Host>;

/// Y's rows are whole lines of 64 bytes, of which k columns are Y and the others nobody's.
template <class Kernel, class T, class Matrix>
void expect_streamed(const Matrix& a, int k, int row_length) {
  const auto rows = static_cast<std::size_t>(a.rows());
  const Multivector<T> x("x", static_cast<std::size_t>(a.cols()), static_cast<std::size_t>(k));
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t c = 0; c < x.extent(1); ++c)
      x(i, c) = static_cast<T>(static_cast<int>((5 * i + 3 * c) % 13) - 6);
  const Multivector<T> whole("whole", rows, static_cast<std::size_t>(row_length));
  const auto y = Kokkos::subview(whole, Kokkos::ALL, Kokkos::make_pair(0, k));
  using Output = detail::ScaledSum<T>;
  const Output output{T{2}, T{0}, detail::span_of<detail::Columns::strided>(y)};
  ASSERT_TRUE((detail::HostOutput<T, Output>::of(output, a.rows(), k).streams));

  const Multivector<T> expected("expected", rows, static_cast<std::size_t>(row_length));  // zeros
  spmm<Kernel>(Host(), {}, T{2}, a, x, T{1},
               Kokkos::subview(expected, Kokkos::ALL, Kokkos::make_pair(0, k)));
  Kokkos::deep_copy(whole, T{-77});
  spmm<Kernel>(Host(), {}, T{2}, a, x, T{0}, y);
  Host().fence("test");
  for (std::size_t i = 0; i < rows; ++i)
    for (int c = 0; c < row_length; ++c)
      if (whole(i, c) != (c < k ? expected(i, c) : T{-77}))
        FAIL() << i << ", " << c << ": " << whole(i, c) << " is not " << expected(i, c);
}

TEST(LargeProduct, CsrStreamsLinesOfY) {
  expect_streamed<CsrRow, double>(test::generated("gen:banded:210000:2"), 43,
                                  48);  // tiles of 32 and 11, or 32, 8, 3
  expect_streamed<CsrRow, double>(test::generated("gen:banded:350000:1"), 24, 24);
}

TEST(LargeProduct, CsrStreamsLinesOfYInFloat) {
  const auto csr = test::generated("gen:banded:400000:1");
  using Csr = CsrMatrix<float, std::int32_t, Host>;
  const Csr::Scalars values("values", csr.values.extent(0));
  Kokkos::deep_copy(values, csr.values);
  expect_streamed<CsrRow, float>(Csr(csr.rows(), csr.cols(), csr.row_map, csr.entries, values), 43,
                                 48);
}

TEST(LargeProduct, BsrStreamsLinesOfY) {
  const auto csr = test::generated("gen:stencil5:200x200:dof=3");
  using Bsr = BsrMatrix<double, std::int32_t, Host>;
  expect_streamed<BsrRow, double>(convert<Bsr>(Host(), csr), 75, 80);
}

/// multiply(x, y, dots, norms) is to be Y = A · X with the dot products of X and Y and the squares
/// of Y's norms. All are sums of whole numbers, which are exact in any order.
template <class Multiply>
void expect_sums(const CsrMatrix<double, std::int32_t, Host>& a, int k, const Multiply& multiply) {
  const auto rows = static_cast<std::size_t>(a.rows());
  const auto columns = static_cast<std::size_t>(k);
  const Multivector<double> x("x", rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t c = 0; c < columns; ++c)
      x(i, c) = static_cast<double>((5 * i + 3 * c) % 13) - 6;
  const Multivector<double> expected("expected", rows, columns);  // zeros
  const Multivector<double> y("y", rows, columns);
  const Kokkos::View<double*, Host> dots("dots", columns);
  const Kokkos::View<double*, Host> norms("norms", columns);
  detail::SumsOnHost<double> on_host;
  const auto output = detail::fused_output<Host, double>(a, 1.0, 0.0, y, a.rows(), on_host);
  using Output = std::decay_t<decltype(output)>;
  ASSERT_TRUE((detail::HostOutput<double, Output>::of(output, a.rows(), k).streams));
  spmm(Host(), 1.0, a, x, 1.0, expected);
  Kokkos::deep_copy(y, -77);
  multiply(x, y, dots, norms);
  Host().fence("test");
  for (std::size_t c = 0; c < columns; ++c) {
    double dot = 0;
    double norm = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      ASSERT_EQ(y(i, c), expected(i, c)) << i << ", " << c;
      dot += x(i, c) * expected(i, c);
      norm += expected(i, c) * expected(i, c);
    }
    EXPECT_EQ(dots(c), dot) << c;
    EXPECT_EQ(norms(c), norm) << c;
  }
}

CsrMatrix<double, std::int32_t, Host> large_whole_numbers() {
  const auto a = test::generated("gen:banded:350000:1");
  for (std::size_t n = 0; n < a.values.extent(0); ++n) a.values(n) = static_cast<double>(n % 5) - 2;
  return a;
}

/// What goes past the caches is added up, too.
TEST(LargeProduct, FusedSumsAreThoseOfWhatIsStreamed) {
  const auto a = large_whole_numbers();
  const fused::Workspace<Host> workspace(Host(), 24, 2);
  expect_sums(a, 24, [&](const auto& x, const auto& y, const auto& dots, const auto& norms) {
    spmm_dot(Host(), 1.0, a, x, 0.0, y, dots, fused::square_norms(norms), workspace);
  });
}

TEST(LargeProduct, StreamsOnlyWhereItMay) {
  const std::int64_t rows = 2'000'000;
  alignas(64) static double memory[8];
  using Output = detail::ScaledSum<double>;
  Output output{1, 0, {memory, 8, 1}};
  const auto streams = [&](std::int64_t high) {
    return detail::HostOutput<double, Output>::of(output, high, 8).streams;
  };
  EXPECT_TRUE(streams(rows));
  EXPECT_FALSE(streams(1000)) << "fits into caches";
  output.beta = 1;
  EXPECT_FALSE(streams(rows)) << "Y is read";
  output.beta = 0;
  output.y = {memory, 9, 1};
  EXPECT_FALSE(streams(rows)) << "rows that begin in the middle of a line";
  output.y = {memory + 1, 8, 1};
  EXPECT_FALSE(streams(rows)) << "the same";
  output.y = {memory, 8, rows};
  EXPECT_FALSE(streams(rows)) << "columns apart";
}

}  // namespace
}  // namespace fatvec
