// SPDX-License-Identifier: Apache-2.0
// The C++ of docs/distributed.md, run with the tests of distributed matrices.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <fatvec/distributed/generate.hpp>

// snippet: distributed product
#include <fatvec/distributed/matrix_market.hpp>
#include <fatvec/distributed/statistics.hpp>

// On every rank, after MPI_Init_thread(..., MPI_THREAD_FUNNELED, ...) and Kokkos' initialisation.
double product(const Kokkos::DefaultExecutionSpace& exec, const std::string& file) {
  const fatvec::distributed::Communicator world(MPI_COMM_WORLD);
  const auto A = fatvec::distributed::read_matrix_market(world, file);
  Kokkos::View<double**, Kokkos::LayoutRight> X("X", A.local_cols(), 8);  // this rank's rows of X
  Kokkos::View<double**, Kokkos::LayoutRight> Y("Y", A.local_rows(), 8);  // and of Y
  Kokkos::deep_copy(X, 1.0);
  spmm(exec, 1.0, A, X, 0.0, Y);  // Y = A X: rows of X travel while the local part is multiplied
  return fatvec::distributed::dot(world, exec, X, Y)[0];  // the same number on all ranks
}
// end of snippet

using Exec = Kokkos::DefaultExecutionSpace;

// snippet: distributed norms
/// The 2-norm of column 0 after each step: allocated once, one round of messages a step.
std::vector<double> norms(const fatvec::distributed::Communicator& world, const Exec& exec,
                          int steps, Kokkos::View<double**> X) {
  using Statistics = fatvec::VectorStatistics<double>;
  const fatvec::distributed::ColumnResults<Statistics, Exec> results(
      world, exec, static_cast<std::int64_t>(X.extent(1)));
  std::vector<double> of_steps;
  for (int step = 0; step < steps; ++step) {
    vector_statistics(exec, X, results);  // results.values(c) is in exec's memory, too
    of_steps.push_back(results.on_host(exec)[0].norm2());
  }
  return of_steps;
}
// end of snippet

// snippet: distributed residual
/// R = B - A X on this rank's rows.
struct ResidualOfRank {
  Kokkos::View<const double**> B;
  Kokkos::View<double**> R;

  template <int width>
  KOKKOS_FUNCTION void store(std::int64_t i, std::int64_t c, const double (&sums)[width]) const {
    for (int w = 0; w < width; ++w) R(i, c + w) = B(i, c + w) - sums[w];
  }
};

void residual(const Exec& exec, const fatvec::distributed::Matrix<fatvec::CsrMatrix<double>>& A,
              Kokkos::View<double**> X, Kokkos::View<const double**> B, Kokkos::View<double**> R) {
  spmm(exec, A, X, ResidualOfRank{B, R});
}
// end of snippet

// snippet: matrices of PETSc
#include <fatvec/distributed/petsc.hpp>

/// own, others, garray: of MatMPIAIJGetSeqAIJ. X, Y: this rank's rows of MATDENSE matrices.
template <class PetscInt, class Host, class X, class Y>
void multiply_petsc(const fatvec::distributed::Communicator& world, const Host& exec,
                    const fatvec::distributed::AijArrays<double, PetscInt>& own,
                    const fatvec::distributed::AijArrays<double, PetscInt>& others,
                    const PetscInt* garray, const X& x, const Y& y) {
  const auto A = fatvec::distributed::from_mpiaij<Host>(world, own, others, garray);  // no copy
  spmm(exec, 1.0, A, x, 0.0, y);
}
// end of snippet

// snippet: matrices of Tpetra
#include <fatvec/distributed/tpetra.hpp>

/// matrix: a filled Tpetra::CrsMatrix. X, Y: local Views of MultiVectors of its domain and row map.
template <class TpetraMatrix, class X, class Y>
void multiply_tpetra(const fatvec::distributed::Communicator& world, const Exec& exec,
                     const TpetraMatrix& matrix, const X& x, const Y& y) {
  const auto A = fatvec::distributed::from_tpetra(world, matrix);  // entries are copied
  spmm(exec, 1.0, A, x, 0.0, y);
}
// end of snippet

namespace {

/// The diagonal of 2 with two rows a rank, as PETSc and Tpetra would tell of it.
struct Twos {
  struct Map {
    using local_ordinal_type = int;
    int rank;
    int ranks;
    [[nodiscard]] std::size_t getLocalNumElements() const { return 2; }
    [[nodiscard]] std::size_t getGlobalNumElements() const {
      return 2 * static_cast<std::size_t>(ranks);
    }
    [[nodiscard]] std::int64_t getGlobalElement(int n) const { return 2 * rank + n; }
  };
  using impl_scalar_type = double;
  using Csr = fatvec::CsrMatrix<double, std::int32_t, Kokkos::HostSpace>;
  struct Local {
    Csr graph;
    Csr::Scalars values;
    [[nodiscard]] int numRows() const { return graph.rows(); }
  };

  Map map;
  Csr csr;

  explicit Twos(const fatvec::distributed::Communicator& world) : map{world.rank(), world.size()} {
    const Kokkos::View<std::int32_t*, Kokkos::HostSpace> row_map("row_map", 3);
    csr = Csr(2, 2, row_map, Csr::Ordinals("entries", 2), Csr::Scalars("values", 2));
    for (int i = 0; i < 2; ++i) {
      row_map(i + 1) = i + 1;
      csr.entries(i) = i;
      csr.values(i) = 2;
    }
  }
  [[nodiscard]] const Map* getRowMap() const { return &map; }
  [[nodiscard]] const Map* getDomainMap() const { return &map; }
  [[nodiscard]] const Map* getColMap() const { return &map; }
  [[nodiscard]] Local getLocalMatrixHost() const { return {csr, csr.values}; }
  [[nodiscard]] fatvec::distributed::AijArrays<double> own() const {
    return {2, 2, csr.row_map.data(), csr.entries.data(), csr.values.data(), 2};
  }
};

TEST(DistributedGuide, MatricesOfOthers) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const fatvec::distributed::Communicator world;
  const Twos twos(world);
  const Kokkos::View<double**, Host> x("x", 2, 3);
  const Kokkos::View<double**, Host> y("y", 2, 3);
  Kokkos::deep_copy(x, 1.5);
  const std::vector<std::int32_t> none(3);
  using Others = fatvec::distributed::AijArrays<double>;
  multiply_petsc<std::int32_t>(world, Host(), twos.own(),
                               Others{2, 0, none.data(), nullptr, nullptr, 0}, nullptr, x, y);
  Host().fence();
  EXPECT_EQ(y(1, 2), 3);
  const Kokkos::View<double**> x_of_tpetra("x", 2, 3);
  const Kokkos::View<double**> y_of_tpetra("y", 2, 3);
  Kokkos::deep_copy(x_of_tpetra, 2.5);
  multiply_tpetra(world, {}, twos, x_of_tpetra, y_of_tpetra);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y_of_tpetra);
  EXPECT_EQ(found(1, 2), 5);
}

TEST(DistributedGuide, Norms) {
  const fatvec::distributed::Communicator world;
  const Kokkos::View<double**> x("x", 4, 2);
  Kokkos::deep_copy(x, 3.0);
  const auto found = norms(world, {}, 2, x);
  EXPECT_EQ(found, std::vector<double>(2, std::sqrt(36.0 * world.size())));
}

TEST(DistributedGuide, Residual) {
  const fatvec::distributed::Communicator world;
  const auto A = fatvec::distributed::generate(
      world, fatvec::generate::parse_spec("gen:diagonal:" + std::to_string(4 * world.size())));
  const Kokkos::View<double**> x("x", A.local_cols(), 2);
  const Kokkos::View<double**> b("b", A.local_rows(), 2);
  const Kokkos::View<double**> r("r", A.local_rows(), 2);
  spmm(Exec(), 1.0, A, x, 0.0, b);
  Kokkos::deep_copy(r, 1.0);
  residual({}, A, x, b, r);
  EXPECT_EQ(fatvec::distributed::dot(world, Exec(), r, r)[0], 0);
}

TEST(DistributedGuide, Product) {
  const fatvec::distributed::Communicator world;
  const std::string file = testing::TempDir() + "fatvec-distributed-guide.mtx";
  if (world.rank() == 0)
    std::ofstream(file) << "%%MatrixMarket matrix coordinate real symmetric\n"
                           "3 3 4\n1 1 2\n2 1 -1\n2 2 2\n3 3 5\n";
  MPI_Barrier(world.get());
  EXPECT_EQ(product({}, file), 7);
  MPI_Barrier(world.get());
  if (world.rank() == 0) std::remove(file.c_str());
}

}  // namespace
