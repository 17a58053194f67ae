// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <limits>

#include "support.hpp"

namespace fatvec::io::test {
namespace {

using Complex = Kokkos::complex<double>;

class Read : public IoTest {};

TEST_F(Read, GeneralRealIsRead) {
  MatrixMarketHeader header;
  const auto coo = read_matrix_market<double>(
      file("%%MatrixMarket matrix coordinate real general\n% a comment\n2 3 3\n"
           "1 1 1.5\n2 3 -2e3\n1 2 .25\n"),
      &header);
  EXPECT_EQ(coo.rows, 2);
  EXPECT_EQ(coo.cols, 3);
  EXPECT_EQ(entries_of(coo), (Entries<double>{{0, 0, 1.5}, {1, 2, -2000.0}, {0, 1, 0.25}}));
  EXPECT_TRUE(header.coordinate);
  EXPECT_EQ(header.field, Field::real);
  EXPECT_EQ(header.symmetry, Symmetry::general);
  EXPECT_EQ(header.rows, 2);
  EXPECT_EQ(header.cols, 3);
  EXPECT_EQ(header.entries, 3);
}

TEST_F(Read, TheHeaderAloneIsRead) {
  const auto header =
      read_header(file("%%MatrixMarket MATRIX Array Complex HERMITIAN\n%\n\n 4\t4 \n"));
  EXPECT_FALSE(header.coordinate);
  EXPECT_EQ(header.field, Field::complex);
  EXPECT_EQ(header.symmetry, Symmetry::hermitian);
  EXPECT_EQ(header.entries, 16);
}

TEST_F(Read, AHeaderBeyond32BitsIsRead) {
  const auto path =
      file("%%MatrixMarket matrix coordinate real general\n3000000000 5 9000000000\n1 1 1\n");
  EXPECT_EQ(read_header(path).rows, 3000000000);
  EXPECT_EQ(read_header(path).entries, 9000000000);
  const std::string error = error_of(path);
  EXPECT_TRUE(error.starts_with(path.string() + ":2: ")) << error;
  EXPECT_NE(error.find("2147483647"), std::string::npos) << error;
}

TEST_F(Read, PatternEntriesAreOnes) {
  EXPECT_EQ(read_entries<float>(
                file("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n2 1\n1 2\n")),
            (Entries<float>{{1, 0, 1.0F}, {0, 1, 1.0F}}));
}

TEST_F(Read, PatternSymmetricIsExpanded) {
  EXPECT_EQ(read_entries<double>(
                file("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n")),
            (Entries<double>{{0, 0, 1}, {1, 0, 1}, {0, 1, 1}}));
}

TEST_F(Read, IntegersAreRead) {
  EXPECT_EQ(read_entries<double>(file(
                "%%MatrixMarket matrix coordinate integer general\n2 2 3\n2 1 -7\n1 2 +12\n1 1 "
                "9007199254740993\n")),
            (Entries<double>{{1, 0, -7}, {0, 1, 12}, {0, 0, 9007199254740992.0}}));
}

TEST_F(Read, SymmetricStoresTheDiagonalOnce) {
  const Entries<double> expected{{0, 0, 1}, {2, 0, 5}, {0, 2, 5}, {1, 1, 0}};
  EXPECT_EQ(read_entries<double>(file(
                "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 5\n2 2 0\n")),
            expected);
}

TEST_F(Read, UpperTriangleIsAccepted) {
  EXPECT_EQ(read_entries<double>(
                file("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n1 3 5\n2 2 4\n")),
            (Entries<double>{{0, 2, 5}, {2, 0, 5}, {1, 1, 4}}));
}

TEST_F(Read, SkewSymmetricIsNegated) {
  EXPECT_EQ(read_entries<double>(file(
                "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n3 1 5\n2 2 0\n")),
            (Entries<double>{{2, 0, 5}, {0, 2, -5}, {1, 1, 0}}));
  EXPECT_EQ(read_entries<Complex>(
                file("%%MatrixMarket matrix coordinate complex skew-symmetric\n3 3 1\n3 1 5 2\n")),
            (Entries<Complex>{{2, 0, {5, 2}}, {0, 2, {-5, -2}}}));
}

TEST_F(Read, HermitianIsConjugated) {
  EXPECT_EQ(read_entries<Complex>(file(
                "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n2 1 5 2\n1 1 3 0\n")),
            (Entries<Complex>{{1, 0, {5, 2}}, {0, 1, {5, -2}}, {0, 0, {3, 0}}}));
}

TEST_F(Read, ComplexSymmetricIsNotConjugated) {
  EXPECT_EQ(read_entries<Complex>(
                file("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n2 1 5 2\n")),
            (Entries<Complex>{{1, 0, {5, 2}}, {0, 1, {5, 2}}}));
}

TEST_F(Read, RealFilesAreReadAsComplex) {
  EXPECT_EQ(read_entries<Kokkos::complex<float>>(
                file("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0.1\n")),
            (Entries<Kokkos::complex<float>>{{0, 0, {0.1F, 0.0F}}}));
}

TEST_F(Read, ExplicitZerosAndDuplicatesStay) {
  EXPECT_EQ(read_entries<double>(file(
                "%%MatrixMarket matrix coordinate real general\n1 1 3\n1 1 0\n1 1 2\n1 1 2\n")),
            (Entries<double>{{0, 0, 0}, {0, 0, 2}, {0, 0, 2}}));
}

TEST_F(Read, LooseLayoutIsAccepted) {
  const std::string comment(100000, 'x');
  const std::string text = "%%MatrixMarket  matrix\tcoordinate real general  \r\n%" + comment +
                           "\r\n\r\n  % indented\r\n \t2 2  2 \r\n" +
                           "\r\n\t 1 \t 2   3.5\t\r\n   \r\n2 1 +4\r\n\r\n \n";
  EXPECT_EQ(read_entries<double>(file(text)), (Entries<double>{{0, 1, 3.5}, {1, 0, 4}}));
}

TEST_F(Read, ALastLineWithoutItsEndIsRead) {
  EXPECT_EQ(
      read_entries<double>(file("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2")),
      (Entries<double>{{0, 0, 2}}));
  EXPECT_EQ(
      read_entries<double>(file("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\r")),
      (Entries<double>{{0, 0, 2}}));
}

TEST_F(Read, NoEntriesAreAMatrix) {
  const auto coo =
      read_matrix_market<double>(file("%%MatrixMarket matrix coordinate real general\n0 0 0\n"));
  EXPECT_EQ(coo.entries(), 0U);
  EXPECT_EQ(coo.rows, 0);
  EXPECT_EQ(
      read_matrix_market<double>(file("%%MatrixMarket matrix coordinate real symmetric\n5 5 0"))
          .rows,
      5);
}

TEST_F(Read, ValuesAreRoundedExactly) {
  const std::vector<std::pair<std::string, double>> values = {
      {"1", 1},
      {"1.", 1},
      {".5", 0.5},
      {"-.5", -0.5},
      {"+.5e+1", 5},
      {"1e22", 1e22},
      {"1e23", 1e23},
      {"9007199254740993", 9007199254740992.0},
      {"9007199254740992.9999", 9007199254740992.0},
      {"0.1000000000000000055511151231257827021181583404541015625", 0.1},
      {"123456789012345678", 123456789012345678.0},
      {"7.2057594037927933e16", 7.2057594037927933e16},
      {"2.2250738585072011e-308", 2.2250738585072011e-308},
      {"4.9e-324", std::numeric_limits<double>::denorm_min()},
      {"1e-400", 0},
      {"1.7976931348623157e308", std::numeric_limits<double>::max()},
      {"1.5D+3", 1500},
      {"-2.5d-1", -0.25},
      {"1.d0", 1},
      {"00012.50", 12.5},
      {"0.000000000000000000000000000000000000000000012345", 1.2345e-44},
      {"1000000000000000000000000000000000000000", 1e39},
      {"0e999999", 0},
      {"8.98846567431158e+307", 8.98846567431158e+307},
      {"3.14159265358979323846264338327950288", M_PI},
  };
  std::string text =
      "%%MatrixMarket matrix coordinate real general\n1 1 " + std::to_string(values.size()) + "\n";
  for (const auto& [token, value] : values) text += "1 1 " + token + "\n";
  const auto coo = read_matrix_market<double>(file(text));
  for (std::size_t n = 0; n < values.size(); ++n)
    EXPECT_EQ(coo.value(n), values[n].second) << values[n].first;
}

TEST_F(Read, RandomValuesAgreeWithStrtod) {
  std::string text;
  std::vector<double> expected;
  std::uint64_t state = 1;
  const auto next = [&state] {
    return state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  };
  for (int n = 0; n < 20000; ++n) {
    const int digits = 1 + static_cast<int>((next() >> 33) % 20);
    const int point = static_cast<int>((next() >> 33) % static_cast<unsigned>(digits + 1));
    std::string token(next() >> 63, '-');
    for (int d = 0; d < digits; ++d) {
      if (d == point) token += '.';
      token += static_cast<char>('0' + (next() >> 33) % 10);
    }
    if (next() >> 63)
      token.append("e").append(std::to_string(static_cast<int>((next() >> 33) % 60) - 30));
    expected.push_back(std::strtod(token.c_str(), nullptr));
    text += "1 1 " + token + "\n";
  }
  const auto coo =
      read_matrix_market<double>(file("%%MatrixMarket matrix coordinate real general\n1 1 " +
                                      std::to_string(expected.size()) + "\n" + text));
  for (std::size_t n = 0; n < expected.size(); ++n) ASSERT_EQ(coo.value(n), expected[n]) << n;
}

TEST_F(Read, SinglePrecisionIsRoundedOnce) {
  // Through double, this value would become the tie 1 + 2^-24 and then be rounded down.
  const auto path = file(
      "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1.000000059604644775390626\n1 1 "
      "1e-60\n");
  EXPECT_EQ(read_entries<float>(path),
            (Entries<float>{{0, 0, 1.00000011920928955078125F}, {0, 0, 0.0F}}));
}

TEST_F(Read, NonFiniteTokensAreValues) {
  const auto coo =
      read_matrix_market<double>(file("%%MatrixMarket matrix coordinate real general\n1 1 5\n1 1 "
                                      "inf\n1 1 -Inf\n1 1 INFINITY\n1 1 nan\n1 1 NaN\n"));
  EXPECT_EQ(coo.value(0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(coo.value(1), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(coo.value(2), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(coo.value(3)));
  EXPECT_TRUE(std::isnan(coo.value(4)));
}

TEST_F(Read, GzipIsToldByItsFirstBytes) {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n";
  const Entries<double> expected{{0, 0, 2}};
  EXPECT_EQ(read_entries<double>(file(gzipped(text), "no_suffix.mtx")), expected);
  EXPECT_EQ(read_entries<double>(file(text, "not_really.mtx.gz")), expected);
  const std::string members = gzipped(text.substr(0, 20)) + gzipped("") + gzipped(text.substr(20));
  EXPECT_EQ(read_entries<double>(file(members)), expected);
  EXPECT_EQ(read_entries<double>(file(members + std::string(1024, '\0'))), expected);
}

TEST_F(Read, ArrayGeneralIsColumnMajor) {
  const auto path = file("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n0\n5\n6\n");
  const auto dense = read_multivector<double>(path);
  ASSERT_EQ(dense.extent(0), 2U);
  ASSERT_EQ(dense.extent(1), 3U);
  EXPECT_EQ(dense(0, 0), 1);
  EXPECT_EQ(dense(1, 0), 2);
  EXPECT_EQ(dense(0, 1), 3);
  EXPECT_EQ(dense(1, 2), 6);
  EXPECT_EQ(read_entries<double>(path),
            (Entries<double>{{0, 0, 1}, {0, 1, 3}, {0, 2, 5}, {1, 0, 2}, {1, 1, 0}, {1, 2, 6}}));
}

TEST_F(Read, ArraySymmetriesAreExpanded) {
  const auto symmetric = read_multivector<double>(
      file("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"));
  EXPECT_EQ(symmetric(2, 0), 3);
  EXPECT_EQ(symmetric(0, 2), 3);
  EXPECT_EQ(symmetric(1, 1), 4);
  EXPECT_EQ(symmetric(1, 2), 5);
  EXPECT_EQ(symmetric(2, 2), 6);
  const auto skew = read_multivector<double>(
      file("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"));
  EXPECT_EQ(skew(1, 0), 1);
  EXPECT_EQ(skew(0, 1), -1);
  EXPECT_EQ(skew(2, 1), 3);
  EXPECT_EQ(skew(1, 2), -3);
  EXPECT_EQ(skew(1, 1), 0);
  const auto hermitian = read_multivector<Complex>(
      file("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n"));
  EXPECT_EQ(hermitian(1, 0), Complex(2, 3));
  EXPECT_EQ(hermitian(0, 1), Complex(2, -3));
  EXPECT_EQ(hermitian(1, 1), Complex(4, 0));
}

TEST_F(Read, EmptyArraysAreRead) {
  EXPECT_EQ(
      read_multivector<double>(file("%%MatrixMarket matrix array real general\n0 4\n")).extent(1),
      4U);
  EXPECT_EQ(read_multivector<double>(
                file("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"))(0, 0),
            0);
  EXPECT_EQ(
      read_matrix_market<double>(file("%%MatrixMarket matrix array real general\n3 0\n")).entries(),
      0U);
}

TEST_F(Read, CoordinateFileAsMultivectorAddsDuplicates) {
  const auto dense = read_multivector<double>(
      file("%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1\n3 2 4\n3 2 5\n"));
  EXPECT_EQ(dense(0, 0), 1);
  EXPECT_EQ(dense(2, 1), 9);
  EXPECT_EQ(dense(1, 1), 0);
}

TEST_F(Read, APipeIsRead) {
  const auto plain = file("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
  const auto fifo = path("fifo");
  ASSERT_EQ(std::system(("mkfifo '" + fifo.string() + "' && (gzip -c '" + plain.string() + "' > '" +
                         fifo.string() + "' &)")
                            .c_str()),
            0);
  EXPECT_EQ(read_entries<double>(fifo), (Entries<double>{{0, 0, 2}}));
}

}  // namespace
}  // namespace fatvec::io::test
