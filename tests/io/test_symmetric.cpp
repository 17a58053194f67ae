// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <fatvec/io/matrix_file.hpp>
#include <fatvec/io/symmetric_file.hpp>

#include "support.hpp"

/// One triangle of symmetric files, as read_matrix() and symmetric() would have it.
namespace fatvec::io::test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

class ReadSymmetric : public IoTest {
 protected:
  void expect_error(const std::string& text, const std::string& part) const {
    const auto path = file(text);
    try {
      read_symmetric<double>(path);
      FAIL() << "accepted: " << text;
    } catch (const InputError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(part), std::string::npos) << message;
      EXPECT_NE(message.find(path.string()), std::string::npos) << message;
    }
  }
};

TEST_F(ReadSymmetric, IsTheTriangleOfTheWholeMatrix) {
  const std::string lower = "3 3 4\n1 1 2\n2 1 -1\n3 1 4.5\n3 3 8\n";
  const std::string upper = "3 3 4\n1 1 2\n1 2 -1\n1 3 4.5\n3 3 8\n";
  for (const std::string& entries : {lower, upper}) {
    const std::string text = "%%MatrixMarket matrix coordinate real symmetric\n" + entries;
    for (const auto& path : {file(text), file(gzipped(text), "m.mtx.gz")}) {
      const auto whole = read_matrix<double>(path).matrix;
      const auto read = read_symmetric<double>(path);
      EXPECT_EQ(read.description, "coordinate real symmetric");
      EXPECT_EQ(read.matrix.stored_entries(), 4);
      EXPECT_EQ(read.matrix.nnz(), whole.nnz());
      const auto both = read.matrix.to_csr(Host());
      for (int i = 0; i <= 3; ++i) ASSERT_EQ(both.row_map(i), whole.row_map(i));
      for (int n = 0; n < whole.nnz(); ++n) {
        EXPECT_EQ(both.entries(n), whole.entries(n));
        EXPECT_EQ(both.values(n), whole.values(n));
      }
    }
  }
}

TEST_F(ReadSymmetric, AddsDuplicatesUpAndTakesPatterns) {
  const auto path =
      file("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n2 1\n2 1\n2 2\n");
  const auto read = read_symmetric<float>(path);
  EXPECT_EQ(read.duplicates, 1);
  EXPECT_EQ(read.matrix.upper.values(0), 2);
  EXPECT_EQ(read.matrix.upper.values(1), 1);
}

TEST_F(ReadSymmetric, RefusesOtherFiles) {
  const std::string banner = "%%MatrixMarket matrix ";
  expect_error(banner + "coordinate real general\n2 2 1\n1 1 1\n", "symmetric() stores one");
  expect_error(banner + "coordinate real skew-symmetric\n2 2 1\n2 1 1\n", "skew-symmetric");
  expect_error(banner + "array real symmetric\n1 1\n3\n", "array");
  expect_error(banner + "coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n", ":4:");
  expect_error(std::string("\x00\x12\x7b\x50", 4), "read_matrix()");
}

}  // namespace
}  // namespace fatvec::io::test
