// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>

#include <fatvec/kernels/csr.hpp>

/// Y = A X for A = (2), X of ones and two columns.
int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const Kokkos::View<int*> row_map("row_map", 2), entries("entries", 1);
  const Kokkos::View<double*> values("values", 1);
  Kokkos::deep_copy(Kokkos::subview(row_map, 1), 1);
  Kokkos::deep_copy(values, 2.0);
  const Kokkos::View<double**> x("x", 1, 2), y("y", 1, 2);
  Kokkos::deep_copy(x, 1.0);
  const Kokkos::DefaultExecutionSpace exec;
  fatvec::spmm(exec, 1.0, fatvec::CsrMatrix<double>(1, 1, row_map, entries, values), x, 0.0, y);
  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  return result(0, 0) == 2 && result(0, 1) == 2 ? 0 : 1;
}
