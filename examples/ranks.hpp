// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

#include <fatvec/distributed/build.hpp>
#include <fatvec/distributed/fused.hpp>
#include <fatvec/distributed/statistics.hpp>

/// Matrices and vectors of an example on many ranks; one_device.hpp has the same names for one.
namespace examples {

using LocalRows = fatvec::CsrMatrix<double, std::int32_t, Exec>;
using Matrix = fatvec::distributed::Matrix<LocalRows>;
using Prepared = Matrix;

/// A generated matrix, each rank making its rows.
Matrix generated(const std::string& spec);

/// The rows of a generated matrix that are on this rank.
struct Rows {
  LocalRows matrix;        ///< with the columns of the whole matrix
  std::int64_t all = 0;    ///< rows of the whole matrix
  std::int64_t first = 0;  ///< the first that is here
};
Rows generated_rows(const std::string& spec);

/// The matrix with those rows and values of its own, for products.
Prepared with_values(const Exec& exec, const Rows& rows, const LocalRows::Scalars& values);

/// The first row of Y that is here, and how many are.
inline std::int64_t first_row(const Matrix& a) {
  return a.row_partition().begin(a.communicator().rank());
}
inline int rows_here(const Matrix& a) {
  return static_cast<int>(a.local_rows());
}
/// Of the whole matrix.
std::int64_t entries(const Matrix& a);

/// Room for a number for each column of a multivector, from dot() or vector_statistics().
template <class Value>
using ColumnResults = fatvec::distributed::ColumnResults<Value, Exec>;
template <class Value>
ColumnResults<Value> column_results(const Exec& exec, const Matrix& a, int columns) {
  return {a.communicator(), exec, columns};
}

/// Adds up numbers over all ranks, which get the same bits.
template <class Number>
void add_up(Number* numbers, std::size_t count) {
  static_assert(std::is_same_v<Number, double> || std::is_same_v<Number, int>);
  const MPI_Datatype type = std::is_same_v<Number, double> ? MPI_DOUBLE : MPI_INT;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : numbers, numbers, static_cast<int>(count), type, MPI_SUM, 0,
             MPI_COMM_WORLD);
  MPI_Bcast(numbers, static_cast<int>(count), type, 0, MPI_COMM_WORLD);
}

/// Around everything else in main(): starts MPI; all ranks but the first are silent.
class Environment {
 public:
  Environment(int& argc, char**& argv);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  /// Ends all ranks: others may wait for this one.
  [[noreturn]] static void fail(int status);
};

}  // namespace examples
