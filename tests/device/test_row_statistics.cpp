// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/statistics/row_statistics.hpp>
#include <fatvec/statistics/symmetry.hpp>

namespace {

using fatvec::Symmetry;
using HostCsr =
    fatvec::CsrMatrix<double, std::int32_t, Kokkos::DefaultHostExecutionSpace, std::int64_t>;
using DeviceCsr =
    fatvec::CsrMatrix<double, std::int32_t, Kokkos::DefaultExecutionSpace, std::int64_t>;

struct Entry {
  std::int32_t column;
  double value;
};
using Rows = std::vector<std::vector<Entry>>;

/// The matrix on the device that kernels use by default.
DeviceCsr matrix(const Rows& rows, std::int32_t cols) {
  std::size_t nnz = 0;
  for (const auto& row : rows) nnz += row.size();
  const HostCsr::Offsets row_map("row_map", rows.size() + 1);
  const HostCsr::Ordinals entries("entries", nnz);
  const HostCsr::Scalars values("values", nnz);
  std::int64_t n = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Entry& entry : rows[i]) {
      entries(n) = entry.column;
      values(n++) = entry.value;
    }
    row_map(i + 1) = n;
  }
  const HostCsr host(static_cast<std::int32_t>(rows.size()), cols, row_map, entries, values);
  return fatvec::mirror<Kokkos::DefaultExecutionSpace>(host);
}

/// A square matrix from its dense rows; zeros are not stored.
DeviceCsr dense(const std::vector<std::vector<double>>& a) {
  Rows rows(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      if (a[i][j] != 0) rows[i].push_back({static_cast<std::int32_t>(j), a[i][j]});
    }
  }
  return matrix(rows, static_cast<std::int32_t>(a.at(0).size()));
}

void expect_zero_lengths(const fatvec::RowStatistics& s) {
  EXPECT_EQ(s.nnz, 0);
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(s.max, 0);
  for (const double value :
       {s.mean, s.median, s.standard_deviation, s.average_deviation, s.percent_average_deviation}) {
    EXPECT_EQ(value, 0);  // fails for NaN, too
  }
  EXPECT_EQ(s.lower_bandwidth, 0);
  EXPECT_EQ(s.upper_bandwidth, 0);
  EXPECT_EQ(s.columns_touched, 0);
  EXPECT_EQ(s.explicit_zeros, 0);
}

TEST(RowStatistics, AgreesWithASmallMatrixDoneByHand) {
  // Row lengths 3 0 1 2, columns 1 and 4 of 6 untouched, one explicit zero, rows unsorted.
  const auto s = row_statistics(
      matrix({{{5, 1.0}, {0, 2.0}, {2, 0.0}}, {}, {{0, 3.0}}, {{3, 4.0}, {0, 5.0}}}, 6));
  EXPECT_EQ(s.rows, 4);
  EXPECT_EQ(s.cols, 6);
  EXPECT_EQ(s.nnz, 6);
  EXPECT_EQ(s.min, 0);
  EXPECT_EQ(s.max, 3);
  EXPECT_EQ(s.mean, 1.5);
  EXPECT_EQ(s.median, 1.5);
  EXPECT_DOUBLE_EQ(s.standard_deviation, std::sqrt(1.25));
  EXPECT_EQ(s.average_deviation, 1.0);
  EXPECT_DOUBLE_EQ(s.percent_average_deviation, 200.0 / 3);
  EXPECT_EQ(s.empty_rows, 1);
  EXPECT_EQ(s.lower_bandwidth, 3);
  EXPECT_EQ(s.upper_bandwidth, 5);
  EXPECT_EQ(s.columns_touched, 4);
  EXPECT_EQ(s.explicit_zeros, 1);
}

TEST(RowStatistics, MatricesWithoutRowsOrEntriesGiveZeros) {
  const auto nothing = row_statistics(DeviceCsr());
  EXPECT_EQ(nothing.rows, 0);
  EXPECT_EQ(nothing.empty_rows, 0);
  expect_zero_lengths(nothing);
  expect_zero_lengths(row_statistics(matrix({}, 5)));
  const auto no_entries = row_statistics(matrix({{}, {}, {}}, 2));
  EXPECT_EQ(no_entries.empty_rows, 3);
  expect_zero_lengths(no_entries);
  expect_zero_lengths(row_statistics(matrix({{}, {}}, 0)));
}

TEST(RowStatistics, BandwidthsAreNeverNegative) {
  const auto upper_only = row_statistics(matrix({{{1, 1.0}}, {{2, 1.0}}, {{4, 1.0}}}, 5));
  EXPECT_EQ(upper_only.lower_bandwidth, 0);
  EXPECT_EQ(upper_only.upper_bandwidth, 2);
  const auto lower_only = row_statistics(matrix({{}, {}, {{0, 1.0}}}, 1));
  EXPECT_EQ(lower_only.lower_bandwidth, 2);
  EXPECT_EQ(lower_only.upper_bandwidth, 0);
}

/// Random matrices with empty rows and one row that spans many blocks, against plain serial loops.
TEST(RowStatistics, AgreesWithSerialLoops) {
  for (const std::size_t row_count : {1U, 2U, 7U, 300U, 1001U}) {
    SCOPED_TRACE(row_count);
    std::mt19937 random(static_cast<unsigned>(row_count));
    const std::int32_t cols = 700;
    Rows rows(row_count);
    for (auto& row : rows) {
      const auto length = static_cast<std::int32_t>(random() % 4 == 0 ? 0 : random() % 9);
      for (std::int32_t n = 0; n < length; ++n)
        row.push_back({static_cast<std::int32_t>(random() % 60) * 10, double(random() % 3)});
    }
    for (std::int32_t column = 0; column < 600; ++column)
      rows[row_count / 2].push_back({column, 1.0});

    std::vector<double> lengths;
    std::vector<bool> touched(cols);
    std::int64_t lower = 0, upper = 0, zeros = 0, nnz = 0;
    for (std::size_t i = 0; i < row_count; ++i) {
      lengths.push_back(static_cast<double>(rows[i].size()));
      nnz += static_cast<std::int64_t>(rows[i].size());
      for (const Entry& entry : rows[i]) {
        touched[static_cast<std::size_t>(entry.column)] = true;
        lower = std::max(lower, static_cast<std::int64_t>(i) - entry.column);
        upper = std::max(upper, entry.column - static_cast<std::int64_t>(i));
        zeros += entry.value == 0;
      }
    }
    std::sort(lengths.begin(), lengths.end());
    const double mean = static_cast<double>(nnz) / static_cast<double>(row_count);
    double absolute = 0, squared = 0;
    for (const double length : lengths) {
      absolute += std::abs(length - mean) / static_cast<double>(row_count);
      squared += (length - mean) * (length - mean) / static_cast<double>(row_count);
    }

    const auto s = row_statistics(matrix(rows, cols));
    EXPECT_EQ(s.nnz, nnz);
    EXPECT_EQ(s.min, lengths.front());
    EXPECT_EQ(s.max, lengths.back());
    EXPECT_EQ(s.empty_rows, std::count(lengths.begin(), lengths.end(), 0.0));
    EXPECT_EQ(s.median, (lengths[(row_count - 1) / 2] + lengths[row_count / 2]) / 2);
    EXPECT_DOUBLE_EQ(s.mean, mean);
    EXPECT_NEAR(s.average_deviation, absolute, 1e-12 * mean);
    EXPECT_NEAR(s.percent_average_deviation, 100 * absolute / mean, 1e-10);
    EXPECT_NEAR(s.standard_deviation, std::sqrt(squared), 1e-12 * mean);
    EXPECT_EQ(s.lower_bandwidth, lower);
    EXPECT_EQ(s.upper_bandwidth, upper);
    EXPECT_EQ(s.columns_touched, std::count(touched.begin(), touched.end(), true));
    EXPECT_EQ(s.explicit_zeros, zeros);
  }
}

TEST(RowStatistics, TakesAnyTypes) {
  const Kokkos::View<int*, Kokkos::HostSpace> row_map("row_map", 3);
  const Kokkos::View<std::int64_t*, Kokkos::HostSpace> entries("entries", 1);
  const Kokkos::View<float*, Kokkos::HostSpace> values("values", 1);
  row_map(1) = row_map(2) = 1;
  using Csr =
      fatvec::CsrMatrix<float, std::int64_t, Kokkos::DefaultHostExecutionSpace, std::int32_t>;
  const auto s =
      row_statistics(Kokkos::DefaultHostExecutionSpace(), Csr(2, 2, row_map, entries, values));
  EXPECT_EQ(s.median, 0.5);
  EXPECT_EQ(s.explicit_zeros, 1);
}

TEST(SymmetryOf, TellsTheKindsApart) {
  EXPECT_EQ(symmetry(dense({{1, 2, 0}, {2, 0, 3}})), Symmetry::not_square);
  EXPECT_EQ(symmetry(dense({{1, 2, 0}, {2, 0, 3}, {0, 3, 5}})), Symmetry::numerical);
  EXPECT_EQ(symmetry(dense({{1, 2, 0}, {2, 0, 3}, {0, 4, 5}})), Symmetry::structural);
  EXPECT_EQ(symmetry(dense({{1, 2, 0}, {2, 0, 3}, {0, 0, 5}})), Symmetry::none);
  EXPECT_EQ(symmetry(dense({{1, 0, 0}, {2, 0, 0}, {0, 0, 5}})), Symmetry::none);
  EXPECT_EQ(symmetry(dense({{0, 2, 0}, {-2, 0, 3}, {0, -3, 0}})), Symmetry::skew);
  EXPECT_EQ(symmetry(dense({{1, 2, 0}, {-2, 0, 3}, {0, -3, 0}})),
            Symmetry::structural);  // the diagonal of a skew matrix is 0
  EXPECT_EQ(symmetry(dense({{1, 0}, {0, 1}})), Symmetry::numerical);
}

TEST(SymmetryOf, TakesEmptyMatrices) {
  EXPECT_EQ(symmetry(DeviceCsr()), Symmetry::numerical);
  EXPECT_EQ(symmetry(matrix({{}, {}}, 2)), Symmetry::numerical);
  EXPECT_EQ(symmetry(matrix({{}, {}}, 3)), Symmetry::not_square);
}

TEST(SymmetryOf, FindsOneWrongEntryAmongMany) {
  std::vector<std::vector<double>> a(90, std::vector<double>(90));
  for (std::size_t i = 0; i < 90; ++i) {
    for (std::size_t j = 0; j < 90; ++j)
      a[i][j] = i == 0 || j == 0 || i + j == 100 ? 1 + double(i * j) : 0;
  }
  EXPECT_EQ(symmetry(dense(a)), Symmetry::numerical);
  a[0][89] = 7;
  EXPECT_EQ(symmetry(dense(a)), Symmetry::structural);
  a[0][89] = 0;
  EXPECT_EQ(symmetry(dense(a)), Symmetry::none);
}

TEST(SymmetryOf, RefusesRowsItCannotSearch) {
  EXPECT_THROW(symmetry(matrix({{{1, 1.0}, {0, 1.0}}, {{0, 1.0}}}, 2)), fatvec::ShapeError);
  EXPECT_THROW(symmetry(matrix({{{0, 1.0}, {0, 1.0}}, {}}, 2)), fatvec::ShapeError);
}

}  // namespace
