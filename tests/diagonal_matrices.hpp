// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <type_traits>
#include <vector>

#include <fatvec/formats/csr.hpp>

#include "multiply_with.hpp"

/// Matrices with diagonals, and what the formats that store them by diagonals must do with them.
namespace fatvec::test {

using Host = Kokkos::DefaultHostExecutionSpace;
template <class T>
using Entry = std::tuple<int, int, T>;

template <class T>
T random_value(std::mt19937& random) {
  std::uniform_real_distribution<double> values(-1, 1);
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(values(random));
  else
    return T(values(random), values(random));
}

/// In the order of the list within a row.
template <class T, class Offset>
CsrMatrix<T, int, Host, Offset> matrix_of(int rows, int cols, std::vector<Entry<T>> list) {
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
  using Csr = CsrMatrix<T, int, Host, Offset>;
  const typename Csr::Offsets row_map("row_map", rows + 1);
  const typename Csr::Ordinals entries("entries", list.size());
  const typename Csr::Scalars values("values", list.size());
  for (std::size_t n = 0; n < list.size(); ++n) {
    ++row_map(std::get<0>(list[n]) + 1);
    entries(n) = std::get<1>(list[n]);
    values(n) = std::get<2>(list[n]);
  }
  for (int i = 0; i < rows; ++i) row_map(i + 1) += row_map(i);
  return Csr(rows, cols, row_map, entries, values);
}

/// Bands, of which the second has holes, entries here and there, rows without any, one column
/// twice. Offsets reach beyond the matrix on either side.
template <class T, class Offset>
CsrMatrix<T, int, Host, Offset> mixed(int rows, int cols) {
  std::mt19937 random(7);
  std::vector<Entry<T>> list;
  for (int i = 0; i < rows; ++i) {
    if (i % 13 == 5) continue;
    std::vector<int> columns;
    for (const int offset : {-20, 0, 1, 17})
      if (offset != 1 || i % 5 != 0) columns.push_back(i + offset);
    columns.push_back(static_cast<int>(random() % static_cast<unsigned>(cols)));
    if (i % 4 == 0) columns.push_back(i);
    std::sort(columns.begin(), columns.end());
    for (const int j : columns)
      if (j >= 0 && j < cols) list.push_back({i, j, random_value<T>(random)});
  }
  return matrix_of<T, Offset>(rows, cols, list);
}

/// Bands in `share` hundredths of their rows, and as many entries again anywhere. Entries of a
/// place have one value where rows are shuffled, since their order is then open.
template <class Offset>
CsrMatrix<double, int, Host, Offset> random_matrix(std::mt19937& random, bool shuffled) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const int rows = 1 + below(100);
  const int cols = 1 + below(100);
  const int share = below(3) == 0 ? 100 : below(100);
  const int elsewhere = below(2) * below(5);
  std::vector<int> offsets(1 + below(6));
  for (int& offset : offsets) offset = below(40) - 20;
  if (below(2) == 0) offsets.push_back(offsets.front());
  std::vector<Entry<double>> list;
  for (int i = 0; i < rows; ++i) {
    std::vector<int> columns;
    for (const int offset : offsets)
      if (below(100) < share) columns.push_back(i + offset);
    for (int n = 0; n < elsewhere; ++n) columns.push_back(below(cols));
    if (share < 100 && below(10) == 0) columns.clear();
    if (shuffled)
      std::shuffle(columns.begin(), columns.end(), random);
    else
      std::sort(columns.begin(), columns.end());
    for (const int j : columns)
      if (j >= 0 && j < cols)
        list.push_back({i, j, shuffled ? 1 + 100 * i + j : random_value<double>(random)});
  }
  return matrix_of<double, Offset>(rows, cols, list);
}

/// That a format gives back a matrix whose rows are sorted, and knows its size before.
template <class Format, class Csr>
void expect_round_trip(const Csr& csr, const FormatOptions& options = {}) {
  const auto stored = Format::from_csr(Host(), csr, options);
  const auto footprint = Format::footprint(Host(), csr, options);
  EXPECT_EQ(static_cast<double>(stored.bytes()), footprint.bytes);
  EXPECT_EQ(static_cast<double>(stored.stored_entries()), footprint.stored_entries);
  const auto back = stored.to_csr(Host());
  ASSERT_EQ(back.nnz(), csr.nnz());
  for (int i = 0; i <= csr.rows(); ++i) ASSERT_EQ(back.row_map(i), csr.row_map(i));
  for (std::int64_t n = 0; n < csr.nnz(); ++n) {
    ASSERT_EQ(back.entries(n), csr.entries(n));
    ASSERT_TRUE(back.values(n) == csr.values(n));
  }
}

/// Of `stored`, the matrix in a format, by a policy, X and Y in this layout. Columns of X that no
/// entry reads are NaN.
template <class T, class Layout, class Kernel, class Csr, class Format, class Policy>
void expect_product_of(const Csr& csr, const Format& stored, int k, const Policy& policy) {
  const T nan = T(std::numeric_limits<double>::quiet_NaN());
  std::mt19937 random(11);
  Kokkos::View<T**, Layout, Host> x("x", csr.cols(), k);
  Kokkos::View<T**, Layout, Host> y("y", csr.rows(), k);
  std::vector<bool> used(static_cast<std::size_t>(csr.cols()), false);
  for (std::int64_t n = 0; n < csr.nnz(); ++n)
    used[static_cast<std::size_t>(csr.entries(n))] = true;
  for (int j = 0; j < csr.cols(); ++j)
    for (int c = 0; c < k; ++c)
      x(j, c) = used[static_cast<std::size_t>(j)] ? random_value<T>(random) : nan;
  Kokkos::deep_copy(y, nan);
  multiply_with<Kernel>(Host(), policy, T(2), stored, x, T(0), y);
  for (int i = 0; i < csr.rows(); ++i)
    for (int c = 0; c < k; ++c) {
      T sum{};
      double most = 0;
      for (auto n = csr.row_map(i); n < csr.row_map(i + 1); ++n) {
        const T product = T(2) * T(csr.values(n)) * x(csr.entries(n), c);
        sum += product;
        most += Kokkos::abs(product);
      }
      const double rounding = std::is_same_v<T, float> ? 1e-5 : 1e-14;
      ASSERT_LE(Kokkos::abs(y(i, c) - sum), rounding * most) << i << ", " << c << " of " << k;
    }
}

}  // namespace fatvec::test
