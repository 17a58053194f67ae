// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fatvec/generate/generate.hpp>
#include <fatvec/generate/random.hpp>
#include <fatvec/generate/stencils.hpp>

namespace {

using fatvec::generate::HostCsr;
using fatvec::generate::parse_spec;

HostCsr make(const std::string& text) {
  return fatvec::generate::generate(parse_spec(text));
}

std::int64_t row_length(const HostCsr& a, std::int64_t row) {
  return a.row_map(row + 1) - a.row_map(row);
}

/// Offsets consistent, columns in range, ascending and distinct, values finite.
void expect_well_formed(const HostCsr& a) {
  ASSERT_EQ(a.row_map.extent(0), static_cast<std::size_t>(a.rows()) + 1);
  ASSERT_EQ(a.row_map(0), 0);
  ASSERT_EQ(a.row_map(a.rows()), a.nnz());
  for (std::int32_t row = 0; row < a.rows(); ++row) {
    ASSERT_LE(a.row_map(row), a.row_map(row + 1));
    for (std::int64_t n = a.row_map(row); n < a.row_map(row + 1); ++n) {
      ASSERT_GE(a.entries(n), 0);
      ASSERT_LT(a.entries(n), a.cols());
      ASSERT_TRUE(n == a.row_map(row) || a.entries(n - 1) < a.entries(n)) << "row " << row;
      ASSERT_TRUE(std::isfinite(a.values(n)));
    }
  }
}

using Dense = std::vector<std::map<std::int32_t, double>>;

Dense entries_of(const HostCsr& a) {
  Dense rows(static_cast<std::size_t>(a.rows()));
  for (std::int32_t row = 0; row < a.rows(); ++row) {
    for (std::int64_t n = a.row_map(row); n < a.row_map(row + 1); ++n)
      rows[static_cast<std::size_t>(row)][a.entries(n)] = a.values(n);
  }
  return rows;
}

/// Order-sensitive hash of every bit of the matrix (FNV-1a over 64-bit words).
std::uint64_t checksum(const HostCsr& a) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3U; };
  for (std::size_t n = 0; n < a.row_map.extent(0); ++n)
    add(static_cast<std::uint64_t>(a.row_map(n)));
  for (std::size_t n = 0; n < a.entries.extent(0); ++n)
    add(static_cast<std::uint64_t>(a.entries(n)));
  for (std::size_t n = 0; n < a.values.extent(0); ++n)
    add(std::bit_cast<std::uint64_t>(a.values(n)));
  return hash;
}

/// The stencil's pattern from the definition: all pairs of points are looked at.
struct Grid {
  std::array<int, 3> extents;
  int dof;
  bool star;

  [[nodiscard]] int rows() const { return extents[0] * extents[1] * extents[2] * dof; }
  [[nodiscard]] std::array<int, 3> point(int row) const {
    const int p = row / dof;
    return {p % extents[0], p / extents[0] % extents[1], p / extents[0] / extents[1]};
  }
  [[nodiscard]] bool coupled(int row, int column) const {
    const auto a = point(row);
    const auto b = point(column);
    int sum = 0;
    int largest = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      sum += std::abs(a[d] - b[d]);
      largest = std::max(largest, std::abs(a[d] - b[d]));
    }
    return star ? sum <= 1 : largest <= 1;
  }
};

struct StencilCase {
  std::string text;
  Grid grid;
  double diagonal;
};

void PrintTo(const StencilCase& c, std::ostream* out) {
  *out << c.text;
}

class Stencils : public testing::TestWithParam<StencilCase> {};

TEST_P(Stencils, AgreeWithTheDefinition) {
  const auto& [text, grid, diagonal] = GetParam();
  const HostCsr a = make(text);
  ASSERT_EQ(a.rows(), grid.rows());
  ASSERT_EQ(a.cols(), grid.rows());
  expect_well_formed(a);
  const Dense rows = entries_of(a);
  for (int i = 0; i < grid.rows(); ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    double off_diagonal = 0;
    for (int j = 0; j < grid.rows(); ++j) {
      ASSERT_EQ(row.contains(j), grid.coupled(i, j)) << i << ", " << j;
      if (!row.contains(j)) continue;
      const double value = row.at(j);
      ASSERT_EQ(value, rows[static_cast<std::size_t>(j)].at(i)) << i << ", " << j;
      if (i == j) {
        ASSERT_EQ(value, diagonal);
      } else if (grid.dof == 1) {
        ASSERT_EQ(value, -1);
      } else {
        ASSERT_GT(value, -1);
        ASSERT_LE(value, -0.5);
      }
      if (i != j) off_diagonal += std::abs(value);
    }
    ASSERT_LE(off_diagonal, diagonal);
    ASSERT_TRUE(grid.dof == 1 || off_diagonal < diagonal);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Generate, Stencils,
    testing::Values(StencilCase{"gen:stencil5:7", {{7, 7, 1}, 1, true}, 4},
                    StencilCase{"gen:stencil5:5x3", {{5, 3, 1}, 1, true}, 4},
                    StencilCase{"gen:stencil5:4x6:dof=2", {{4, 6, 1}, 2, true}, 9},
                    StencilCase{"gen:stencil9:6", {{6, 6, 1}, 1, false}, 8},
                    StencilCase{"gen:stencil9:1x5:dof=3", {{1, 5, 1}, 3, false}, 26},
                    StencilCase{"gen:stencil7:4", {{4, 4, 4}, 1, true}, 6},
                    StencilCase{"gen:stencil7:2x3x5", {{2, 3, 5}, 1, true}, 6},
                    StencilCase{"gen:stencil7:3x1x2:dof=4", {{3, 1, 2}, 4, true}, 27},
                    StencilCase{"gen:stencil27:4", {{4, 4, 4}, 1, false}, 26},
                    StencilCase{"gen:stencil27:5x2x3", {{5, 2, 3}, 1, false}, 26},
                    StencilCase{"gen:stencil27:3x4x2:dof=3:seed=9", {{3, 4, 2}, 3, false}, 80},
                    StencilCase{"gen:stencil27:1", {{1, 1, 1}, 1, false}, 26}));

/// Entries without building the matrix.
std::int64_t stencil_nnz(const std::string& text, int dimensions,
                         fatvec::generate::Neighbourhood neighbourhood) {
  const fatvec::generate::Stencil stencil(parse_spec(text), dimensions, neighbourhood);
  std::int64_t nnz = 0;
  for (std::int64_t row = 0; row < stencil.rows(); ++row) nnz += stencil.row_length(row);
  return nnz;
}

TEST(Generate, ReferenceMatricesHaveTheirPublishedCounts) {
  using enum fatvec::generate::Neighbourhood;
  EXPECT_EQ(stencil_nnz("stencil27:100", 3, box), 26463592);
  EXPECT_EQ(stencil_nnz("stencil27:55:dof=3", 3, box), 38976723);
  EXPECT_EQ(stencil_nnz("stencil7:128", 3, star), 14581760);
  for (const std::int64_t n : {1, 2, 3, 9}) {
    const std::string size = std::to_string(n);
    const std::int64_t box_line = 3 * n - 2;
    EXPECT_EQ(make("stencil5:" + size).nnz(), n * n + 4 * n * (n - 1));
    EXPECT_EQ(make("stencil9:" + size).nnz(), box_line * box_line);
    EXPECT_EQ(make("stencil7:" + size).nnz(), n * n * n + 6 * n * n * (n - 1));
    EXPECT_EQ(make("stencil27:" + size + ":dof=2").nnz(), 4 * box_line * box_line * box_line);
  }
}

TEST(Generate, BandedMatricesHaveTheirBand) {
  for (const int half : {0, 1, 4, 8, 9, 100}) {
    SCOPED_TRACE(half);
    const HostCsr a = make("gen:banded:9:" + std::to_string(half));
    expect_well_formed(a);
    const Dense rows = entries_of(a);
    for (std::int32_t i = 0; i < 9; ++i) {
      double off_diagonal = 0;
      for (std::int32_t j = 0; j < 9; ++j) {
        ASSERT_EQ(rows[static_cast<std::size_t>(i)].contains(j), std::abs(i - j) <= half);
        if (std::abs(i - j) > half) continue;
        ASSERT_EQ(rows[static_cast<std::size_t>(i)].at(j), rows[static_cast<std::size_t>(j)].at(i));
        if (i != j) off_diagonal += std::abs(rows[static_cast<std::size_t>(i)].at(j));
      }
      ASSERT_LT(off_diagonal, rows[static_cast<std::size_t>(i)].at(i));
    }
  }
}

TEST(Generate, ArrowsHaveTheirShape) {
  const HostCsr a = make("gen:arrow:6");
  expect_well_formed(a);
  const Dense rows = entries_of(a);
  for (std::int32_t i = 0; i < 6; ++i) {
    for (std::int32_t j = 0; j < 6; ++j) {
      const auto& row = rows[static_cast<std::size_t>(i)];
      ASSERT_EQ(row.contains(j), i == 0 || j == 0 || i == j);
      if (!row.contains(j)) continue;
      ASSERT_EQ(row.at(j), i != j ? -1 : (i == 0 ? 6 : 2));
    }
  }
  const HostCsr large = make("gen:arrow:120000");
  EXPECT_EQ(row_length(large, 0), 120000);
  EXPECT_EQ(large.nnz(), 3 * 120000 - 2);
}

TEST(Generate, DiagonalAndEmptyMatricesHaveTheirShapes) {
  const HostCsr diagonal = make("gen:diagonal:100");
  expect_well_formed(diagonal);
  for (std::int32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(row_length(diagonal, i), 1);
    EXPECT_EQ(diagonal.entries(i), i);
    EXPECT_TRUE(diagonal.values(i) >= 1 && diagonal.values(i) < 2);
  }
  const HostCsr empty = make("gen:empty:3x5");
  expect_well_formed(empty);
  EXPECT_EQ(empty.rows(), 3);
  EXPECT_EQ(empty.cols(), 5);
  EXPECT_EQ(empty.nnz(), 0);
}

TEST(Generate, UniformRowsAreFilledAndSpreadOverAllColumns) {
  const HostCsr a = make("gen:uniform:20000x50:5");
  expect_well_formed(a);
  EXPECT_EQ(a.rows(), 20000);
  EXPECT_EQ(a.cols(), 50);
  EXPECT_EQ(a.nnz(), 100000);
  std::vector<double> uses(50);
  for (std::int64_t n = 0; n < a.nnz(); ++n) ++uses[static_cast<std::size_t>(a.entries(n))];
  for (const double use : uses)
    EXPECT_NEAR(use, 2000, 5 * std::sqrt(1800.0));  // binomial: 5 standard deviations
  const auto [least, most] = std::minmax_element(a.values.data(), a.values.data() + a.nnz());
  EXPECT_TRUE(*least >= -1 && *least < -0.999 && *most < 1 && *most > 0.999);
}

TEST(Generate, UniformReachesFromNoEntryToAll) {
  EXPECT_EQ(make("gen:uniform:4x7:0").nnz(), 0);
  for (const int per_row : {1, 6, 7}) {
    const HostCsr a = make("gen:uniform:4x7:" + std::to_string(per_row));
    expect_well_formed(a);
    EXPECT_EQ(a.nnz(), 4 * per_row);
  }
}

/// Both algorithms draw every subset equally often: 3 of 6 columns, and 22 of 24.
TEST(Generate, SampledSubsetsAreUniform) {
  const auto count_subsets = [](std::int64_t cols, std::int64_t count, int draws) {
    std::map<std::vector<std::int32_t>, int> seen;
    std::vector<std::int32_t> subset(static_cast<std::size_t>(count));
    for (int draw = 0; draw < draws; ++draw) {
      fatvec::generate::sample_columns({1, fatvec::generate::Purpose::columns, draw}, cols, count,
                                       subset.data());
      ++seen[subset];
    }
    return seen;
  };
  const auto floyd = count_subsets(6, 3, 20000);
  EXPECT_EQ(floyd.size(), 20U);
  for (const auto& [subset, seen] : floyd) EXPECT_NEAR(seen, 1000, 5 * std::sqrt(950.0));
  const auto selection = count_subsets(24, 22, 27600);  // 22² ≥ 20·24
  EXPECT_EQ(selection.size(), 276U);
  for (const auto& [subset, seen] : selection) EXPECT_NEAR(seen, 100, 5 * std::sqrt(100.0));
}

TEST(Generate, PowerLawHasItsMeanAndItsTail) {
  const HostCsr a = make("gen:powerlaw:1000000x1000000:3.1");
  std::vector<std::int64_t> lengths(1000000);
  for (std::int64_t row = 0; row < 1000000; ++row)
    lengths[static_cast<std::size_t>(row)] = row_length(a, row);
  std::sort(lengths.begin(), lengths.end());
  EXPECT_NEAR(static_cast<double>(a.nnz()) / 1e6, 3.1, 0.06);  // three standard errors
  EXPECT_LE(lengths.back(), 4700);
  EXPECT_GE(lengths.back(), 3000);
  EXPECT_LE(lengths[500000], 2);
  // P(length > x) ~ x^-1.4: a tenfold length is 10^1.4 = 25 times as rare.
  const auto longer = [&](std::int64_t x) {
    return static_cast<double>(lengths.end() - std::upper_bound(lengths.begin(), lengths.end(), x));
  };
  EXPECT_NEAR(longer(10) / longer(100), std::pow(10.0, 1.4), 3);
}

TEST(Generate, PowerLawTakesExponentAndMax) {
  for (const std::string options :
       {":exponent=2", ":exponent=1.2", ":exponent=3.5:max=900", ":max=40"}) {
    SCOPED_TRACE(options);
    const HostCsr a = make("gen:powerlaw:20000x1000:12.5" + options);
    expect_well_formed(a);
    EXPECT_NEAR(static_cast<double>(a.nnz()) / 20000, 12.5, 0.7);
    if (!options.ends_with("max=40")) continue;
    for (std::int64_t row = 0; row < a.rows(); ++row) ASSERT_LE(row_length(a, row), 40);
  }
  const HostCsr full = make("gen:powerlaw:50:50");
  expect_well_formed(full);
  EXPECT_NEAR(static_cast<double>(full.nnz()), 2500, 50);
}

TEST(Generate, TheSameTextGivesTheSameMatrix) {
  // The constants were recorded with one thread; random numbers are counted per row, so any number
  // of threads must give them.
  const std::map<std::string, std::uint64_t> recorded = {
      {"gen:stencil27:12:dof=3", 1246385009741021811U},
      {"gen:banded:500:7:seed=3", 9883111064654918831U},
      {"gen:uniform:3000x1000:17", 11912107922637490070U},
      {"gen:powerlaw:5000:6:seed=42", 9631186502089783142U},
      {"gen:diagonal:1000", 2991298669701450892U},
  };
  for (const auto& [text, hash] : recorded) {
    EXPECT_EQ(checksum(make(text)), hash) << text;
    EXPECT_EQ(checksum(make(text)), checksum(make(text))) << text;
  }
}

TEST(Generate, SeedsDiffer) {
  for (const std::string text :
       {"uniform:100:5", "powerlaw:100:5", "diagonal:100", "banded:100:3", "stencil5:9:dof=2"}) {
    EXPECT_NE(checksum(make(text)), checksum(make(text + ":seed=2"))) << text;
    EXPECT_EQ(checksum(make(text)), checksum(make(text + ":seed=1"))) << text;
  }
}

TEST(Generate, TellsTheShareOfTheRowsThatAreMade) {
  std::vector<double> shares;
  const int threads = Kokkos::DefaultHostExecutionSpace().concurrency();
  const std::string rows = std::to_string(std::max(1'000'000, 10'000 * threads));
  fatvec::generate::generate(parse_spec("diagonal:" + rows), {},
                             [&](double done) { shares.push_back(done); });
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GT(shares.front(), 0);
  EXPECT_LE(shares.back(), 1);
}

TEST(Generate, ZeroSizesAreMatrices) {
  for (const std::string text :
       {"stencil5:0", "stencil7:3x0x2", "stencil27:0:dof=3", "banded:0:5", "uniform:0x9:4",
        "uniform:0:0", "powerlaw:0x9:3", "arrow:0", "diagonal:0", "empty:0"}) {
    SCOPED_TRACE(text);
    const HostCsr a = make(text);
    EXPECT_EQ(a.rows(), 0);
    EXPECT_EQ(a.nnz(), 0);
    expect_well_formed(a);
  }
  EXPECT_EQ(make("empty:4x0").rows(), 4);
}

}  // namespace
