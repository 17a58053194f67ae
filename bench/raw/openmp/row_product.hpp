// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fatvec/app/dispatch/matrix_product.hpp>

#include "harness/contender.hpp"
#include "raw/openmp/row_tile.hpp"
#include "raw/openmp/schedule.hpp"

/// Contender `raw-openmp`: the product as one would write it by hand for the CPU, with
/// contiguous rows in every format that can have them.
namespace fatvec::bench::raw::inline FATVEC_BENCH_IN {

template <class Rows>
struct RowProduct {
  Schedule schedule;
  std::int64_t prefetch_distance = 0;
  Partition partition = {};

  template <class Matrix>
  void prepare(const Kokkos::OpenMP&, const Matrix& matrix) {
    partition = Partition(schedule, Rows(matrix));
  }

  template <class Matrix, class X, class Y>
  void operator()(const Kokkos::OpenMP&, Scalar alpha, const Matrix& matrix, const X& x,
                  Scalar beta, const Y& y) const {
    with_layout(x, y, [&](auto by_hand_x, auto by_hand_y) {
      partition.for_each(RowTiles(Rows(matrix), alpha, by_hand_x, beta, by_hand_y,
                                  static_cast<std::int64_t>(y.extent(1)), prefetch_distance));
    });
  }
};

/// A variant of the product of one format, in its Rows' storage where there is a choice.
template <class Rows, template <class...> class Format>
Contender contender(const std::string& format, const Schedule& schedule,
                    std::vector<Parameter> parameters, const std::string& sweep = {},
                    std::int64_t prefetch_distance = 0) {
  if constexpr (requires { Rows::storage; })
    parameters.push_back({"storage", std::string(to_string(Rows::storage))});
  return {.name = "raw-openmp",
          .backend = "openmp",
          .format = format,
          .parameters = std::move(parameters),
          .sweep = sweep,
          .prepare = [schedule, prefetch_distance](product::Case task) {
            if constexpr (requires { Rows::storage; }) task.storage = Rows::storage;
            return product::make_product<Format, Scalar, Kokkos::OpenMP>(
                task, RowProduct<Rows>{schedule, prefetch_distance});
          }};
}

/// schedule:dynamic in chunks of 64 rows, and the other numbers of rows that Balayre 2024 tried on
/// request.
template <class Rows, template <class...> class Format>
void add_dynamic(Registry& registry, const std::string& format) {
  for (const int chunk : {64, 2, 4, 8, 16, 32, 128, 256}) {
    registry.add(contender<Rows, Format>(
        format, {Schedule::Kind::dynamic, chunk},
        {{"schedule", "dynamic"}, {"chunk", std::to_string(chunk)}}, chunk == 64 ? "" : "chunk"));
  }
}

}  // namespace fatvec::bench::raw::inline FATVEC_BENCH_IN
