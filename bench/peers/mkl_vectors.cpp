// SPDX-License-Identifier: Apache-2.0
#include <mkl_cblas.h>
#include <mkl_service.h>

#include <Kokkos_Core.hpp>

#include "harness/scalar.hpp"
#include "raw/host_vectors.hpp"

/// Contender `mkl` of the suite of vectors: level 1 of its BLAS.
namespace fatvec::bench::inline FATVEC_BENCH_IN {

void add_mkl_vectors(Registry& registry) {
  using Doubles = const double*;
  const auto add = [&](Operation operation, auto call) {
    raw::add_host_vectors<double, Kokkos::OpenMP>(
        registry, "mkl", "openmp", operation,
        [call](Doubles x, Doubles y, std::int64_t step, std::int64_t n) {
          // As many threads as everybody else, as in the products.
          mkl_set_dynamic(0);
          mkl_set_num_threads(Kokkos::OpenMP().concurrency());
          return call(static_cast<MKL_INT>(n), x, y, static_cast<MKL_INT>(step));
        },
        [](auto& numbers, double result) { numbers.push_back(result); });
  };
  add(Operation::dot, [](MKL_INT n, Doubles x, Doubles y, MKL_INT step) {
    return cblas_ddot(n, x, step, y, step);
  });
  add(Operation::asum,
      [](MKL_INT n, Doubles x, Doubles, MKL_INT step) { return cblas_dasum(n, x, step); });
  add(Operation::nrm2,
      [](MKL_INT n, Doubles x, Doubles, MKL_INT step) { return cblas_dnrm2(n, x, step); });
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
