// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fatvec/formats/assemble.hpp>

/// Arrays that make no CSR matrix, and entries outside a matrix, are told from those that do.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;

template <class Offset>
CsrMatrix<float, int, Exec, Offset> matrix(int rows, int cols, const std::vector<Offset>& offsets,
                                           const std::vector<int>& columns) {
  using Csr = CsrMatrix<float, int, Host, Offset>;
  typename Csr::Offsets row_map("row_map", offsets.size());
  typename Csr::Ordinals entries("entries", columns.size());
  std::copy(offsets.begin(), offsets.end(), row_map.data());
  std::copy(columns.begin(), columns.end(), entries.data());
  return mirror<Exec>(
      Csr(rows, cols, row_map, entries, typename Csr::Scalars("values", columns.size())));
}

template <class Offset>
std::string problem(int rows, int cols, const std::vector<Offset>& offsets,
                    const std::vector<int>& columns) {
  const auto a = matrix(rows, cols, offsets, columns);
  std::string said;
  try {
    validate(Exec(), a);
  } catch (const InputError& error) {
    said = error.what();
  }
  using Csr = std::decay_t<decltype(a)>;
  const auto checked = [&] { Csr(Exec(), rows, cols, a.row_map, a.entries, a.values); };
  if (said.empty())
    EXPECT_NO_THROW(checked());
  else
    EXPECT_THROW(checked(), InputError);
  return said;
}

template <class Offset>
class Validate : public testing::Test {};
using OffsetTypes = testing::Types<int, std::int64_t>;
TYPED_TEST_SUITE(Validate, OffsetTypes);

TYPED_TEST(Validate, MatricesAreAccepted) {
  EXPECT_EQ(problem<TypeParam>(3, 4, {0, 2, 2, 5}, {3, 0, 1, 1, 2}), "");
  EXPECT_EQ(problem<TypeParam>(2, 0, {0, 0, 0}, {}), "");
  EXPECT_EQ(problem<TypeParam>(0, 5, {0}, {}), "");
}

TYPED_TEST(Validate, OffsetsAreNamed) {
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(problem<TypeParam>(2, 2, {1, 1, 2}, {0, 1}), "row_map(0) is 1");
  says(problem<TypeParam>(2, 2, {-1, 1, 2}, {0, 1}), "row_map(0) is -1");
  says(problem<TypeParam>(3, 2, {0, 2, 1, 2}, {0, 1}),
       "row 1 ends before it begins: row_map(1) is 2, row_map(2) is 1");
  says(problem<TypeParam>(2, 2, {0, 1, 3}, {0, 1}),
       "row_map(2), the end of the last row, is 3; there are 2 entries");
  says(problem<TypeParam>(0, 2, {2}, {0, 1}), "row_map(0) is 2");
}

TYPED_TEST(Validate, ColumnsAreNamed) {
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  says(problem<TypeParam>(4, 3, {0, 1, 1, 3, 4}, {0, 2, 3, -1}),
       "entry 2, in row 2, has the column 3; the matrix has 3 columns");
  says(problem<TypeParam>(4, 3, {0, 1, 1, 3, 4}, {-1, 9, 9, 9}),
       "entry 0, in row 0, has the column -1");
}

TYPED_TEST(Validate, TheFirstOfManyIsNamed) {
  const int rows = 5000;
  std::vector<TypeParam> offsets(rows + 1);
  for (int i = 0; i <= rows; ++i) offsets[i] = i;
  std::vector<int> columns(rows, 7);
  for (int n = 1234; n < rows; ++n) columns[n] = 8;
  EXPECT_NE(problem<TypeParam>(rows, 8, offsets, columns).find("entry 1234, in row 1234"),
            std::string::npos);
}

Coo<double> coo_of_ones(int rows, int cols, std::size_t entries) {
  Coo<double> coo(rows, cols, entries);
  Kokkos::deep_copy(coo.row, 1);
  Kokkos::deep_copy(coo.col, 2);
  Kokkos::deep_copy(coo.value, 1.0);
  return coo;
}

template <class Expected>
std::string refusal(const Coo<double>& coo) {
  try {
    csr_from_coo<Host, std::int64_t>(coo);
  } catch (const Expected& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Assembly, RefusesEntriesOutsideTheMatrix) {
  for (const auto& [row, col] :
       {std::pair(2, 0), std::pair(-1, 0), std::pair(0, 3), std::pair(1, -1)}) {
    const auto coo = coo_of_ones(2, 3, 1000);
    EXPECT_EQ(csr_from_coo<Host>(coo).nnz(), 1);
    coo.row(990) = 7;  // the first one is named
    coo.row(13) = row;
    coo.col(13) = col;
    EXPECT_EQ(refusal<InputError>(coo), detail::concat("Coo of 2 x 3: entry 13 is at (", row, ", ",
                                                       col, "); rows and columns count from 0."));
  }
}

TEST(Assembly, RefusesArraysOfDifferentLengths) {
  auto coo = coo_of_ones(2, 3, 5);
  coo.col = Coo<double>::Array<int>("col", 4);
  EXPECT_NE(refusal<ShapeError>(coo).find("there are 5, 4 and 5"), std::string::npos);
}

}  // namespace
}  // namespace fatvec
