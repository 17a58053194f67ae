// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fatvec/formats/bsr.hpp>
#include <fatvec/formats/hll.hpp>
#include <fatvec/generate/generate.hpp>
#include <fatvec/kernels/bsr_row.hpp>
#include <fatvec/kernels/convert.hpp>
#include <fatvec/kernels/csr_row.hpp>
#include <fatvec/kernels/hll_row.hpp>
#include <fatvec/kernels/spmm.hpp>

/// When CPU kernels ask for rows of X ahead, and that the products in which they do are right.
namespace fatvec {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, std::int32_t, Host, std::int64_t>;

constexpr detail::Lookahead from_one_line{64, 300};

std::int64_t ahead(const Csr& a, std::int64_t k, const detail::Lookahead& worth_it = from_one_line) {
  return detail::rows_ahead(worth_it, a.row_access(), a.entries.data(), 0, a.rows(), k * 8, a.cols());
}

TEST(RowsAhead, OfScatteredColumns) {
  const Csr scattered = generate::generate(generate::parse_spec("gen:uniform:20000:10"));
  EXPECT_EQ(ahead(scattered, 16), 5) << "40 entries";
  EXPECT_EQ(ahead(scattered, 4), 0) << "half a line";
  EXPECT_EQ(ahead(scattered, 16, {512, 1'000'000}), 0) << "not worth it on this machine";
  EXPECT_EQ(ahead(scattered, 64, {512, 1'000'000}), 5);
  const Csr small = generate::generate(generate::parse_spec("gen:uniform:2000:10"));
  EXPECT_EQ(ahead(small, 16), 0) << "all of X fits the second-level cache";
  EXPECT_GT(ahead(small, 128), 0);
}

TEST(RowsAhead, OfPatternsWhereRowsOfXAreLong) {
  const Csr seven = generate::generate(generate::parse_spec("gen:stencil7:40"));
  EXPECT_EQ(ahead(seven, 16), 0);
  EXPECT_EQ(ahead(seven, 32), 0);
  EXPECT_GT(ahead(seven, 64), 0);
  const Csr band = generate::generate(generate::parse_spec("gen:banded:40000:10"));
  EXPECT_EQ(ahead(band, 128), 0) << "a new column in 21";
}

TEST(RowsAhead, NotOfFewOrEmptyRows) {
  const Csr empty = generate::generate(generate::parse_spec("gen:uniform:50000:0"));
  EXPECT_EQ(ahead(empty, 64), 0);
  const Csr scattered = generate::generate(generate::parse_spec("gen:uniform:20000:10"));
  EXPECT_EQ(detail::rows_ahead(from_one_line, scattered.row_access(), scattered.entries.data(), 5, 30, 128, 20000), 0);
}

/// k columns at once, against as many products with one column, which never ask.
template <class Kernel, class Matrix>
void expect_like_single_columns(const Csr& a, const Matrix& matrix, std::size_t k) {
  using V = Kokkos::View<double**, Kokkos::LayoutRight, Host>;
  const V x("x", static_cast<std::size_t>(a.cols()), k);
  const V y("y", static_cast<std::size_t>(a.rows()), k);
  const V expected("expected", static_cast<std::size_t>(a.rows()), k);
  for (std::size_t i = 0; i < x.extent(0); ++i)
    for (std::size_t c = 0; c < k; ++c) x(i, c) = static_cast<double>((5 * i + 3 * c) % 13) - 6;
  spmm<Kernel>(Host(), {}, 1.0, matrix, x, 0.0, y);
  for (std::size_t c = 0; c < k; ++c)
    spmm<CsrRow>(Host(), {}, 1.0, a, Kokkos::subview(x, Kokkos::ALL, c), 0.0, Kokkos::subview(expected, Kokkos::ALL, c));
  Host().fence("test");
  for (std::size_t i = 0; i < y.extent(0); ++i)
    for (std::size_t c = 0; c < k; ++c) ASSERT_NEAR(y(i, c), expected(i, c), 1e-11) << i << ", " << c;
}

TEST(RowsAhead, ProductsThatAskAreRight) {
  using Bsr = BsrMatrix<double, std::int32_t, Host, std::int64_t>;
  using Hll = HllMatrix<double, std::int32_t, Host, std::int64_t>;
  const Csr a = generate::generate(generate::parse_spec("gen:uniform:5001x4001:9"));
  for (const std::size_t k : {43, 64, 75}) {
    ASSERT_GT(ahead(a, static_cast<std::int64_t>(k)), 0);
    expect_like_single_columns<CsrRow>(a, a, k);
    expect_like_single_columns<HllRow>(a, convert<Hll>(Host(), a), k);
    expect_like_single_columns<BsrRow>(a, Bsr::from_csr(Host(), a), k);
  }
}

}  // namespace
}  // namespace fatvec
