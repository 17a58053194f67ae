// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "harness/reduction.hpp"

/// What the hand-written reductions and the libraries on the host have in common: they know one
/// vector, so a multivector takes k calls.
namespace fatvec::bench::raw {

/// of_column(x, y, step, n) returns the result of one column, append(numbers, result) its numbers.
template <class T, class Result, class OfColumn, class Append>
struct ColumnByColumn {
  VectorOperands operands;
  OfColumn of_column;
  Append append;
  std::shared_ptr<std::vector<Result>> results = std::make_shared<std::vector<Result>>(operands.k);

  template <class ExecSpace>
  void operator()(const ExecSpace&) const {
    for (std::int64_t c = 0; c < operands.k; ++c) {
      const std::int64_t begin = operands.column_begin(c);
      (*results)[c] = of_column(operands.x<T>() + begin, operands.y<T>() + begin,
                                operands.row_stride(), operands.n);
    }
  }
  template <class ExecSpace>
  [[nodiscard]] std::vector<double> numbers(const ExecSpace&) const {
    std::vector<double> numbers;
    for (const auto& result : *results) append(numbers, result);
    return numbers;
  }
};

template <class T, class ExecSpace, class OfColumn, class Append>
void add_host_vectors(Registry& registry, const char* name, const char* backend,
                      Operation operation, OfColumn of_column, Append append) {
  using Result = std::invoke_result_t<OfColumn, const T*, const T*, std::int64_t, std::int64_t>;
  registry.add(VectorContender{.name = name,
                               .backend = backend,
                               .operation = operation,
                               .parameters = scalar_parameter<T>(),

                               .prepare = [=](const VectorOperands& operands) {
                                 return make_reduction<ExecSpace>(
                                     ColumnByColumn<T, Result, OfColumn, Append>{
                                         operands, of_column, append});
                               }});
}

/// Way has statistics() and dot() as raw/serial/vectors.hpp.
template <class T, class ExecSpace, class Statistics, class Dot>
void add_host_vectors(Registry& registry, const char* name, const char* backend,
                      Statistics statistics, Dot dot) {
  add_host_vectors<T, ExecSpace>(
      registry, name, backend, Operation::statistics,
      [=](const T* x, const T*, std::int64_t step, std::int64_t n) {
        return statistics(x, step, n);
      },
      [](auto& numbers, const auto& result) {
        append_numbers(numbers, Operation::statistics, result);
      });
  add_host_vectors<T, ExecSpace>(registry, name, backend, Operation::dot, dot,
                                 [](auto& numbers, const auto& result) {
                                   numbers.push_back(static_cast<double>(result.sum));
                                 });
}

}  // namespace fatvec::bench::raw
