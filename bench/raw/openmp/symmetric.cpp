// SPDX-License-Identifier: Apache-2.0
#include "raw/symmetric.hpp"

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fatvec/kernels/symmetric.hpp>

#include "harness/contender.hpp"

/// Contenders of format `symmetric`, with --sweep symmetric: fatvec's kernel, and raw-openmp, the
/// loop over the upper triangle as one would write it: each thread adds to a copy of Y of its own,
/// from its first row on, and a second loop adds up the copies.
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

using Matrix = SymmetricMatrix<Scalar, std::int32_t, Kokkos::OpenMP, std::int32_t>;

/// fatvec's own, prepared for k columns.
struct OwnMultiply {
  std::int64_t k;
  PreparedSymmetric<Matrix> prepared = {};

  void prepare(const Kokkos::OpenMP& exec, const Matrix& matrix) {
    prepared = fatvec::prepare(exec, matrix, k);
  }
  template <class X, class Y>
  void operator()(const Kokkos::OpenMP& exec, Scalar alpha, const Matrix&, const X& x, Scalar beta,
                  const Y& y) const {
    spmm(exec, alpha, prepared, x, beta, y);
  }
};

struct RawMultiply {
  std::int64_t k;
  std::vector<std::int64_t> first = {};  ///< rows of the threads
  std::vector<std::vector<Scalar>> copies = {};

  void prepare(const Kokkos::OpenMP&, const Matrix& matrix) {
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    const auto* const offsets = matrix.upper.row_map.data();
    const std::int64_t rows = matrix.rows();
    for (std::size_t t = 0; t <= threads; ++t) {
      const std::int64_t share = matrix.stored_entries() * static_cast<std::int64_t>(t) /
                                 static_cast<std::int64_t>(threads);
      first.push_back(t == threads ? rows
                                   : std::lower_bound(offsets, offsets + rows, share) - offsets);
    }
    copies.resize(threads);
#pragma omp parallel for schedule(static, 1)
    for (std::size_t t = 0; t < threads; ++t) copies[t].resize((rows - first[t]) * k);
  }

  template <class X, class Y>
  void operator()(const Kokkos::OpenMP&, Scalar alpha, const Matrix& matrix, const X& x,
                  Scalar beta, const Y& y) {
    const auto threads = static_cast<std::int64_t>(copies.size());
    const auto& upper = matrix.upper;
#pragma omp parallel for schedule(static, 1)
    for (std::int64_t t = 0; t < threads; ++t) {
      std::fill(copies[t].begin(), copies[t].end(), Scalar{});
      Scalar* const sums = copies[t].data();
      for (std::int64_t i = first[t]; i < first[t + 1]; ++i)
        for (std::int64_t n = upper.row_map(i); n < upper.row_map(i + 1); ++n) {
          const std::int64_t j = upper.entries(n);
          const Scalar value = upper.values(n);
          for (std::int64_t c = 0; c < k; ++c) sums[(i - first[t]) * k + c] += value * x(j, c);
          if (j == i) continue;
          for (std::int64_t c = 0; c < k; ++c) sums[(j - first[t]) * k + c] += value * x(i, c);
        }
    }
#pragma omp parallel for
    for (std::int64_t i = 0; i < matrix.rows(); ++i)
      for (std::int64_t c = 0; c < k; ++c) {
        Scalar sum{};
        for (std::int64_t t = 0; t < threads && first[t] <= i; ++t)
          sum += copies[t][(i - first[t]) * k + c];
        y(i, c) = beta == Scalar{} ? alpha * sum : beta * y(i, c) + alpha * sum;
      }
  }
};

template <class Multiply>
Contender contender(const char* name, std::vector<Parameter> parameters) {
  return {.name = name,
          .backend = "openmp",
          .format = "symmetric",
          .parameters = std::move(parameters),
          .sweep = "symmetric",
          .prepare = [](const product::Case& task) {
            return make_of_symmetric<Kokkos::OpenMP>(task, Multiply{task.k});
          }};
}

}  // namespace

void add_raw_openmp_symmetric(Registry& registry) {
  registry.add(contender<OwnMultiply>("fatvec", {{"kernel", "symmetric-rows"}}));
  registry.add(contender<RawMultiply>("raw-openmp", {}));
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
