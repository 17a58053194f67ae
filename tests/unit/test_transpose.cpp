// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <fatvec/formats/assemble.hpp>
#include <fatvec/formats/bsr.hpp>
#include <fatvec/formats/hll.hpp>
#include <fatvec/formats/transpose.hpp>
#include <fatvec/generate/generate.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/kernels/hll.hpp>

/// op(A): against the definition, entry by entry, and in products.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Complex = Kokkos::complex<double>;

template <class Scalar>
using CsrOf = CsrMatrix<Scalar, int, Exec, int>;
template <class Scalar>
using Dense = std::vector<std::vector<Scalar>>;

template <class Scalar>
Dense<Scalar> dense(const CsrOf<Scalar>& a) {
  Dense<Scalar> d(static_cast<std::size_t>(a.rows()),
                  std::vector<Scalar>(static_cast<std::size_t>(a.cols())));
  for (int i = 0; i < a.rows(); ++i)
    for (int n = a.row_map(i); n < a.row_map(i + 1); ++n) d[i][a.entries(n)] += a.values(n);
  return d;
}

/// rows × cols with about `percent` of the entries, row `full` (if any) dense; values that are
/// exact in any order.
template <class Scalar>
CsrOf<Scalar> sample(int rows, int cols, unsigned percent, int full = -1) {
  Coo<Scalar, int> coo(rows, cols, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
  std::size_t n = 0;
  unsigned state = 12345;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      state = state * 1664525U + 1013904223U;
      if (i != full && (state >> 16) % 100 >= percent) continue;
      const auto value = static_cast<double>(static_cast<int>(state >> 20) % 16 - 8);
      coo.row(n) = i;
      coo.col(n) = j;
      if constexpr (detail::is_complex<Scalar>)
        coo.value(n) = Scalar(value, value + 1);
      else
        coo.value(n) = value;
      ++n;
    }
  }
  const auto used = std::pair<std::size_t, std::size_t>(0, n);
  coo.row = Kokkos::subview(coo.row, used);
  coo.col = Kokkos::subview(coo.col, used);
  coo.value = Kokkos::subview(coo.value, used);
  return csr_from_coo<Exec>(coo);
}

template <class Scalar>
void expect_transpose(const CsrOf<Scalar>& a, bool conjugate) {
  const auto t = apply(Exec(), conjugate ? Op::conjugate_transpose : Op::transpose, a);
  ASSERT_EQ(t.rows(), a.cols());
  ASSERT_EQ(t.cols(), a.rows());
  ASSERT_EQ(t.nnz(), a.nnz());
  const auto from = dense(a);
  const auto to = dense(t);
  for (int i = 0; i < a.rows(); ++i)
    for (int j = 0; j < a.cols(); ++j)
      ASSERT_EQ(to[j][i], detail::conjugate_if(conjugate, from[i][j])) << i << ", " << j;
  for (int j = 0; j < t.rows(); ++j)
    for (int n = t.row_map(j) + 1; n < t.row_map(j + 1); ++n)
      ASSERT_LT(t.entries(n - 1), t.entries(n));
}

TEST(Transpose, IsRightForEveryShape) {
  expect_transpose(sample<double>(37, 23, 20), false);
  expect_transpose(sample<double>(23, 200, 5, 7), false);
  expect_transpose(sample<double>(1, 300, 50), false);
  expect_transpose(sample<double>(300, 1, 50), false);
  expect_transpose(sample<double>(50, 50, 0), false);
  expect_transpose(sample<double>(0, 9, 0), false);
  expect_transpose(sample<double>(9, 0, 0), false);
  expect_transpose(sample<double>(0, 0, 0), false);
}

TEST(Transpose, TakesComplexValuesWithAndWithoutConjugation) {
  expect_transpose(sample<Complex>(30, 40, 20), false);
  expect_transpose(sample<Complex>(30, 40, 20), true);
}

TEST(Transpose, TwiceIsTheMatrix) {
  const auto a = generate::generate(generate::parse_spec("gen:powerlaw:3000:3.1"));
  const auto b = transpose(Exec(), transpose(Exec(), a));
  ASSERT_EQ(a.nnz(), b.nnz());
  for (std::size_t n = 0; n < a.row_map.extent(0); ++n) ASSERT_EQ(a.row_map(n), b.row_map(n));
  for (std::size_t n = 0; n < a.entries.extent(0); ++n) {
    ASSERT_EQ(a.entries(n), b.entries(n));
    ASSERT_EQ(a.values(n), b.values(n));
  }
}

/// Rows that hold every column several times, in no order; sums depend on the order of their
/// values.
CsrOf<double> with_duplicates(int rows, int cols, int times) {
  const int length = cols * times;
  const CsrOf<double>::Offsets row_map("row_map", rows + 1);
  const CsrOf<double>::Ordinals entries("entries", rows * length);
  const CsrOf<double>::Scalars values("values", rows * length);
  for (int i = 0; i < rows; ++i) {
    row_map(i + 1) = (i + 1) * length;
    for (int n = 0; n < length; ++n) {
      entries(i * length + n) = (n * 7 + i) % cols;
      values(i * length + n) = 1.0 / (1 + (i * 31 + n * 17) % 1013);
    }
  }
  return {rows, cols, row_map, entries, values};
}

/// Entries that share a place stand in A's order: the transpose is a function of A alone.
TEST(Transpose, KeepsTheOrderOfDuplicates) {
  const auto a = with_duplicates(3000, 5, 3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto t = transpose(Exec(), a);
    std::vector<int> at(t.row_map.data(), t.row_map.data() + t.rows());
    for (int i = 0; i < a.rows(); ++i)
      for (int n = a.row_map(i); n < a.row_map(i + 1); ++n) {
        const int place = at[a.entries(n)]++;
        ASSERT_EQ(t.entries(place), i);
        ASSERT_EQ(t.values(place), a.values(n)) << "row " << i << ", entry " << n;
      }
  }
}

TEST(Transpose, ProductsAndBlocksOfDuplicatesAreReproducible) {
  const auto a = with_duplicates(3000, 5, 3);
  const Kokkos::View<double*, Exec> x("x", a.rows());
  for (int i = 0; i < a.rows(); ++i) x(i) = 1.0 / (i + 3);
  std::vector<double> first;
  std::vector<double> first_blocks;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Kokkos::View<double*, Exec> y("y", a.cols());
    spmm(Exec(), Op::transpose, 1.0, a, x, 0.0, y);
    const std::vector<double> sums(y.data(), y.data() + y.size());
    const auto bsr = BsrMatrix<double, int, Exec, int>::from_csr(Exec(), a);
    const std::vector<double> blocks(bsr.values.data(), bsr.values.data() + bsr.values.size());
    if (repeat == 0) {
      first = sums;
      first_blocks = blocks;
    }
    ASSERT_EQ(sums, first);
    ASSERT_EQ(blocks, first_blocks);
  }
}

TEST(Op, IsReadFromItsLetter) {
  EXPECT_EQ(op_of('n'), Op::none);
  EXPECT_EQ(op_of('T'), Op::transpose);
  EXPECT_EQ(op_of('C'), Op::conjugate);
  EXPECT_EQ(op_of('h'), Op::conjugate_transpose);
  EXPECT_THROW(op_of('X'), UsageError);
}

TEST(Op, ConjugateOfRealValuesIsTheMatrixItself) {
  const auto a = sample<double>(5, 6, 50);
  EXPECT_EQ(apply(Exec(), Op::conjugate, a).values.data(), a.values.data());
  EXPECT_EQ(apply(Exec(), Op::none, a).values.data(), a.values.data());
}

/// Y = 2 op(A) X - Y in small integers, exact.
template <class Matrix>
void expect_product(Op op, const CsrOf<Complex>& a, const Matrix& matrix) {
  using View = Kokkos::View<Complex**, Exec>;
  const bool transposed = transposes(op);
  const int rows = transposed ? a.cols() : a.rows();
  const int cols = transposed ? a.rows() : a.cols();
  const int k = 3;
  const View x("x", cols, k);
  const View y("y", rows, k);
  for (int j = 0; j < cols; ++j)
    for (int c = 0; c < k; ++c) x(j, c) = Complex(j % 5 - c, c);
  Kokkos::deep_copy(y, Complex(1, 2));
  spmm(Exec(), op, 2.0, matrix, x, -1.0, y);
  const bool conjugate = op == Op::conjugate || op == Op::conjugate_transpose;
  const auto d = dense(a);
  for (int i = 0; i < rows; ++i) {
    for (int c = 0; c < k; ++c) {
      Complex sum(-1, -2);
      for (int j = 0; j < cols; ++j)
        sum += 2.0 * detail::conjugate_if(conjugate, transposed ? d[j][i] : d[i][j]) * x(j, c);
      ASSERT_EQ(y(i, c), sum) << "op " << static_cast<char>(op) << " at " << i << ", " << c;
    }
  }
}

TEST(Op, ProductsOfEveryOpAreRight) {
  const auto a = sample<Complex>(31, 17, 25, 3);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
    expect_product(op, a, a);
    expect_product(op, a, HllMatrix<Complex, int, Exec, int>::from_csr(Exec(), a));
  }
}

TEST(Op, OthersAreRefused) {
  const auto a = sample<double>(6, 6, 50);
  const Kokkos::View<double**, Exec> x("x", 6, 2);
  const Kokkos::View<double**, Exec> y("y", 6, 2);
  EXPECT_THROW(apply(Exec(), Op('x'), a), UsageError);
  EXPECT_THROW(spmm(Exec(), Op('x'), 1.0, a, x, 0.0, y), UsageError);
}

TEST(Op, YOnTheMatrixIsRefused) {
  using Values = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
  const auto a = sample<double>(6, 6, 100);
  const auto hll = HllMatrix<double, int, Exec, int>::from_csr(Exec(), a);
  const auto before = dense(a);
  const Values x("x", 6, 2);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
    EXPECT_THROW(spmm(Exec(), op, 1.0, a, x, 0.0, Values(a.values.data(), 6, 2)), ShapeError);
    EXPECT_THROW(spmm(Exec(), op, 1.0, hll, x, 0.0, Values(hll.values.data(), 6, 2)), ShapeError);
  }
  EXPECT_EQ(dense(a), before);
}

TEST(Op, ShapesAreThoseOfTheTransposedMatrix) {
  const auto a = sample<double>(4, 6, 50);
  const Kokkos::View<double**, Exec> six("six", 6, 2);
  const Kokkos::View<double**, Exec> four("four", 4, 2);
  EXPECT_NO_THROW(spmm(Exec(), Op::transpose, 1.0, a, four, 0.0, six));
  EXPECT_THROW(spmm(Exec(), Op::transpose, 1.0, a, six, 0.0, four), ShapeError);
}

TEST(Op, LettersAreTakenLikeThoseOfKokkosSparse) {
  const auto a = sample<double>(4, 6, 50);
  const Kokkos::View<double*, Exec> x("x", 4);
  for (int i = 0; i < 4; ++i) x(i) = i + 1;
  const Kokkos::View<double*, Exec> expected("expected", 6);
  spmm(Exec(), Op::transpose, 2.0, a, x, 0.0, expected);
  const auto equal = [&](const Kokkos::View<double*, Exec>& y) {
    for (int i = 0; i < 6; ++i) EXPECT_EQ(y(i), expected(i)) << i;
    Kokkos::deep_copy(y, -7.0);
  };
  const Kokkos::View<double*, Exec> y("y", 6);
  spmm(Exec(), "T", 2.0, a, x, 0.0, y);
  equal(y);
  spmm(Exec(), 't', 2.0, a, x, 0.0, y);
  equal(y);
  spmm("H", 2.0, a, x, 0.0, y);
  equal(y);
  spmm(std::string("N"), 2.0, transpose(Exec(), a), x, 0.0, y);
  equal(y);
  EXPECT_THROW(spmm("Transpose", 2.0, a, x, 0.0, y), UsageError);
  EXPECT_THROW(spmm(Exec(), "", 2.0, a, x, 0.0, y), UsageError);
  EXPECT_THROW(spmm(Exec(), "Q", 2.0, a, x, 0.0, y), UsageError);
}

TEST(Csr, TypesAreThoseOfTheViews) {
  const auto a = sample<double>(4, 6, 50);
  const Kokkos::View<std::size_t*, Exec> row_map("row_map", 5);
  for (int i = 0; i < 5; ++i) row_map(i) = static_cast<std::size_t>(a.row_map(i));
  const CsrMatrix wide(4, 6, row_map, a.entries, a.values);
  static_assert(std::is_same_v<decltype(wide), const CsrMatrix<double, int, Exec, std::size_t>>);
  const Kokkos::View<double*, Exec> x("x", 6);
  Kokkos::deep_copy(x, 3.0);
  const Kokkos::View<double*, Exec> y("y", 4);
  const Kokkos::View<double*, Exec> expected("expected", 4);
  spmm(1.0, wide, x, 0.0, y);
  spmm(1.0, a, x, 0.0, expected);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(y(i), expected(i)) << i;
}

}  // namespace
}  // namespace fatvec
