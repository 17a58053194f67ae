// SPDX-License-Identifier: Apache-2.0
#include "raw/openmp/vectors.hpp"

#include "harness/scalar.hpp"
#include "raw/host_vectors.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {

void add_raw_openmp_vectors(Registry& registry) {
  raw::add_host_vectors<double, Kokkos::OpenMP>(
      registry, "raw-openmp", "openmp", raw::openmp::statistics<double>, raw::openmp::dot<double>);
  raw::add_host_vectors<int, Kokkos::OpenMP>(registry, "raw-openmp", "openmp",
                                             raw::openmp::statistics<int>, raw::openmp::dot<int>);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
