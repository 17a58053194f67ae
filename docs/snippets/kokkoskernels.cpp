// SPDX-License-Identifier: Apache-2.0
// The C++ of docs/kokkoskernels.md on one device, run with the other guides.
#include <gtest/gtest.h>

// snippet: from spmv
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>

#include <fatvec/fatvec.hpp>                 // line 1
#include <fatvec/interop/kokkoskernels.hpp>  // and csr_view

using Exec = Kokkos::DefaultExecutionSpace;
using Crs = KokkosSparse::CrsMatrix<double, int, Exec, void, int>;

void before(const Exec& exec, const Crs& A, Kokkos::View<double**> X, Kokkos::View<double**> Y) {
  KokkosSparse::spmv(exec, "N", 1.0, A, X, 0.0, Y);
}

void after(const Exec& exec, const Crs& A, Kokkos::View<double**> X, Kokkos::View<double**> Y) {
  const auto B = fatvec::csr_view(A);     // line 2: shares A's arrays
  fatvec::spmm(exec, 1.0, B, X, 0.0, Y);  // line 3
}
// end of snippet

// snippet: transposes of spmv
void transposed(const Exec& exec, const Crs& A, Kokkos::View<double**> X,
                Kokkos::View<double**> Y) {
  const auto B = fatvec::csr_view(A);
  fatvec::spmm(exec, "T", 1.0, B, X, 0.0, Y);
}
// end of snippet

// snippet: in place of a handle
/// Many products of one matrix: the plan does for fatvec what SPMVHandle does there.
void many(const Exec& exec, const Crs& A, int products, Kokkos::View<double**> X,
          Kokkos::View<double**> Y) {
  const auto plan = fatvec::analyse(exec, fatvec::csr_view(A), Y.extent(1));
  for (int n = 0; n < products; ++n) fatvec::spmm(exec, 1.0, plan, X, 1.0, Y);
}
// end of snippet

// snippet: back to Kokkos Kernels
/// Of the same arrays.
Crs back(const fatvec::CsrMatrix<double>& A) {
  return fatvec::crs_matrix(A, "A");
}
// end of snippet

// snippet: raw pointers
// A solver's own arrays: on the host for a CPU build, on the device for a GPU build. Nothing is
// copied or freed.
fatvec::CsrMatrix<double> adopt(int rows, int cols, int nnz, const int* row_map, int* entries,
                                double* values) {
  return {rows, cols, Kokkos::View<const int*>(row_map, rows + 1), Kokkos::View<int*>(entries, nnz),
          Kokkos::View<double*>(values, nnz)};
}

/// X or Y of a column-major array: element (i, c) is array[i + c * leading].
auto column_major(double* array, int rows, int k, int leading) {
  const Kokkos::LayoutStride layout(rows, 1, k, leading);
  return Kokkos::View<double**, Kokkos::LayoutStride>(array, layout);
}
// end of snippet

// snippet: a local matrix of Tpetra
/// matrix: a filled Tpetra::CrsMatrix on one process. Its arrays are shared.
template <class TpetraMatrix>
void multiply_local(const Exec& exec, const TpetraMatrix& matrix, Kokkos::View<double**> X,
                    Kokkos::View<double**> Y) {
  const auto A = fatvec::csr_view(matrix.getLocalMatrixDevice());  // offsets of size_t
  fatvec::spmm(exec, 1.0, A, X, 0.0, Y);
}
// end of snippet

// snippet: a better order
#include <fatvec/reorder/permute.hpp>

using Multi = Kokkos::View<double**>;

/// X = X + w (B - A X), many times over, by vectors that stay in the plan's order.
void richardson(const Exec& exec, const fatvec::CsrMatrix<double>& A, int steps, double w, Multi B,
                Multi X, Multi new_B, Multi new_X, Multi next) {
  const fatvec::PlanOptions options{.order = fatvec::RowOrder::rcm, .order_kept_by_caller = true};
  const auto plan = fatvec::analyse(exec, A, X.extent(1), options);
  const auto place = plan.permutation();  // row i becomes row place(i)
  fatvec::to_new_order(exec, place, B, new_B);
  fatvec::to_new_order(exec, place, X, new_X);
  for (int n = 0; n < steps; ++n, std::swap(new_X, next))
    fatvec::spmm(exec, -w, plan, new_X, 1, next, fatvec::fused::plus(w, new_B),
                 fatvec::fused::from(new_X));
  fatvec::to_old_order(exec, place, new_X, X);
}
// end of snippet

namespace {

/// The 2 × 2 matrix with 2 and 3 beside the diagonal.
template <class Offset = int>
auto two_by_two() {
  using OfOffset = KokkosSparse::CrsMatrix<double, int, Exec, void, Offset>;
  const Kokkos::View<Offset*> row_map("row_map", 3);
  const Kokkos::View<int*> entries("entries", 2);
  const Kokkos::View<double*> values("values", 2);
  const auto fill = [](const auto& view, auto... numbers) {
    const auto host = Kokkos::create_mirror_view(view);
    int at = 0;
    ((host(at++) = numbers), ...);
    Kokkos::deep_copy(view, host);
  };
  fill(row_map, 0, 1, 2);
  fill(entries, 1, 0);
  fill(values, 2, 3);
  return OfOffset("A", 2, 2, 2, values, row_map, entries);
}

struct KokkosKernelsGuide : testing::Test {
  Exec exec;
  Crs A = two_by_two();
  Kokkos::View<double**> X{"X", 2, 3};
  Kokkos::View<double**> Y{"Y", 2, 3};
  void SetUp() override { Kokkos::deep_copy(X, 1.0); }
  void expect_rows(double first, double second) {
    exec.fence();
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y);
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(found(0, c), first);
      EXPECT_EQ(found(1, c), second);
    }
  }
};

TEST_F(KokkosKernelsGuide, BothCallsMultiply) {
  before(exec, A, X, Y);
  expect_rows(2, 3);
  Kokkos::deep_copy(Y, -1.0);
  after(exec, A, X, Y);
  expect_rows(2, 3);
}

TEST_F(KokkosKernelsGuide, OffsetsOfOtherTypesAreTaken) {
  fatvec::spmm(exec, 1.0, fatvec::csr_view(two_by_two<std::size_t>()), X, 0.0, Y);
  expect_rows(2, 3);
  fatvec::spmm(exec, 2.0, fatvec::csr_view(two_by_two<long>()), X, 0.0, Y);
  expect_rows(4, 6);
}

/// What the guide asks of a Tpetra::CrsMatrix, whose local matrix is one of Kokkos Kernels.
struct LikeTpetra {
  KokkosSparse::CrsMatrix<double, int, Exec, void, std::size_t> local;
  [[nodiscard]] const auto& getLocalMatrixDevice() const { return local; }
};

TEST_F(KokkosKernelsGuide, LocalMatricesOfTpetraAreShared) {
  const LikeTpetra matrix{two_by_two<std::size_t>()};
  multiply_local(exec, matrix, X, Y);
  expect_rows(2, 3);
}

TEST_F(KokkosKernelsGuide, ModesAreOperations) {
  transposed(exec, A, X, Y);
  expect_rows(3, 2);
}

TEST_F(KokkosKernelsGuide, PlansTakeThePlaceOfHandles) {
  many(exec, A, 2, X, Y);
  expect_rows(4, 6);
}

TEST_F(KokkosKernelsGuide, AnOrderIsKeptThroughASolver) {
  const auto matrix = fatvec::csr_view(A);  // 2 and 3 beside the diagonal
  Kokkos::deep_copy(Y, 4.0);                // B
  const Multi new_B("new_B", 2, 3), new_X("new_X", 2, 3), next("next", 2, 3);
  richardson(exec, matrix, 2, 0.5, Y, X, new_B, new_X, next);
  exec.fence();
  Kokkos::deep_copy(Y, X);
  // X = 1, then (1 + (4 - 2) / 2, 1 + (4 - 3) / 2), then the same again.
  expect_rows(2 + (4 - 2 * 1.5) / 2, 1.5 + (4 - 3 * 2) / 2);
}

TEST_F(KokkosKernelsGuide, BackAreTheSameArrays) {
  EXPECT_EQ(back(fatvec::csr_view(A)).values.data(), A.values.data());
  const auto adopted =
      adopt(2, 2, 2, A.graph.row_map.data(), A.graph.entries.data(), A.values.data());
  fatvec::spmm(exec, 1.0, adopted, X, 0.0, column_major(Y.data(), 2, 3, 2));
  exec.fence();
  const auto sums = fatvec::vector_statistics(exec, Y);
  EXPECT_EQ(sums[0].sum + sums[1].sum + sums[2].sum, 15);
}

}  // namespace
