// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/fatvec.hpp>

/// Numbers of rows beyond what formats of slices count in.
namespace fatvec {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
constexpr std::int64_t two_to_32 = std::int64_t{1} << 32;

/// 40 x 40, rows of 0 to 4 entries.
CsrMatrix<double, std::int64_t, Host> sample() {
  using Csr = CsrMatrix<double, std::int64_t, Host>;
  const Csr::Offsets row_map("row_map", 41);
  for (int i = 0; i < 40; ++i) row_map(i + 1) = row_map(i) + i % 5;
  const Csr::Ordinals entries("entries", row_map(40));
  const Csr::Scalars values("values", row_map(40));
  for (int i = 0; i < 40; ++i) {
    for (int n = 0; n < i % 5; ++n) {
      entries(row_map(i) + n) = 9 * n + i % 4;
      values(row_map(i) + n) = i - n;
    }
  }
  return Csr(40, 40, row_map, entries, values);
}

template <class Matrix>
void expect_slices_larger_than_the_matrix() {
  const auto csr = sample();
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> x("x", 40, 3);
  for (int i = 0; i < 40; ++i)
    for (int c = 0; c < 3; ++c) x(i, c) = i + c;
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> y("y", 40, 3);
  const auto reference = verify::reference_product(1.0, csr, x, 0.0, y);
  for (const std::int64_t rows : {std::int64_t{41}, two_to_32, two_to_32 + 32, INT64_MAX}) {
    FormatOptions options;
    options.hack_size = options.slice_size = options.sort_window = rows;
    const auto matrix = Matrix::from_csr(Host(), csr, options);
    Kokkos::deep_copy(y, -7.0);
    spmm(Host(), 1.0, matrix, x, 0.0, y);
    EXPECT_TRUE(verify::compare(reference, y).passed) << rows;
  }
}

TEST(Slices, LargerThanTheMatrixAreAllOfIt) {
  using Hll = HllMatrix<double, std::int64_t, Host>;
  expect_slices_larger_than_the_matrix<Hll::WithLayout<Kokkos::LayoutLeft>>();
  expect_slices_larger_than_the_matrix<Hll::WithLayout<Kokkos::LayoutRight>>();
  expect_slices_larger_than_the_matrix<SellMatrix<double, std::int64_t, Host>>();
  expect_slices_larger_than_the_matrix<PjadMatrix<double, std::int64_t, Host>>();
}

/// Offsets that 32 bits do not hold, without a matrix of as many entries: only where rows begin.
TEST(Slices, RowsBeginBehindOffsetsOf64Bits) {
  constexpr std::int64_t far = 5 * two_to_32 + 7;
  const std::int64_t offsets[] = {0, far, far + 6};  // slices of 4 rows and of 3
  const std::int32_t lengths[] = {1, 2, 3, 4, 2, 1, 2};
  for (const bool column_major : {true, false}) {
    const detail::SlicedRows<std::int64_t, std::int32_t> rows{offsets, lengths, 4, 7, column_major};
    const std::int64_t first = far + (column_major ? 1 : 2);
    const std::int64_t step = column_major ? 3 : 1;
    EXPECT_EQ(rows.walk(5)[0], first);
    EXPECT_EQ(rows.walk(5)[1], first + step);
    EXPECT_EQ(rows.slots_before(5), far + 2);
    EXPECT_EQ(rows.slots_before(7), far + 6);
    rows.for_each_row(5, 6, [&](std::int64_t i, const auto& slots) {
      EXPECT_EQ(i, 5);
      EXPECT_EQ(slots[1], first + step);
    });
  }
  const detail::CsrRows<std::int64_t> csr{offsets};
  EXPECT_EQ(csr.walk(1)[2], far + 2);
  EXPECT_EQ(csr.length(0), far);
  const detail::JadRows<std::int64_t, std::int32_t> jad{offsets, lengths, 1, far + 6};
  auto walk = jad.walk(2);
  EXPECT_EQ(walk[1], far + 2);
  walk.advance(1);
  EXPECT_EQ(walk[1], far + 8);
  const detail::EllRows<std::int32_t> ell{lengths, 9, 1, two_to_32};
  EXPECT_EQ(ell.walk(3)[2], 2 * two_to_32 + 3);
}

TEST(Slices, MoreRowsThan32BitsCountAreRefused) {
  EXPECT_NO_THROW(detail::require_rows_of_32_bits("HLL", INT32_MAX));
  try {
    detail::require_rows_of_32_bits("HLL", 3'000'000'000);
    FAIL();
  } catch (const CapacityError& error) {
    EXPECT_NE(
        std::string(error.what()).find("HLL counts rows in 32 bits, and there are 3000000000"),
        std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fatvec
