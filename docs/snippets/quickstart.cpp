// SPDX-License-Identifier: Apache-2.0
// snippet: quickstart
#include <cstdio>

#include <fatvec/fatvec.hpp>

using Matrix = fatvec::CsrMatrix<double>;

/// The n × n matrix with 2 on the diagonal and -1 beside it, filled where the default execution
/// space runs.
struct Laplacian {
  int n;
  Kokkos::View<int*> row_map{"row_map", static_cast<std::size_t>(n) + 1};
  Kokkos::View<int*> entries{"entries", 3 * static_cast<std::size_t>(n) - 2};
  Kokkos::View<double*> values{"values", 3 * static_cast<std::size_t>(n) - 2};

  KOKKOS_FUNCTION void operator()(int i) const {
    int slot = i == 0 ? 0 : 3 * i - 1;
    for (int j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j == n) continue;
      entries(slot) = j;
      values(slot++) = j == i ? 2 : -1;
    }
    row_map(i + 1) = slot;  // row_map(0) is 0, as Views begin
  }
};

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    const int n = 1000;
    const int k = 8;
    const Kokkos::DefaultExecutionSpace exec;
    const Laplacian laplacian{n};
    Kokkos::parallel_for("fill", Kokkos::RangePolicy(exec, 0, n), laplacian);
    const Matrix A(n, n, laplacian.row_map, laplacian.entries,
                   laplacian.values);  // adopts the Views
    const Kokkos::View<double**> X("X", n, k);
    const Kokkos::View<double**> Y("Y", n, k);
    Kokkos::deep_copy(exec, X, 1.0);

    fatvec::spmm(exec, 1.0, A, X, 0.0, Y);  // enqueued on exec

    const auto columns = fatvec::vector_statistics(exec, Y);  // waits for exec
    std::printf("%d x %d, %lld entries; column 0 of Y: sum %g, 2-norm %g\n", A.rows(), A.cols(),
                static_cast<long long>(A.nnz()), columns[0].sum, columns[0].norm2());
  } catch (const fatvec::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
// end of snippet
