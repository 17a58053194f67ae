// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/dispatch/backends.hpp>
#include <fatvec/statistics/vector_statistics.hpp>

#include "harness/reduction.hpp"
#include "harness/scalar.hpp"

/// Contender `fatvec` of the suite of vectors: vector_statistics, also where only one of the norms
/// is asked for, and dot; of doubles and of ints.
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

template <class T, class ExecSpace, class Layout>
using Operand = Kokkos::View<const T**, Layout, ExecSpace, Kokkos::MemoryUnmanaged>;

template <class T, class ExecSpace, class Layout>
struct OurStatistics {
  Operation operation;
  Operand<T, ExecSpace, Layout> x;
  ColumnResults<VectorStatistics<T>, ExecSpace> results;

  void operator()(const ExecSpace& exec) const { vector_statistics(exec, x, results); }
  [[nodiscard]] std::vector<double> numbers(const ExecSpace& exec) const {
    std::vector<double> numbers;
    for (const auto& column : results.on_host(exec)) append_numbers(numbers, operation, column);
    return numbers;
  }
};

template <class T, class ExecSpace, class Layout>
struct OurDot {
  Operand<T, ExecSpace, Layout> x;
  Operand<T, ExecSpace, Layout> y;
  ColumnResults<DotOf<Operand<T, ExecSpace, Layout>>, ExecSpace> results;

  void operator()(const ExecSpace& exec) const { dot(exec, x, y, results); }
  [[nodiscard]] std::vector<double> numbers(const ExecSpace& exec) const {
    const auto values = results.on_host(exec);
    return {values.begin(), values.end()};
  }
};

template <class T, class ExecSpace, class Layout>
std::unique_ptr<Reduction> prepare(Operation operation, const VectorOperands& operands) {
  const ExecSpace exec;
  const Operand<T, ExecSpace, Layout> x(operands.x<T>(), operands.n, operands.k);
  const Operand<T, ExecSpace, Layout> y(operands.y<T>(), operands.n, operands.k);
  if (operation == Operation::dot)
    return make_reduction<ExecSpace>(OurDot<T, ExecSpace, Layout>{x, y, {exec, operands.k}});
  return make_reduction<ExecSpace>(
      OurStatistics<T, ExecSpace, Layout>{operation, x, {exec, operands.k}});
}

template <class T, class ExecSpace>
void add(Registry& registry, const std::string& backend) {
  for (const auto operation : operations) {
    registry.add(VectorContender{
        .name = "fatvec",
        .backend = backend,
        .operation = operation,
        .parameters = scalar_parameter<T>(),
        .on_request = runs_on_request(backend),
        .prepare = [operation](const VectorOperands& operands) {
          return product::with_layout(operands.layout, [&]<class KokkosLayout>(KokkosLayout) {
            return prepare<T, ExecSpace, KokkosLayout>(operation, operands);
          });
        }});
  }
}

}  // namespace

void add_fatvec_vectors(Registry& registry) {
  product::for_each_backend([&](auto backend) {
    using Space = typename decltype(backend)::Space;
    add<double, Space>(registry, std::string(backend.name));
    add<int, Space>(registry, std::string(backend.name));
  });
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
