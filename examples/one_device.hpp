// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include <fatvec/fused/fused.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/statistics/vector_statistics.hpp>

/// Matrices and vectors of an example on one device; ranks.hpp has the same names for many.
namespace examples {

using Matrix = fatvec::CsrMatrix<double, std::int32_t, Exec>;  // as fatvec::kernels has it
using Prepared = fatvec::Prepared<Matrix>;

/// A generated matrix (fatvec::generate::parse_spec says what can be) in the device's memory.
Matrix generated(const std::string& spec);

/// The rows of a generated matrix that are here: all.
struct Rows {
  Matrix matrix;           ///< with the columns of the whole matrix
  std::int64_t all = 0;    ///< rows of the whole matrix
  std::int64_t first = 0;  ///< the first that is here
};
Rows generated_rows(const std::string& spec);

/// The matrix with those rows and values of its own, for products. Shares the other arrays.
Prepared with_values(const Exec& exec, const Rows& rows, const Matrix::Scalars& values);

/// The first row of Y that is here, and how many are.
inline std::int64_t first_row(const Matrix&) {
  return 0;
}
inline int rows_here(const Matrix& a) {
  return a.rows();
}
inline std::int64_t entries(const Matrix& a) {
  return a.nnz();
}

/// Room for a number for each column of a multivector, from dot() or vector_statistics().
template <class Value>
using ColumnResults = fatvec::ColumnResults<Value, Exec>;
template <class Value>
ColumnResults<Value> column_results(const Exec& exec, const Matrix&, int columns) {
  return {exec, columns};
}

/// Adds up numbers over all ranks, of which there is one.
template <class Number>
void add_up(Number*, std::size_t) {}

/// Around everything else in main().
struct Environment {
  Environment(int&, char**&) {}
  static void fail(int) {}
};

}  // namespace examples
