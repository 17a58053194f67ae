// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "test_data.hpp"

#include <fatvec/core/error.hpp>
#include <fatvec/formats/assemble.hpp>
#include <fatvec/generate/generate.hpp>
#include <fatvec/generate/symmetric_twin.hpp>
#include <fatvec/generate/twin_matrix.hpp>
#include <fatvec/generate/twins.hpp>
#include <fatvec/io/matrix_market.hpp>
#include <fatvec/statistics/row_statistics.hpp>

namespace {

using fatvec::generate::HostCsr;
using fatvec::generate::LengthLaw;
using fatvec::generate::Twin;

HostCsr make(const std::string& text) {
  return fatvec::generate::generate(fatvec::generate::parse_spec(text));
}

using fatvec::generate::Symmetry;

/// The lengths of all rows, without building them.
std::vector<std::int64_t> row_lengths(const Twin& twin) {
  std::vector<std::int64_t> lengths;
  const auto measure = [&](const auto& matrix) {
    for (std::int64_t row = 0; row < matrix.rows(); ++row)
      lengths.push_back(matrix.row_length(row));
  };
  if (twin.symmetry == Symmetry::symmetric)
    measure(fatvec::generate::SymmetricTwin(twin, 1));
  else
    measure(fatvec::generate::TwinMatrix(twin, 1));
  return lengths;
}

fatvec::RowStatistics length_statistics(const Twin& twin) {
  fatvec::RowStatistics s;
  s.min = twin.lengths.nnz;
  double squares = 0;
  for (const std::int64_t length : row_lengths(twin)) {
    ++s.rows;
    s.nnz += length;
    s.min = std::min(s.min, length);
    s.max = std::max(s.max, length);
    squares += static_cast<double>(length) * static_cast<double>(length);
  }
  s.mean = static_cast<double>(s.nnz) / static_cast<double>(s.rows);
  s.standard_deviation = std::sqrt(squares / static_cast<double>(s.rows) - s.mean * s.mean);
  return s;
}

/// A published table of bench/suites: {matrix: {column: text}}.
std::map<std::string, std::map<std::string, std::string>> published(const std::string& name) {
  std::ifstream file(std::filesystem::path(FATVEC_TEST_DATA "/../../bench/suites/published") /
                     name);
  const auto cells = [](const std::string& line) {
    std::vector<std::string> parts;
    std::istringstream text(line);
    for (std::string part; std::getline(text, part, ',');) parts.push_back(part);
    if (parts.back().ends_with('\r')) parts.back().pop_back();
    return parts;
  };
  std::string line;
  std::getline(file, line);
  const auto columns = cells(line);
  std::map<std::string, std::map<std::string, std::string>> table;
  while (std::getline(file, line)) {
    const auto row = cells(line);
    for (std::size_t n = 0; n < row.size(); ++n) table[row.at(0)][columns.at(n)] = row[n];
  }
  return table;
}

/// a(i, j) is stored where a(j, i) is, with the same value.
bool is_symmetric(const HostCsr& a) {
  const auto value = [&](std::int32_t row, std::int32_t column) {
    const auto* const first = a.entries.data() + a.row_map(row);
    const auto* const last = a.entries.data() + a.row_map(row + 1);
    const auto* const found = std::lower_bound(first, last, column);
    return found != last && *found == column ? a.values(found - a.entries.data()) : NAN;
  };
  for (std::int32_t row = 0; row < a.rows(); ++row)
    for (std::int64_t n = a.row_map(row); n < a.row_map(row + 1); ++n)
      if (value(a.entries(n), row) != a.values(n)) return false;
  return true;
}

void expect_lengths(const LengthLaw& law, const fatvec::RowStatistics& s) {
  EXPECT_EQ(s.rows, law.rows);
  EXPECT_EQ(s.nnz, law.nnz);
  EXPECT_EQ(s.max, law.max);
}

/// Symmetric twins do not keep the shortest row, and two of them spread otherwise than estimated:
/// nearly all of their rows are full.
bool keeps_spread(const Twin& twin) {
  return twin.name != "nlpkkt80" && twin.name != "ecology2";
}

/// Columns in range, ascending and distinct, values finite.
void expect_well_formed(const HostCsr& a) {
  for (std::int32_t row = 0; row < a.rows(); ++row) {
    std::int32_t next = 0;
    bool good = true;
    for (std::int64_t n = a.row_map(row); n < a.row_map(row + 1); ++n) {
      good = good && a.entries(n) >= next && a.entries(n) < a.cols() && std::isfinite(a.values(n));
      next = a.entries(n) + 1;
    }
    ASSERT_TRUE(good) << "row " << row;
  }
}

TEST(Twins, AreListedByNameOnce) {
  std::set<std::string_view> names;
  for (const Twin& twin : fatvec::generate::twins())
    EXPECT_TRUE(names.insert(twin.name).second) << twin.name;
  EXPECT_EQ(names.size(), 53U);
}

TEST(Twins, RowLengthsAreExactInSumAndExtremesAndCloseInSpread) {
  for (const Twin& twin : fatvec::generate::twins()) {
    SCOPED_TRACE(twin.name);
    const auto s = length_statistics(twin);
    expect_lengths(twin.lengths, s);
    if (twin.symmetry == Symmetry::general) {
      EXPECT_EQ(s.min, twin.lengths.min);
    }
    if (!keeps_spread(twin)) continue;
    EXPECT_NEAR(s.standard_deviation, twin.lengths.deviation,
                0.005 * twin.lengths.deviation + 0.002);
  }
}

/// What the twins are to have; that they do is tested above.
TEST(Twins, HaveThePublishedRowsEntriesLongestRowsAndSymmetry) {
  std::size_t seen = 0;
  for (const char* const name : {"balayre_matrices.csv", "stec_matrices.csv"}) {
    for (auto& [matrix, row] : published(name)) {
      SCOPED_TRACE(matrix);
      const Twin& twin = fatvec::generate::find_twin(matrix);
      EXPECT_EQ(std::to_string(twin.lengths.rows), row["rows"]);
      EXPECT_EQ(std::to_string(twin.lengths.nnz), row["nnz"]);
      if (matrix != "adder_dcop_32") {  // published as 100; the matrix has one of 1310
        EXPECT_EQ(std::to_string(twin.lengths.max), row["max_row"]);
      }
      if (name == std::string("balayre_matrices.csv")) {
        EXPECT_EQ(twin.symmetry == Symmetry::symmetric, row.at("symmetric") == "True");
      }
      ++seen;
    }
  }
  EXPECT_EQ(seen, 55U);
}

/// Stec and Stpiczynski do not say which of their matrices are.
TEST(Twins, OfTheOtherSymmetricMatricesAreSymmetric) {
  for (const char* const name : {"bcsstk36", "cfd1", "parabolic_fem", "ecology2", "boneS01",
                                 "bmw3_2", "af_shell8", "nd24k", "inline_1", "ldoor"})
    EXPECT_EQ(fatvec::generate::find_twin(name).symmetry, Symmetry::symmetric) << name;
}

TEST(Twins, AreSymmetricInPatternAndValuesWhereTheMatrixIs) {
  for (const Twin& twin : fatvec::generate::twins()) {
    for (const char* const rows : {":1500", ":1501"}) {  // of an odd number one lacks its diagonal
      SCOPED_TRACE(std::string(twin.name) + rows);
      const auto a = make("gen:twin:" + std::string(twin.name) + rows);
      EXPECT_EQ(is_symmetric(a), twin.symmetry == Symmetry::symmetric);
    }
  }
}

TEST(Twins, HaveTheMeanAbsoluteDeviationsThatFragaStates) {
  const auto table = published("fraga_deviation.csv");
  ASSERT_EQ(table.size(), 3U);
  for (const auto& [matrix, row] : table) {
    const auto lengths = row_lengths(fatvec::generate::find_twin(matrix));
    double sum = 0;
    for (const auto length : lengths) sum += static_cast<double>(length);
    const double mean = sum / static_cast<double>(lengths.size());
    double distances = 0;
    for (const auto length : lengths) distances += std::abs(static_cast<double>(length) - mean);
    const double percent = 100 * distances / sum;
    EXPECT_NEAR(percent, std::stod(row.at("percent_average_deviation")), 0.1) << matrix;
  }
}

TEST(Twins, SmallOnesAreWellFormedAtFullSize) {
  for (const Twin& twin : fatvec::generate::twins()) {
    if (twin.lengths.nnz > 1'000'000) continue;
    SCOPED_TRACE(twin.name);
    const auto a = make("gen:twin:" + std::string(twin.name));
    expect_well_formed(a);
    expect_lengths(twin.lengths, fatvec::row_statistics(a));
  }
}

TEST(Twins, ScaledOnesAreWellFormedAndKeepTheMean) {
  for (const Twin& twin : fatvec::generate::twins()) {
    for (const std::int64_t rows : {101, 3001}) {
      SCOPED_TRACE(std::string(twin.name) + ":" + std::to_string(rows));
      const auto a = make("gen:twin:" + std::string(twin.name) + ":" + std::to_string(rows));
      expect_well_formed(a);
      const auto law = fatvec::generate::scaled(twin, rows).lengths;
      const auto s = fatvec::row_statistics(a);
      expect_lengths(law, s);
      EXPECT_EQ(s.rows, rows);
      if (rows < 3001) continue;
      EXPECT_NEAR(s.mean,
                  static_cast<double>(twin.lengths.nnz) / static_cast<double>(twin.lengths.rows),
                  0.01);
      if (twin.lengths.max <= 1310) {
        EXPECT_EQ(s.max, twin.lengths.max);
      }
    }
  }
}

/// The measured ones against the matrices themselves, where they are.
TEST(Twins, ResembleTheRealMatrices) {
  const char* const folder = std::getenv("FATVEC_MATRICES");
  if (folder == nullptr) GTEST_SKIP() << "FATVEC_MATRICES is not set";
  int seen = 0;
  for (const Twin& twin : fatvec::generate::twins()) {
    const auto path = std::filesystem::path(folder) / (std::string(twin.name) + ".mtx.gz");
    if (twin.origin != fatvec::generate::Origin::measured || !std::filesystem::exists(path))
      continue;
    SCOPED_TRACE(twin.name);
    const auto real = fatvec::row_statistics(fatvec::csr_from_coo<HostCsr::execution_space>(
        fatvec::io::read_matrix_market<double>(path)));
    const auto s = fatvec::row_statistics(make("gen:twin:" + std::string(twin.name)));
    EXPECT_EQ(s.rows, real.rows);
    EXPECT_EQ(s.cols, real.cols);
    EXPECT_EQ(s.nnz, real.nnz);
    EXPECT_EQ(s.min, real.min);
    EXPECT_EQ(s.max, real.max);
    EXPECT_DOUBLE_EQ(s.mean, real.mean);
    EXPECT_NEAR(s.standard_deviation, real.standard_deviation, 0.005 * real.standard_deviation);
    ++seen;
  }
  if (seen == 0) GTEST_SKIP() << folder << " holds none of the measured matrices";
}

TEST(Twins, UnknownsOfANodeShareTheirColumns) {
  const auto a = make("gen:twin:PR02R:3003");  // seven unknowns per node
  for (std::int32_t row = 0; row + 6 < a.rows(); row += 7) {
    const std::int64_t length =
        std::min(a.row_map(row + 1) - a.row_map(row), a.row_map(row + 7) - a.row_map(row + 6));
    for (std::int64_t n = 0; n < length; ++n) {
      ASSERT_EQ(a.entries(a.row_map(row) + n), a.entries(a.row_map(row + 6) + n)) << "row " << row;
    }
  }
}

/// Every row is a function of the Twin and the seed alone: the parallel build gives what rows alone
/// give, whoever computes them.
template <class Kind>
void expect_rows_alone(const Kind& alone, const HostCsr& a) {
  std::vector<std::int32_t> columns(2000);
  std::vector<double> values(2000);
  for (std::int64_t row = 1999; row >= 0; --row) {
    const std::int64_t begin = a.row_map(row);
    ASSERT_EQ(alone.row_length(row), a.row_map(row + 1) - begin);
    alone.fill_row(row, columns.data(), values.data());
    for (std::int64_t n = 0; n < alone.row_length(row); ++n) {
      ASSERT_EQ(columns[n], a.entries(begin + n));
      ASSERT_EQ(std::bit_cast<std::uint64_t>(values[n]),
                std::bit_cast<std::uint64_t>(a.values(begin + n)));
    }
  }
}

TEST(Twins, DoNotDependOnTheThreads) {
  for (const char* const name :
       {"dc1", "cavity10", "roadNet-PA", "bcsstk17", "atmosmodl", "webbase-1M"}) {
    SCOPED_TRACE(name);
    const Twin twin = fatvec::generate::scaled(fatvec::generate::find_twin(name), 2000);
    const auto a = make("gen:twin:" + std::string(name) + ":2000");
    if (twin.symmetry == Symmetry::symmetric)
      expect_rows_alone(fatvec::generate::SymmetricTwin(twin, 1), a);
    else
      expect_rows_alone(fatvec::generate::TwinMatrix(twin, 1), a);
  }
}

TEST(Twins, SeedsDiffer) {
  const auto a = make("gen:twin:cavity10");
  const auto b = make("gen:twin:cavity10:seed=2");
  EXPECT_FALSE(std::equal(a.entries.data(), a.entries.data() + a.nnz(), b.entries.data()));
  EXPECT_EQ(a.nnz(), b.nnz());
}

TEST(Twins, UnknownNamesAreRefusedWithSimilarOnes) {
  const auto message_of = [](const std::string& text) -> std::string {
    try {
      make(text);
    } catch (const fatvec::UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  const auto expect_contains = [&](const std::string& text, const std::string& part) {
    EXPECT_NE(message_of(text).find(part), std::string::npos)
        << part << " is not in: " << message_of(text);
  };
  expect_contains("gen:twin:cavity1",
                  "there is no twin of \"cavity1\"; similar: cavity10. Twins:\n  adder_dcop_32");
  expect_contains("gen:twin:webbase", "similar: webbase-1M.");
  expect_contains("gen:twin:nothing", "no twin of \"nothing\". Twins:");
  expect_contains("gen:twin", "the syntax is gen:twin:NAME[:ROWS]");
  expect_contains("gen:twin:cage4:99", "ROWS must be an integer from 100, not \"99\"");
  expect_contains("gen:twin:cage4:x", "ROWS must be an integer from 100, not \"x\"");
  expect_contains("gen:twin:cage4:max=3", "\"max=3\" is no option of twin");
  EXPECT_THROW(make("gen:twin:cage4:99999999999"), fatvec::CapacityError);
}

TEST(RowLengths, ReachSpreadsFromNoneToTwoHumps) {
  for (const double deviation : {0.0, 0.5, 3.0, 10.0, 20.0, 29.0}) {
    const LengthLaw law{.rows = 10000,
                        .nnz = 300000,
                        .min = 0,
                        .body_max = 60,
                        .max = 60,
                        .long_rows = 1,
                        .long_end = 60,
                        .deviation = deviation};
    const fatvec::generate::RowLengths lengths(law);
    std::int64_t sum = 0;
    double squares = 0;
    for (std::int64_t rank = 0; rank < law.rows; ++rank) {
      ASSERT_TRUE(rank == 0 || lengths.at(rank - 1) <= lengths.at(rank));
      sum += lengths.at(rank);
      squares += std::pow(static_cast<double>(lengths.at(rank)) - 30, 2);
    }
    EXPECT_EQ(sum, law.nnz);
    EXPECT_EQ(lengths.at(0), 0);
    EXPECT_EQ(lengths.at(law.rows - 1), 60);
    EXPECT_NEAR(std::sqrt(squares / 10000), std::max(deviation, 0.43),
                0.02);  // the two extremes alone make 0.42
  }
}

TEST(RowLengths, ImpossibleLawsAreRefused) {
  const LengthLaw fair{.rows = 10,
                       .nnz = 50,
                       .min = 3,
                       .body_max = 8,
                       .max = 8,
                       .long_rows = 1,
                       .long_end = 8,
                       .deviation = 1};
  EXPECT_NO_THROW(fatvec::generate::RowLengths{fair});
  for (const auto change :
       {+[](LengthLaw& law) { law.nnz = 100; }, +[](LengthLaw& law) { law.nnz = 20; },
        +[](LengthLaw& law) { law.min = 9; }, +[](LengthLaw& law) { law.long_rows = 10; }}) {
    LengthLaw law = fair;
    change(law);
    EXPECT_THROW(fatvec::generate::RowLengths{law}, fatvec::UsageError);
  }
}

}  // namespace
