// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fatvec/formats/dia.hpp>
#include <fatvec/kernels/dia.hpp>

#include "diagonal_matrices.hpp"

/// DIA: which entries go where, that all of them come back, that padding is not read.
namespace fatvec {
namespace {

using test::Entry;
using test::expect_round_trip;
using test::Host;
using test::matrix_of;
using test::mixed;
template <class T, class Offset = int>
using DiaOf = DiaMatrix<T, int, Host, Offset>;
using Dia = DiaOf<double>;

/// 1 2 .  as three diagonals, of which the outer ones reach beyond the matrix, and one more for the
/// . 3 .  second entry of row 2 in column 2.
/// 4 . 5
CsrMatrix<double, int, Host, int> sample() {
  return matrix_of<double, int>(3, 3,
                                {{0, 0, 1}, {0, 1, 2}, {1, 1, 3}, {2, 0, 4}, {2, 2, 5}, {2, 2, 6}});
}

TEST(Dia, StoresAValueForEachRowAndDiagonal) {
  const auto dia = Dia::from_csr(Host(), sample());
  ASSERT_EQ(dia.diagonals(), 4);
  const int offsets[] = {-2, 0, 0, 1};
  const double values[3][4] = {{0, 1, 0, 2}, {0, 3, 0, 0}, {4, 5, 6, 0}};
  const std::uint32_t masks[] = {0b1010, 0b0010, 0b0111};
  for (int d = 0; d < 4; ++d) EXPECT_EQ(dia.offsets(d), offsets[d]);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(dia.masks(i, 0), masks[i]);
    for (int d = 0; d < 4; ++d) EXPECT_EQ(dia.values(i, d), values[i][d]) << i << ", " << d;
  }
}

TEST(Dia, GivesBackTheMatrix) {
  expect_round_trip<Dia>(sample());
  expect_round_trip<Dia>(mixed<double, int>(101, 101));
  expect_round_trip<DiaOf<double, std::int64_t>>(mixed<double, std::int64_t>(70, 33));
  expect_round_trip<DiaOf<float>>(mixed<float, int>(33, 150));
  expect_round_trip<DiaOf<Kokkos::complex<double>>>(mixed<Kokkos::complex<double>, int>(64, 64));
  expect_round_trip<Dia>(matrix_of<double, int>(0, 0, {}));
  expect_round_trip<Dia>(matrix_of<double, int>(0, 4, {}));
  expect_round_trip<Dia>(matrix_of<double, int>(5, 0, {}));
  expect_round_trip<Dia>(matrix_of<double, int>(5, 7, {}));
  expect_round_trip<Dia>(matrix_of<double, int>(3, 2, {{2, 0, 0.0}}));
}

TEST(Dia, GivesBackRandomMatrices) {
  std::mt19937 random(5);
  for (int n = 0; n < 100; ++n) {
    expect_round_trip<Dia>(test::random_matrix<int>(random, false));
    if (HasFailure()) FAIL() << "matrix " << n;
  }
}

/// Diagonals that fill masks, and one more.
TEST(Dia, TakesAsManyMasksAsThereAreDiagonals) {
  for (const int diagonals : {31, 32, 33, 64, 65}) {
    std::vector<Entry<double>> list;
    for (int i = 0; i < 40; ++i)
      for (int d = 0; d < diagonals; ++d)
        if ((i + d) % 3 != 0) list.push_back({i, i + d, 1 + i + 0.01 * d});
    const auto csr = matrix_of<double, int>(40, 110, list);
    const auto dia = Dia::from_csr(Host(), csr);
    EXPECT_EQ(dia.diagonals(), diagonals);
    EXPECT_EQ(static_cast<int>(dia.masks.extent(1)), (diagonals + 31) / 32);
    expect_round_trip<Dia>(csr);
  }
}

TEST(Dia, SortsRows) {
  const auto csr =
      matrix_of<double, int>(2, 5, {{0, 4, 1.5}, {0, 1, 2.5}, {1, 3, 3.5}, {1, 0, 4.5}});
  const auto back = Dia::from_csr(Host(), csr).to_csr(Host());
  EXPECT_EQ(back.entries(0), 1);
  EXPECT_EQ(back.values(0), 2.5);
  EXPECT_EQ(back.entries(2), 0);
  EXPECT_EQ(back.values(2), 4.5);
}

TEST(Dia, RefusesWhatDoesNotFit) {
  // Every entry of the antidiagonal is on a diagonal of its own: 40,000 · 40,000 values.
  const int n = 40'000;
  std::vector<Entry<double>> list;
  for (int i = 0; i < n; ++i) list.push_back({i, n - 1 - i, 1.0});
  FormatOptions limited;
  limited.memory_limit = 10'000'000'000;
  try {
    Dia::from_csr(Host(), matrix_of<double, int>(n, n, list), limited);
    FAIL() << "not refused";
  } catch (const CapacityError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("40000 diagonals, of 40000 rows each; CSR needs"), std::string::npos)
        << text;
    EXPECT_NE(text.find("13.0 GB"), std::string::npos) << text;
  }
}

TEST(Dia, TheSearchForDiagonalsHasToFit) {
  FormatOptions limited;
  limited.memory_limit = 400'000;
  try {
    Dia::from_csr(Host(), matrix_of<double, int>(100'000, 100'000, {{0, 0, 1.0}}), limited);
    FAIL() << "not refused";
  } catch (const CapacityError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("a counter for each of 199999"), std::string::npos) << text;
  }
}

/// The product of the matrix whose absent values are NaN.
template <class T, class Offset, class Layout, class Policy>
void expect_product(const CsrMatrix<T, int, Host, Offset>& csr, int k, const Policy& policy) {
  const auto dia = DiaOf<T, Offset>::from_csr(Host(), csr);
  for (int i = 0; i < csr.rows(); ++i)
    for (std::int64_t d = 0; d < dia.diagonals(); ++d)
      if ((dia.masks(i, d / 32) >> d % 32 & 1) == 0)
        dia.values(i, d) = T(std::numeric_limits<double>::quiet_NaN());
  test::expect_product_of<T, Layout, DiaPortable>(csr, dia, k, policy);
}

template <class T, class Offset>
void expect_products(const CsrMatrix<T, int, Host, Offset>& csr) {
  const auto expect_by = [&](const auto& policies) {
    for (const int k : {1, 2, 5, 8, 19})
      for (const auto& policy : policies) {
        expect_product<T, Offset, Kokkos::LayoutRight>(csr, k, policy);
        expect_product<T, Offset, Kokkos::LayoutLeft>(csr, k, policy);
      }
  };
  expect_by(DiaPortable::HostPolicy::tuning_range());
  expect_by(DiaPortable::DevicePolicy::tuning_range());
}

TEST(Dia, AbsentSlotsReachNoProduct) {
  expect_products(mixed<double, int>(101, 140));
  expect_products(mixed<double, std::int64_t>(70, 33));
  expect_products(mixed<Kokkos::complex<double>, int>(50, 40));
}

TEST(Dia, NaNOfXReachesTheRowsThatHaveItsColumn) {
  const auto csr = sample();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> x("x", 3, 1);
  const Kokkos::View<double**, Kokkos::LayoutRight, Host> y("y", 3, 1);
  x(0, 0) = 2;
  x(1, 0) = nan;
  x(2, 0) = 3;
  spmm(Host(), 1.0, Dia::from_csr(Host(), csr), x, 0.0, y);
  Kokkos::fence();
  EXPECT_TRUE(std::isnan(y(0, 0)));
  EXPECT_TRUE(std::isnan(y(1, 0)));
  EXPECT_EQ(y(2, 0), 4 * 2 + (5 + 6) * 3);
}

/// As a device has it, diagonal by diagonal.
TEST(Dia, ADiagonalMayBeContiguous) {
  const auto csr = mixed<double, int>(101, 140);
  const auto dia = Dia::from_csr(Host(), csr);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Host> values("values", 101, dia.diagonals());
  const Kokkos::View<std::uint32_t**, Kokkos::LayoutLeft, Host> masks("masks", 101,
                                                                      dia.masks.extent(1));
  Kokkos::deep_copy(values, dia.values);
  Kokkos::deep_copy(masks, dia.masks);
  const detail::DiaAccess<double, int, true> rows{
      dia.offsets.data(), masks.data(),
      values.data(),      101,
      dia.diagonals(),    static_cast<std::int64_t>(masks.extent(1))};
  for (int i = 0; i < 101; ++i) {
    auto n = csr.row_map(i);
    ASSERT_EQ(rows.length(i), csr.row_map(i + 1) - n);
    rows.for_each_entry(i, [&](double value, int column) {
      EXPECT_EQ(column, csr.entries(n));
      EXPECT_EQ(value, csr.values(n++));
    });
    ASSERT_EQ(n, csr.row_map(i + 1));
  }
}

}  // namespace
}  // namespace fatvec
