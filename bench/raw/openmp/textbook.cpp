// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

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

}  // namespace

/// schedule:static is Fraga's, dynamic Balayre's with the chunk that he found best for sparse rows,
/// guided Calzetta's and Lori's.
void add_raw_openmp_textbook(Registry& registry) {
  const auto family = [](const char* name, omp_sched_t schedule, int chunk) {
    return raw::textbook::Family<Kokkos::OpenMP, OpenMpLoop>{
        .name = "raw-openmp",
        .backend = "openmp",
        .settings = {{"schedule", name}},
        .loop = {.schedule = schedule, .chunk = chunk}};
  };
  family("static", omp_sched_static, 0).add_all(registry);
  family("dynamic", omp_sched_dynamic, 64).add_all(registry);
  family("guided", omp_sched_guided, 0).add_all(registry);
  family("static", omp_sched_static, 0).add_columns(registry);
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
