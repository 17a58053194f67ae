// SPDX-License-Identifier: Apache-2.0
// The C++ of docs/vectors.md on mdspan (guides.cpp).
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <mdspan/mdspan.hpp>
#include <vector>

#include <fatvec/kernels/csr.hpp>

// snippet: mdspan
#include <fatvec/interop/mdspan.hpp>

using Rows = Kokkos::mdspan<double, Kokkos::dextents<int, 2>>;  // or std::mdspan<…>

void product(const fatvec::CsrMatrix<double, int, Kokkos::DefaultHostExecutionSpace>& A, Rows X,
             Rows Y) {
  fatvec::spmm(1.0, A, X, 0.0, Y);  // copies nothing; returns when Y is complete
}
// end of snippet

namespace {

TEST(MdspanGuide, OneRowTimesTwoColumns) {
  using Matrix = fatvec::CsrMatrix<double, int, Kokkos::DefaultHostExecutionSpace>;
  Matrix::Offsets row_map("row_map", 2);
  const Matrix::Ordinals entries("entries", 1);
  const Matrix::Scalars values("values", 1);
  row_map(1) = 1;
  values(0) = 3;
  std::vector<double> x = {1, 2};
  std::vector<double> y = {-1, -1};
  product(Matrix(1, 1, row_map, entries, values), Rows(x.data(), 1, 2), Rows(y.data(), 1, 2));
  EXPECT_EQ(y, (std::vector<double>{3, 6}));
}

}  // namespace
