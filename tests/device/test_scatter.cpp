// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/kernels/csr.hpp>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;
using HostCsr = fatvec::CsrMatrix<double, std::int32_t, Host>;
using Csr = fatvec::CsrMatrix<double, std::int32_t, Exec>;
using Columns = std::vector<std::vector<std::int32_t>>;

HostCsr with_columns(int cols, const Columns& columns) {
  const auto rows = static_cast<int>(columns.size());
  const HostCsr::Offsets row_map("row_map", columns.size() + 1);
  for (int i = 0; i < rows; ++i) row_map(i + 1) = row_map(i) + static_cast<int>(columns[i].size());
  const HostCsr::Ordinals entries("entries", row_map(rows));
  const HostCsr::Scalars values("values", row_map(rows));
  for (int i = 0; i < rows; ++i)
    std::copy(columns[i].begin(), columns[i].end(), entries.data() + row_map(i));
  for (int n = 0; n < row_map(rows); ++n) values(n) = n % 7 - 2.5;
  return HostCsr(rows, cols, row_map, entries, values);
}

/// Of side³ points, with their neighbours.
Columns stencil(int side) {
  Columns columns;
  const auto inside = [&](int at) { return at >= 0 && at < side; };
  for (int i = 0; i < side * side * side; ++i) {
    columns.emplace_back();
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
          if (inside(i % side + x) && inside(i / side % side + y) && inside(i / side / side + z))
            columns.back().push_back(i + x + side * (y + side * z));
  }
  return columns;
}

Columns band(int rows, int beside) {
  Columns columns(rows);
  for (int i = 0; i < rows; ++i)
    for (int j = std::max(0, i - beside); j <= std::min(rows - 1, i + beside); ++j)
      columns[i].push_back(j);
  return columns;
}

Columns random_columns(int rows, int cols, int length) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same every time
  Columns columns(rows);
  for (auto& row : columns) {
    for (int n = 0; n < length; ++n) row.push_back(static_cast<std::int32_t>(random() % cols));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return columns;
}

bool scattered(int cols, const Columns& columns) {
  return fatvec::detail::has_scattered_columns(Exec(),
                                               fatvec::mirror<Exec>(with_columns(cols, columns)));
}

TEST(Scatter, IsNotWhereNeighboursShareColumns) {
  EXPECT_FALSE(scattered(20 * 20 * 20, stencil(20)));
  EXPECT_FALSE(scattered(5000, band(5000, 9)));
  EXPECT_FALSE(scattered(5000, band(5000, 0)));  // each row's column beside the next one's
  EXPECT_FALSE(scattered(5000, band(5000, 200)));
}

TEST(Scatter, IsWhereColumnsAreAnywhere) {
  EXPECT_TRUE(scattered(100000, random_columns(5000, 100000, 19)));
  EXPECT_TRUE(scattered(100000, random_columns(5000, 100000, 1)));
  EXPECT_TRUE(scattered(100000, random_columns(5000, 100000, 300)));
  EXPECT_TRUE(scattered(100000, random_columns(2, 100000, 19)));
}

TEST(Scatter, IsNotWhereFewColumnsAreAnywhere) {
  EXPECT_FALSE(scattered(100, random_columns(5000, 100, 19)));
}

TEST(Scatter, IsOfThreeQuartersOfTheEntries) {
  Columns columns(1000);
  for (int i = 0; i < 1000; ++i)
    columns[i] = {
        0, 1, 2, 1000 + 100 * i, 500000 + 100 * i, 1000000 + 100 * i, 100000000 + 100 * i};
  EXPECT_FALSE(scattered(200000000, columns));
  for (auto& row : columns) row.erase(row.begin(), row.begin() + 2);
  EXPECT_TRUE(scattered(200000000, columns));
}

TEST(Scatter, TakesAnyOrderWithinRows) {
  const auto shuffled = [](Columns columns) {
    std::mt19937 random(8);  // NOLINT(cert-msc51-cpp): the same every time
    for (auto& row : columns) std::shuffle(row.begin(), row.end(), random);
    return columns;
  };
  EXPECT_FALSE(scattered(20 * 20 * 20, shuffled(stencil(20))));
  EXPECT_TRUE(scattered(100000, shuffled(random_columns(5000, 100000, 19))));
}

TEST(Scatter, TakesRowsOfAnyLength) {
  EXPECT_FALSE(scattered(0, {}));
  EXPECT_FALSE(scattered(1, band(1, 0)));
  EXPECT_FALSE(scattered(9, Columns(1)));
  EXPECT_FALSE(scattered(9, {{}, {}, {}}));
  EXPECT_FALSE(scattered(9, {{}, {3}}));
  EXPECT_TRUE(scattered(9, {{3}, {}}));  // nobody else reads it
  EXPECT_FALSE(scattered(9, {{8}, {0}}));
  EXPECT_TRUE(scattered(10, {{9}, {0}}));
}

TEST(Scatter, IsFoundWithLongRowsOnGpus) {
  const HostCsr host = with_columns(30000, random_columns(400, 30000, 19));
  const auto raw = fatvec::mirror<Exec>(host);
  EXPECT_FALSE(raw.scattered);
  const Csr csr = Csr::from_csr(Exec(), raw);
  EXPECT_EQ(csr.scattered, !fatvec::detail::is_host<Exec>);
  EXPECT_EQ(Csr::from_csr(Exec(), fatvec::mirror<Exec>(with_columns(400, band(400, 9)))).scattered,
            false);

  using Spelt = Kokkos::Device<Exec, Exec::memory_space>;
  Csr set = csr;
  set.scattered = true;
  EXPECT_TRUE((fatvec::CsrMatrix<double, std::int32_t, Spelt>(set).scattered));
}

TEST(Scatter, ChangesNoProduct) {
  const HostCsr host = with_columns(30000, random_columns(400, 30000, 19));
  Csr csr = fatvec::mirror<Exec>(host);
  for (const bool scattered : {false, true}) {
    csr.scattered = scattered;
    for (const int k : {1, 2, 3, 7, 8}) {
      const Kokkos::View<double**, Kokkos::LayoutRight, Exec> x("x", 30000, k);
      const Kokkos::View<double**, Kokkos::LayoutRight, Exec> y("y", 400, k);
      const auto x_host = Kokkos::create_mirror_view(x);
      const auto y_host = Kokkos::create_mirror_view(y);
      for (int j = 0; j < 30000; ++j)
        for (int c = 0; c < k; ++c) x_host(j, c) = (j * 7 + c * 13) % 11 - 4.5;
      Kokkos::deep_copy(x, x_host);
      const auto reference = fatvec::verify::reference_product(1.5, host, x_host, 0.0, y_host);
      fatvec::spmm(Exec(), 1.5, csr, x, 0.0, y);
      Kokkos::deep_copy(y_host, y);
      EXPECT_TRUE(fatvec::verify::compare(reference, y_host).passed)
          << "k = " << k << ", scattered " << scattered;
    }
  }
}

}  // namespace
