// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <string>
#include <utility>
#include <vector>

#include "raw/openmp/row_tile.hpp"
#include "raw/openmp/schedule.hpp"
#include "raw/textbook.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

/// omp parallel for with the schedule that a paper names.
struct OpenMpLoop {
  omp_sched_t schedule;
  int chunk;  ///< 0: OpenMP's own

  template <class Body>
  void operator()(std::int64_t count, const Body& body) const {
    omp_set_schedule(schedule, chunk);
#pragma omp parallel for schedule(runtime)
    for (std::int64_t i = 0; i < count; ++i) body(i);
  }
};

/// Consecutive rows of equally many entries for each thread (Calzetta and Lori 2025).
struct BalancedLoop {
  raw::Partition partition = {};

  template <class Matrix>
  void prepare(const Matrix& matrix) {
    partition = raw::Partition({raw::Schedule::Kind::balanced}, raw::CsrRows(matrix));
  }
  template <class Body>
  void operator()(std::int64_t, const Body& body) const {
    partition.for_each([&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) body(i);
    });
  }
};

template <class Loop>
raw::textbook::Family<Kokkos::OpenMP, Loop> family(std::vector<Parameter> settings, Loop loop,
                                                   const char* sweep = "textbook") {
  return {.name = "raw-openmp",
          .backend = "openmp",
          .settings = std::move(settings),
          .loop = std::move(loop),
          .sweep = sweep};
}

}  // namespace

/// schedule:static is Fraga's; dynamic Balayre's, in chunks of 64 rows, which he found best for
/// sparse ones, and the others that he tried; guided and balanced Calzetta's and Lori's.
void add_raw_openmp_textbook(Registry& registry) {
  const auto fixed = family({{"schedule", "static"}}, OpenMpLoop{omp_sched_static, 0});
  fixed.add_all(registry);
  family({{"schedule", "guided"}}, OpenMpLoop{omp_sched_guided, 0}).add_all(registry);
  family({{"schedule", "balanced"}}, BalancedLoop{}).add_csr(registry);
  const auto dynamic = [](int chunk, const char* sweep) {
    return family({{"schedule", "dynamic"}, {"chunk", std::to_string(chunk)}},
                  OpenMpLoop{omp_sched_dynamic, chunk}, sweep);
  };
  dynamic(64, "textbook").add_all(registry);
  for (const int chunk : {2, 4, 8, 16, 32, 128, 256}) dynamic(chunk, "chunk").add_rows(registry);
  fixed.add_columns(registry);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
