// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include <fatvec/formats/assemble.hpp>
#include <fatvec/kernels/symmetric.hpp>

#include "conformance.hpp"

/// Symmetric storage: A + Aᵀ of the zoo against the oracle, what is refused, how threads share.
namespace fatvec::test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
template <class T, class Offset = std::int32_t>
using Csr = CsrMatrix<T, std::int32_t, Host, Offset>;
using HostMultivector = Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
template <class T>
using Symmetric = SymmetricMatrix<T, std::int32_t, Host, std::int32_t>;

template <class T, class Offset = std::int32_t>
Csr<T, Offset> csr_of(int rows, const std::map<std::pair<int, int>, T>& entries) {
  Coo<T> coo(rows, rows, entries.size());
  std::size_t n = 0;
  for (const auto& [place, value] : entries) {
    coo.row(n) = place.first;
    coo.col(n) = place.second;
    coo.value(n++) = value;
  }
  return csr_from_coo<Host, Offset>(coo);
}

/// A + Aᵀ of a matrix of the zoo that is filled up with empty rows or columns.
template <class T, class Offset = std::int32_t>
Csr<T, Offset> with_transpose(const std::string& name) {
  const auto a = converted<T, Offset, Host>(zoo_matrix(name));
  std::map<std::pair<int, int>, T> sum;
  for (int i = 0; i < a.rows(); ++i)
    for (Offset n = a.row_map(i); n < a.row_map(i + 1); ++n) {
      sum[{i, a.entries(n)}] += a.values(n);
      sum[{a.entries(n), i}] += a.values(n);
    }
  return csr_of<T, Offset>(std::max(a.rows(), a.cols()), sum);
}

/// Prepared, for fewer columns than there are, too, and not prepared.
template <class T, class Offset>
void check_like_others(const std::string& name) {
  const auto a = with_transpose<T, Offset>(name);
  auto check = Conformance<SymmetricRows, Host, T, Offset>::of(a);
  check.check_round_trip();
  check.check_zero_alpha();
  const auto matrix = symmetric(Host(), a);
  for (const std::int64_t k : {1, 2, 3, 7, 8, 13, 33, 64}) {
    SCOPED_TRACE(k);
    check.check_layouts_of(prepare(Host(), matrix, k), {k});
    if (testing::Test::HasFailure()) return;
  }
  check.check_layouts_of(prepare(Host(), matrix, 5), {8, 17});  // several passes
  check.check_layouts_of(PreparedSymmetric<std::decay_t<decltype(matrix)>>(matrix), {1, 5});
  check.check_layouts_of(matrix, {1, 5});
}

/// As many shares as are asked for, whatever the number of threads.
template <class M>
auto with_shares(const M& matrix, std::int64_t k, std::int64_t count) {
  auto prepared = prepare(Host(), matrix, k);
  detail::share_rows(Host(), prepared, k * std::int64_t{sizeof(typename M::value_type)}, count);
  return prepared;
}

template <class T, class Offset = std::int32_t>
bool registered(const std::string& type) {
  for (const auto& name : zoo())
    register_test("SymmetricRows_" + type, name, [name] { check_like_others<T, Offset>(name); });
  return true;
}
const bool all_types = registered<double>("double") && registered<float>("float") &&
                       registered<Kokkos::complex<double>, std::int64_t>("complex64");

TEST(SymmetricMatrix, ManySharesOfFewRowsGiveTheSameProductAndTheSameBits) {
  for (const char* name : {"arrow", "diagonal", "stencil27_dof3", "ragged", "one_by_one",
                           "mostly_empty_rows", "zero_by_zero", "no_entries"}) {
    SCOPED_TRACE(name);
    const auto a = with_transpose<double>(name);
    const auto matrix = symmetric(Host(), a);
    for (const std::int64_t shares : {1, 2, 3, 16, 1000}) {
      SCOPED_TRACE(shares);
      const auto prepared = with_shares(matrix, 6, shares);
      auto check = Conformance<SymmetricRows, Host, double, std::int32_t>::of(a);
      check.check_layouts_of(prepared, {1, 6, 9});
      const HostMultivector x("x", a.rows(), 6);
      const HostMultivector y("y", a.rows(), 6);
      const HostMultivector again("again", a.rows(), 6);
      for (std::size_t n = 0; n < x.size(); ++n)
        x.data()[n] = x_value(static_cast<std::int64_t>(n), 1);
      spmm(Host(), 3.0, prepared, x, 0.0, y);
      spmm(Host(), 3.0, prepared, x, 0.0, again);
      Host().fence();
      ASSERT_TRUE(y.size() == 0 || std::memcmp(y.data(), again.data(), y.size() * 8) == 0);
    }
  }
}

/// With beta = 0 whatever Y held must not matter, also where neither its rows nor its columns are
/// neighbours.
TEST(SymmetricMatrix, OverwritesAYWhoseElementsAreAllApart) {
  const auto a = with_transpose<double>("stencil5");
  const auto matrix = prepare(Host(), symmetric(Host(), a), 3);
  const std::size_t rows = static_cast<std::size_t>(a.rows());
  const HostMultivector x("x", rows, 3);
  const HostMultivector expected("expected", rows, 3);
  const HostMultivector all("y", rows, 6);
  for (std::size_t n = 0; n < x.size(); ++n) x.data()[n] = x_value(static_cast<std::int64_t>(n), 1);
  Kokkos::deep_copy(all, std::numeric_limits<double>::quiet_NaN());
  const Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace> y(
      all.data(), Kokkos::LayoutStride(rows, 6, 3, 2));
  spmm(Host(), 3.0, matrix, x, 0.0, y);
  spmm(Host(), 3.0, matrix, x, 0.0, expected);
  Host().fence();
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t c = 0; c < 3; ++c)
      ASSERT_NEAR(y(i, c), expected(i, c), 1e-12) << i << ", " << c;
}

TEST(SymmetricMatrix, StoresOneTriangle) {
  const auto a = with_transpose<double>("stencil27_dof3");
  const auto matrix = symmetric(Host(), a);
  EXPECT_EQ(matrix.nnz(), a.nnz());
  EXPECT_EQ(matrix.stored_entries(), (a.nnz() + a.rows()) / 2);
  EXPECT_LT(matrix.bytes(), 0.6 * static_cast<double>(a.bytes()));
}

TEST(SymmetricMatrix, ComesFromEitherTriangle) {
  const auto a = with_transpose<double>("ragged");
  std::map<std::pair<int, int>, double> lower;
  std::map<std::pair<int, int>, double> upper;
  for (int i = 0; i < a.rows(); ++i)
    for (int n = a.row_map(i); n < a.row_map(i + 1); ++n) {
      if (a.entries(n) <= i) lower[{i, a.entries(n)}] = a.values(n);
      if (a.entries(n) >= i) upper[{i, a.entries(n)}] = a.values(n);
    }
  for (const auto& triangle : {lower, upper}) {
    const auto matrix = Symmetric<double>::from_triangle(Host(), csr_of(a.rows(), triangle));
    const auto back = matrix.to_csr(Host());
    ASSERT_EQ(matrix.nnz(), a.nnz());
    ASSERT_EQ(back.nnz(), a.nnz());
    for (int n = 0; n < a.nnz(); ++n) {
      ASSERT_EQ(back.entries(n), a.entries(n));
      ASSERT_EQ(back.values(n), a.values(n));
    }
  }
  EXPECT_THROW(Symmetric<double>::from_triangle(Host(), a), ShapeError);
}

template <class Make>
std::string message_of(const Make& make) {
  try {
    make();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SymmetricMatrix, NamesTheFirstEntryThatIsNotSymmetric) {
  const auto of = [](const std::map<std::pair<int, int>, double>& entries) {
    return message_of([&] { symmetric(Host(), csr_of(4, entries)); });
  };
  EXPECT_NE(of({{{0, 0}, 1}, {{1, 2}, 5}, {{2, 1}, 6}, {{3, 0}, 7}})
                .find("row 1, column 2 (from 0) is 5, that at row 2, column 1 is 6"),
            std::string::npos);
  EXPECT_NE(of({{{2, 2}, 1}, {{3, 0}, 7}}).find("that at row 0, column 3 is not stored"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              symmetric(Host(), converted<double, std::int32_t, Host>(zoo_matrix("wide")));
            }).find("23 x 400"),
            std::string::npos);
}

TEST(SymmetricMatrix, RefusesTwoEntriesInOnePlace) {
  using Matrix = Csr<double>;
  const Matrix::Offsets row_map("row_map", 3);
  const Matrix::Ordinals entries("entries", 2);
  const Matrix::Scalars values("values", 2);
  row_map(1) = row_map(2) = 2;
  EXPECT_NE(message_of([&] {
              symmetric(Host(), Matrix(2, 2, row_map, entries, values));
            }).find("two entries at row 0, column 0"),
            std::string::npos);
}

}  // namespace
}  // namespace fatvec::test
