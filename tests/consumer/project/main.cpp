// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <fstream>
#include <vector>

#include <fatvec/fatvec.hpp>
#include <fatvec/version.hpp>
#if defined(WITH_IO)
#include <fatvec/generate/generate.hpp>
#include <fatvec/io/matrix_market.hpp>
#endif

static_assert(FATVEC_VERSION_NUMBER >= 200, "0.2.0 or newer");

using Exec = Kokkos::DefaultExecutionSpace;

template <class View>
View copied(const std::vector<typename View::value_type>& list) {
  View view("list", list.size());
  const auto host = Kokkos::create_mirror_view(view);
  for (std::size_t i = 0; i < list.size(); ++i) host(i) = list[i];
  Kokkos::deep_copy(view, host);
  return view;
}

/// Y = A X in CSR, in HLL and by a plan for the application's own arrays of A = (2 0 1; 0 3 0).
bool multiplies() {
  const fatvec::CsrMatrix<double> a(2, 3, copied<Kokkos::View<int*>>({0, 2, 3}),
                                    copied<Kokkos::View<int*>>({0, 2, 1}),
                                    copied<Kokkos::View<double*>>({2, 1, 3}));
  Kokkos::View<double**> x("x", 3, 2);
  Kokkos::View<double**> y("y", 2, 2);
  const auto host = Kokkos::create_mirror_view(x);
  for (int j = 0; j < 3; ++j)
    for (int c = 0; c < 2; ++c) host(j, c) = 10 * c + j;
  Kokkos::deep_copy(x, host);
  const Exec exec;
  fatvec::spmm(exec, 1.0, a, x, 0.0, y);
  fatvec::spmm(exec, 1.0, fatvec::HllMatrix<double>::from_csr(exec, a), x, 1.0, y);  // doubles Y
  const auto plan = fatvec::analyse<fatvec::TypeList<fatvec::CsrRow, fatvec::HllRow>>(
      exec, a, 2, {.products = 1});
  fatvec::spmm(exec, 1.0, plan, x, 1.0, y);  // and makes it three times as much
  exec.fence();
  const auto result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  return result(0, 0) == 6 && result(1, 0) == 9 && result(0, 1) == 96 && result(1, 1) == 99;
}

bool reads() {
#if defined(WITH_IO)
  std::ofstream("consumer.mtx") << "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 5\n";
  const auto coo = fatvec::io::read_matrix_market<double>("consumer.mtx");
  const auto cube = fatvec::generate::generate(fatvec::generate::parse_spec("gen:stencil7:4"));
  return coo.rows == 2 && coo.entries() == 1 && cube.rows() == 64;
#else
  return true;
#endif
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const bool passed = multiplies() && reads();
  std::printf("fatvec " FATVEC_VERSION_STRING ": %s\n", passed ? "as expected" : "WRONG");
  return passed ? 0 : 1;
}
