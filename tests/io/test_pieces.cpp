// SPDX-License-Identifier: Apache-2.0
// The text is cut into pieces for the threads: no cut may change the result.
#include <algorithm>
#include <thread>

#include <fatvec/formats/assemble.hpp>

#include "support.hpp"
#include "test_data.hpp"

namespace fatvec::io::test {
namespace {

class Pieces : public IoTest {
 protected:
  static constexpr std::size_t sizes[] = {1, 2, 3, 5, 7, 16, 33, 100, 1000, 4096};
};

TEST_F(Pieces, CutsDoNotChangeCoordinatesWithAnyLineEnd) {
  for (const std::string end : {"\n", "\r\n", "\n\n", " \r\n\r\n"}) {
    std::string text = "%%MatrixMarket matrix coordinate real symmetric" + end + "% comment" + end +
                       "200 200 200" + end;
    Entries<double> expected;
    for (int n = 1; n <= 200; ++n) {
      text += std::to_string(n) + "  " + std::to_string((n + 1) / 2) + " " +
              std::to_string(n * 17) + ".25" + end;
      expected.emplace_back(n - 1, (n + 1) / 2 - 1, n * 17 + 0.25);
      if (n > 1) expected.emplace_back((n + 1) / 2 - 1, n - 1, n * 17 + 0.25);
    }
    const auto plain = file(text);
    const auto compressed = file(gzipped(text), "m.mtx.gz");
    const auto open_end = file(text.substr(0, text.find_last_not_of(" \r\n") + 1), "open.mtx");
    for (const std::size_t size : sizes) {
      EXPECT_EQ(read_entries<double>(plain, size), expected) << size;
      EXPECT_EQ(read_entries<double>(compressed, size), expected) << size;
      EXPECT_EQ(read_entries<double>(open_end, size), expected) << size;
    }
  }
}

TEST_F(Pieces, CutsDoNotChangeArrays) {
  for (const char* symmetry : {"general", "symmetric", "skew-symmetric"}) {
    std::string text = std::string("%%MatrixMarket matrix array real ") + symmetry + "\n20 20\n";
    const int count = symmetry[1] == 'e' ? 400 : symmetry[1] == 'y' ? 210 : 190;
    for (int n = 0; n < count; ++n) text += std::to_string(n * n) + (n % 3 == 0 ? "\r\n" : "\n\n");
    const auto path = file(text);
    const auto expected = read_entries<double>(path);
    for (const std::size_t size : sizes)
      EXPECT_EQ(read_entries<double>(path, size), expected) << size;
  }
}

TEST_F(Pieces, LinesMayBeLongerThanAPiece) {
  const std::string zeros(5000, '0');
  const auto path =
      file("%%MatrixMarket matrix coordinate real general\n" + ("%" + zeros) + "\n2 2 3\n" + zeros +
           "1 1 2" + zeros + "\n1 2 0." + zeros + "\n2 2" + std::string(7000, ' ') + "3\n");
  for (const std::size_t size : sizes) {
    const std::string error = error_of(path, size);
    EXPECT_NE(error.find(":4: the value"), std::string::npos) << error;  // 2 followed by 5000 zeros
  }
  const auto good = file("%%MatrixMarket matrix coordinate real general\n2 2 2\n" + zeros +
                         "1 1 2." + zeros + "\n2 2" + std::string(7000, ' ') + "3\n");
  for (const std::size_t size : sizes) {
    EXPECT_EQ(read_entries<double>(good, size), (Entries<double>{{0, 0, 2}, {1, 1, 3}})) << size;
  }
}

TEST_F(Pieces, ProgressRisesToTheWholeOfTheFile) {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n9 9 500\n";
  for (int n = 0; n < 500; ++n) text += "5 4 1\n";
  std::string array = "%%MatrixMarket matrix array real general\n50 10\n";
  for (int n = 0; n < 500; ++n) array += "1\n";
  for (const auto& path : {file(text), file(gzipped(text), "m.mtx.gz"), file(array, "a.mtx")}) {
    std::vector<double> shares;
    const ReadOptions options{.progress = [&](double done) { shares.push_back(done); }};
    detail::read_coo<double>(path, nullptr, 10, options);
    EXPECT_GT(shares.size(), 5u);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_GT(shares.front(), 0);
    EXPECT_EQ(shares.back(), 1);
  }
}

/// Two bad lines in different pieces: always the first is reported, with its number in the file.
TEST_F(Pieces, FirstErrorWins) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n% \n9 9 5000\n";
  for (int n = 4; n < 5004; ++n)
    text += n == 3210 || n == 3300 || n == 4999 ? "\n1 1 bad\n" : "1 1 1\n";
  const auto path = file(text);
  for (const std::size_t size : {1, 7, 100, 1000, 4096, 100000}) {
    for (int repetition = 0; repetition < 5; ++repetition) {
      const std::string error = error_of(path, static_cast<std::size_t>(size));
      EXPECT_NE(error.find("m.mtx:3211: "), std::string::npos) << error;
    }
  }
}

/// An entry across the diagonal in a later piece than the one that told the triangle.
TEST_F(Pieces, TrianglesAreToldAcrossPieces) {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n9 9 1002\n2 1 1\n";
  for (int n = 0; n < 1000; ++n) text += "5 5 1\n";
  const auto path = file(text + "1 2 1\n");
  for (const std::size_t size : sizes)
    EXPECT_NE(error_of(path, size).find("m.mtx:1004: "), std::string::npos) << size;
}

/// Threads of an application, each with a file of its own.
TEST_F(Pieces, SeveralFilesAtATime) {
  constexpr int files = 4;
  std::vector<Entries<double>> expected(files);
  std::vector<Entries<double>> found(files);
  for (int f = 0; f < files; ++f) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n500 500 500\n";
    for (int n = 0; n < 500; ++n) {
      text += std::to_string(n + 1) + " 1 " + std::to_string(n * files + f) + "\n";
      expected[f].emplace_back(n, 0, n * files + f);
    }
    file(f % 2 == 0 ? text : gzipped(text), std::to_string(f) + ".mtx");
  }
  std::vector<std::thread> threads;
  for (int f = 0; f < files; ++f)
    threads.emplace_back([this, f, &found] {
      found[f] = read_entries<double>(path(std::to_string(f) + ".mtx"), 100);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(found, expected);
}

struct Known {
  std::string name;
  int rows;
  int cols;
  std::size_t entries;
};

void expect_real_matrix(const std::filesystem::path& path, const Known& known) {
  MatrixMarketHeader header;
  const auto coo = read_matrix_market<double>(path, &header);
  EXPECT_EQ(coo.rows, known.rows) << known.name;
  EXPECT_EQ(coo.cols, known.cols) << known.name;
  EXPECT_EQ(coo.entries(), known.entries) << known.name;
  EXPECT_EQ(entries_of(coo), read_entries<double>(path, 1001)) << known.name;
  const auto csr = csr_from_coo<Kokkos::DefaultHostExecutionSpace>(coo);
  EXPECT_EQ(csr.nnz(), static_cast<std::int64_t>(known.entries)) << known.name;
}

TEST(RealMatrices, ShippedOnesAreRead) {
  const std::filesystem::path data = FATVEC_TEST_DATA;
  for (const Known& known :
       {Known{"cage4", 9, 9, 49}, Known{"olm1000", 1000, 1000, 3996},
        Known{"west2021", 2021, 2021, 7353}, Known{"mhda416", 416, 416, 8562}}) {
    expect_real_matrix(data / (known.name + ".mtx.gz"), known);
  }
}

/// FATVEC_MATRICES: a folder of *.mtx.gz with a MANIFEST.tsv (name, rows, cols, stored entries,
/// entries expanded, ...).
TEST(RealMatrices, ThoseOfTheFolderAreRead) {
  const char* const folder = std::getenv("FATVEC_MATRICES");
  if (folder == nullptr)
    GTEST_SKIP() << "FATVEC_MATRICES is not set (a folder of .mtx.gz files with a MANIFEST.tsv)";
  std::ifstream manifest(std::filesystem::path(folder) / "MANIFEST.tsv");
  ASSERT_TRUE(manifest) << folder << " has no MANIFEST.tsv";
  std::string line;
  std::getline(manifest, line);
  int matrices = 0;
  while (std::getline(manifest, line)) {
    std::istringstream words(line);
    Known known;
    std::size_t stored = 0;
    words >> known.name >> known.rows >> known.cols >> stored >> known.entries;
    expect_real_matrix(std::filesystem::path(folder) / (known.name + ".mtx.gz"), known);
    ++matrices;
  }
  EXPECT_GT(matrices, 0);
}

}  // namespace
}  // namespace fatvec::io::test
