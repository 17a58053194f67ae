// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <ostream>

#include "support.hpp"

namespace fatvec::io::test {
namespace {

using namespace std::string_literals;

struct Malformed {
  const char* name;
  std::string text;
  int line;          ///< where the error is
  const char* says;  ///< what its message contains
  friend void PrintTo(const Malformed& one, std::ostream* out) { *out << one.name; }
};

const std::string real = "%%MatrixMarket matrix coordinate real general\n";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string array = "%%MatrixMarket matrix array real general\n";

std::vector<Malformed> malformed() {
  return {
      {"EmptyFile", "", 1, "the file is empty"},
      {"OnlyANewline", "\n", 1, "banner is missing"},
      {"NoBanner", "3 3 1\n1 1 1\n", 1, "banner is missing"},
      {"CommentInsteadOfBanner", "% MatrixMarket matrix coordinate real general\n1 1 0\n", 1,
       "banner is missing"},
      {"BannerWithATail", "%%MatrixMarketX matrix coordinate real general\n1 1 0\n", 1,
       "banner is missing"},
      {"ByteOrderMark", "\xef\xbb\xbf" + real + "1 1 0\n", 1, "byte order mark"},
      {"BannerTooShort", "%%MatrixMarket matrix coordinate real\n1 1 0\n", 1,
       "4 words instead of 5"},
      {"BannerTooLong", "%%MatrixMarket matrix coordinate real general extra\n1 1 0\n", 1,
       "6 words instead of 5"},
      {"NotAMatrix", "%%MatrixMarket vector coordinate real general\n1 1 0\n", 1, "unknown"},
      {"UnknownFormat", "%%MatrixMarket matrix coord real general\n1 1 0\n", 1, "unknown"},
      {"UnknownField", "%%MatrixMarket matrix coordinate double general\n1 1 0\n", 1,
       "real|integer|complex|pattern"},
      {"UnknownSymmetry", "%%MatrixMarket matrix coordinate real symetric\n1 1 0\n", 1,
       "'%%MatrixMarket matrix coordinate real sym"},
      {"HugeBannerWord",
       "%%MatrixMarket matrix coordinate real " + std::string(5000, 'g') + "\n1 1 0\n", 1,
       "unknown"},
      {"NulInTheBanner", "%%MatrixMarket matrix coordinate real gen\0eral\n1 1 0\n"s, 1, "\\x00"},
      {"ArrayPattern", "%%MatrixMarket matrix array pattern general\n1 1\n", 1,
       "contradicts itself"},
      {"RealHermitian", "%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", 1,
       "contradicts itself"},
      {"IntegerHermitian", "%%MatrixMarket matrix coordinate integer hermitian\n1 1 0\n", 1,
       "contradicts itself"},
      {"PatternSkew", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", 1,
       "contradicts itself"},
      {"ComplexIntoReal", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", 1,
       "read it as complex<double>"},
      {"BinaryJunk", "\x7f"s + "ELF\x02\x01\x01" + std::string(300, '\xff'), 1, "'\\x7fELF"},
      {"NoSizeLine", real + "% comment\n%\n", 3, "ends before the size line"},
      {"SizeOfTwoNumbers", real + "3 3\n", 2, "'rows columns entries'"},
      {"SizeOfFourNumbers", real + "3 3 1 1\n1 1 1\n", 2, "found 4 words"},
      {"ArraySizeOfThreeNumbers", array + "\n3 3 9\n", 3, "'rows columns'"},
      {"NegativeSize", real + "%\n-3 3 1\n1 1 1\n", 3,
       "rows, a whole number of at least 0, found '-3'"},
      {"NegativeEntries", real + "3 3 -1\n", 2, "entries, a whole number"},
      {"FractionalSize", real + "3.0 3 1\n1 1 1\n", 2, "found '3.0'"},
      {"SizeBeyond64Bits", real + "3 99999999999999999999 1\n", 2, "does not fit 64 bits"},
      {"RowsBeyond32Bits", real + "2147483648 1 1\n1 1 1\n", 2, "at most 2147483647"},
      {"ArrayBeyond64Bits", array + "9223372036854775807 2\n", 2, "do not fit 64 bits"},
      {"EntriesOfNothing", real + "0 3 1\n1 1 1\n", 2, "cannot hold 1 entries"},
      {"SymmetricNotSquare", symmetric + "3 4 1\n1 1 1\n", 2, "must be square"},
      {"TooFewEntries", real + "2 2 3\n1 1 1\n2 2 2\n", 4,
       "ends after 2 of the 3 entries that line 2 announces"},
      {"TooFewEntriesByFar", real + "2 2 2000000000\n1 1 1\n", 3, "ends after 1 of the 2000000000"},
      {"MoreThanMemoryAnnounced", real + "2 2 9000000000000000000\n1 1 1\n", 3,
       "ends after 1 of the 9000000000000000000"},
      {"NoEntriesAtAll", real + "2 2 1\n", 2, "ends after 0 of the 1"},
      {"TooManyEntries", real + "2 2 2\n1 1 1\n\n2 2 2\n\n1 2 3\n2 1 3\n", 7,
       "after 2 entries (size line: line 2), found the line '1 2 3'"},
      {"AnEntryTooMany", real + "2 2 0\n1 1 1\n", 3, "after 0 entries"},
      {"RowZero", real + "2 2 2\n1 1 1\n0 1 1\n", 4, "a row index from 1 to 2, found '0'"},
      {"ColumnZero", real + "2 2 1\n1 0 1\n", 3, "a column index from 1 to 2, found '0'"},
      {"RowBeyond", real + "2 3 1\n3 1 1\n", 3, "a row index from 1 to 2, found '3'"},
      {"ColumnBeyond", real + "2 3 1\n2 4 1\n", 3, "a column index from 1 to 3, found '4'"},
      {"NegativeRow", real + "2 2 1\n-1 1 1\n", 3, "found '-1'"},
      {"IndexBeyond32Bits", real + "2 2 1\n4294967297 1 1\n", 3, "found '4294967297'"},
      {"IndexBeyond64Bits", real + "2 2 1\n18446744073709551617 1 1\n", 3,
       "found '18446744073709551617'"},
      {"FractionalIndex", real + "2 2 1\n1.0 1 1\n", 3, "expected a row index, found '1.0'"},
      {"WordForAnIndex", real + "2 2 1\n1 one 1\n", 3, "expected a column index, found 'one'"},
      {"WordForAValue", real + "2 2 1\n1 1 x\n", 3, "expected a value, found 'x'"},
      {"HalfAValue", real + "2 2 1\n1 1 1.5e\n", 3, "expected a value, found '1.5e'"},
      {"TwoSigns", real + "2 2 1\n1 1 +-1\n", 3, "found '+-1'"},
      {"HexadecimalValue", real + "2 2 1\n1 1 0x10\n", 3, "found '0x10'"},
      {"DecimalComma", real + "2 2 1\n1 1 1,5\n", 3, "found '1,5'"},
      {"FractionInAnIntegerFile",
       "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", 3, "whole-number"},
      {"MissingColumn", real + "2 2 1\n1\n", 3,
       "expected a column index, found the end of the line '1'"},
      {"MissingValue", real + "2 2 1\n1 1\n", 3,
       "expected a value, found the end of the line '1 1'"},
      {"MissingValueCrLf", real + "2 2 1\r\n1 1\r\n", 3,
       "expected a value, found the end of the line '1 1'"},
      {"TrailingNumber", real + "2 2 1\n1 1 1 2\n", 3, "expected the end of the line, found '2'"},
      {"TrailingComment", real + "2 2 1\n1 1 1 % one\n", 3,
       "expected the end of the line, found '%'"},
      {"ValueInAPatternFile", "%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n", 3,
       "expected the end of the line"},
      {"CarriageReturnInside", real + "2 2 1\n1\r1 1\n", 3, "\\x0d"},
      {"NulInside", real + "2 2 1\n1 1 1\0\n"s, 3, "\\x00"},
      {"NulLine", real + "2 2 1\n1 1 1\n\0\0\n"s, 4, "found the line '\\x00\\x00'"},
      {"CommentBelowTheSize", real + "2 2 2\n1 1 1\n% half\n2 2 1\n", 4,
       "below the size line (line 2)"},
      {"Overflow", real + "2 2 1\n1 1 1e999\n", 3,
       "'1e999' is too large for the scalar type double"},
      {"LongOverflow", real + "2 2 1\n1 1 " + std::string(400, '9') + "\n", 3, "too large"},
      {"MissingArrayValue", array + "2 2\n1\n2\n\n3\n", 6, "ends after 3 of the 4"},
      {"TwoArrayValuesALine", array + "2 2\n1 2\n3 4\n", 3, "one entry a line"},
      {"ArrayValueTooMany", array + "1 2\n1\n2\n3\n", 5, "after 2 entries"},
      {"BothTriangles", symmetric + "3 3 4\n1 1 1\n2 1 5\n3 1 1\n1 2 5\n", 6, "one triangle"},
      {"BothTrianglesUpperFirst", symmetric + "3 3 3\n1 2 5\n3 3 1\n2 1 5\n", 5, "one triangle"},
      {"SkewDiagonal",
       "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 1\n1 1 3\n", 4,
       "found the value '3'"},
      {"ExtremelyLongLine", real + "2 2 1\n1 1 1" + std::string(300000, ' ') + "x\n", 3,
       "found 'x'"},
      {"ExtremelyLongIndex", real + "2 2 1\n" + std::string(300000, '1') + " 1 1\n", 3, "...'"},
      {"FirstOfManyErrors", real + "2 2 5\n1 1 1\n1 1 a\n1 1 b\n9 1 1\n1 1 1 1\n", 4, "found 'a'"},
  };
}

class MalformedFile : public IoTest, public testing::WithParamInterface<Malformed> {};

/// The same error whatever the pieces of the text are, compressed or not.
TEST_P(MalformedFile, NamesFileAndLine) {
  const auto& [name, text, line, says] = GetParam();
  const auto plain = file(text);
  const auto compressed = file(gzipped(text), "m.mtx.gz");
  for (const auto& path : {plain, compressed}) {
    const std::string where = path.string() + ":" + std::to_string(line) + ": ";
    const std::string expected = error_of(path);
    EXPECT_TRUE(expected.starts_with(where)) << expected;
    EXPECT_NE(expected.find(says), std::string::npos) << expected;
    EXPECT_TRUE(expected.ends_with('.')) << expected;
    for (const char c : expected) EXPECT_TRUE(c >= 0x20 && c < 0x7f) << expected;
    for (const std::size_t piece : {1, 2, 3, 7, 64})
      EXPECT_EQ(error_of(path, piece), expected) << "pieces of " << piece;
  }
}

INSTANTIATE_TEST_SUITE_P(Io, MalformedFile, testing::ValuesIn(malformed()),
                         [](const auto& info) { return std::string(info.param.name); });

class BadFile : public IoTest {};

TEST_F(BadFile, NonexistentFilesAndFoldersAreRefused) {
  EXPECT_NE(error_of(path("none.mtx")).find("No such file"), std::string::npos);
  EXPECT_NE(error_of(folder()).find("it is a folder"), std::string::npos);
  EXPECT_THROW(read_header(path("none.mtx")), InputError);
}

TEST_F(BadFile, BinaryFilesAreNoText) {
  const std::string error = error_of(file(std::string("PK\x03\x04\x14\0", 6)));
  EXPECT_NE(error.find("it is a zip archive (.npz), and text is wanted"), std::string::npos)
      << error;
}

TEST_F(BadFile, HermitianDiagonalsMustBeReal) {
  const auto path =
      file("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n2 1 1 1\n1 1 3 1\n");
  EXPECT_NE(error_of<Kokkos::complex<double>>(path).find("m.mtx:4: found a diagonal value"),
            std::string::npos);
}

TEST_F(BadFile, MissingImaginaryPartsAreNamed) {
  const auto path =
      file("%%MatrixMarket matrix coordinate complex general\n2 2 2\n2 1 1 1\n1 1 3\n");
  EXPECT_NE(error_of<Kokkos::complex<float>>(path).find("m.mtx:4: expected the imaginary part"),
            std::string::npos);
}

TEST_F(BadFile, OverflowOfSinglePrecisionIsRefused) {
  EXPECT_NE(
      error_of<float>(file(real + "1 1 1\n1 1 1e39\n")).find("too large for the scalar type float"),
      std::string::npos);
  EXPECT_EQ(error_of<double>(file(real + "1 1 1\n1 1 1e39\n")), "");
}

TEST_F(BadFile, LinesLongerThanTheLimitAreRefused) {
  const auto path = file(real + "2 2 1\n" + std::string(std::size_t{17} << 20, '1'));
  EXPECT_NE(error_of(path, 4096).find("m.mtx:3: this line is longer than 16 MiB"),
            std::string::npos)
      << error_of(path, 4096);
}

/// Every cut of a compressed file is an error, on the line after the last whole one.
TEST_F(BadFile, TruncatedGzipIsRefused) {
  std::string text = real + "500 1 500\n";
  for (int n = 1; n <= 500; ++n)
    text += std::to_string(n) + " 1 " + std::to_string(n * 0.37) + "\n";
  const std::string whole = gzipped(text);
  for (std::size_t length = 2; length < whole.size(); length += 1 + length / 10) {
    const std::string error = error_of(file(whole.substr(0, length)));
    EXPECT_NE(error.find("compressed data end early"), std::string::npos)
        << length << ": " << error;
    EXPECT_NE(error.find("m.mtx:"), std::string::npos);
  }
  EXPECT_NE(error_of(file(whole.substr(0, whole.size() - 1))).find("m.mtx:503: "),
            std::string::npos);
}

TEST_F(BadFile, CorruptGzipIsRefused) {
  std::string text = real + "500 1 500\n";
  for (int n = 1; n <= 500; ++n)
    text += std::to_string(n) + " 1 " + std::to_string(n * 0.37) + "\n";
  const std::string whole = gzipped(text);
  std::string bad_sum = whole;
  bad_sum[whole.size() - 8] ^= 1;
  EXPECT_NE(error_of(file(bad_sum)).find("corrupt (zlib: incorrect data check)"), std::string::npos)
      << error_of(file(bad_sum));
  std::string bad_data = whole;
  for (std::size_t n = whole.size() / 2; n < whole.size() / 2 + 20; ++n) bad_data[n] = '\xff';
  EXPECT_NE(error_of(file(bad_data)), "");
  EXPECT_NE(error_of(file(whole + "tail")).find("not gzip follows"), std::string::npos);
}

/// A bad line wins over a broken end of the file behind it.
TEST_F(BadFile, ABadLineIsNamedBeforeTheBrokenEnd) {
  std::string text = real + "500 1 500\n1 1 oops\n";
  for (int n = 2; n <= 500; ++n)
    text += std::to_string(n) + " 1 " + std::to_string(n * 0.37) + "\n";
  const std::string whole = gzipped(text);
  const std::string error = error_of(file(whole.substr(0, whole.size() - 20)));
  EXPECT_NE(error.find("m.mtx:3: expected a value, found 'oops'"), std::string::npos) << error;
}

/// Nothing that random bytes do to a good file may crash the reader.
TEST_F(BadFile, DamagedFilesAreReadOrRefused) {
  const std::string good = symmetric + "% c\n9 9 4\n2 1 1.5e3\n3 3 -2\n\r\n9 1 7\n9 9 0\n";
  std::uint64_t state = 7;
  const auto next = [&state](std::size_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  for (int round = 0; round < 2000; ++round) {
    std::string text = good;
    for (std::size_t change = 0; change <= next(3); ++change) {
      const std::size_t at = next(text.size());
      if (next(3) == 0) {
        text.erase(at, 1 + next(9));
      } else {
        text[at] =
            static_cast<char>(next(2) == 0 ? next(256) : "0123456789 .-+eE%\n\r\t"[next(20)]);
      }
      if (text.empty()) text.push_back('x');
    }
    const auto path = file(text);
    const std::string expected = error_of(path);
    EXPECT_TRUE(expected.empty() || expected.starts_with(path.string() + ":")) << expected;
    EXPECT_EQ(error_of(path, 5), expected);
  }
}

}  // namespace
}  // namespace fatvec::io::test
