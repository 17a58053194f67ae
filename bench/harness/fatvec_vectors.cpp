// SPDX-License-Identifier: Apache-2.0
#include <fatvec/statistics/vector_statistics.hpp>

#include "harness/reduction.hpp"
#include "harness/scalar.hpp"

/// Contender `fatvec` of the suite of vectors: vector_statistics, also where only one of the norms
/// is asked for, and dot.
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

template <class ExecSpace, class Layout>
using Operand = Kokkos::View<const double**, Layout, ExecSpace, Kokkos::MemoryUnmanaged>;

template <class ExecSpace, class Layout>
struct OurStatistics {
  Operation operation;
  Operand<ExecSpace, Layout> x;
  ColumnResults<VectorStatistics<double>, ExecSpace> results;

  void operator()(const ExecSpace& exec) const { vector_statistics(exec, x, results); }
  [[nodiscard]] std::vector<double> numbers(const ExecSpace& exec) const {
    std::vector<double> numbers;
    for (const auto& column : results.on_host(exec)) append_numbers(numbers, operation, column);
    return numbers;
  }
};

template <class ExecSpace, class Layout>
struct OurDot {
  Operand<ExecSpace, Layout> x;
  Operand<ExecSpace, Layout> y;
  ColumnResults<double, ExecSpace> results;

  void operator()(const ExecSpace& exec) const { dot(exec, x, y, results); }
  [[nodiscard]] std::vector<double> numbers(const ExecSpace& exec) const {
    return results.on_host(exec);
  }
};

template <class ExecSpace, class Layout>
std::unique_ptr<Reduction> prepare(Operation operation, const VectorOperands& operands) {
  const ExecSpace exec;
  const Operand<ExecSpace, Layout> x(operands.x, operands.n, operands.k);
  const Operand<ExecSpace, Layout> y(operands.y, operands.n, operands.k);
  if (operation == Operation::dot)
    return make_reduction<ExecSpace>(OurDot<ExecSpace, Layout>{x, y, {exec, operands.k}});
  return make_reduction<ExecSpace>(
      OurStatistics<ExecSpace, Layout>{operation, x, {exec, operands.k}});
}

template <class ExecSpace>
void add(Registry& registry, const char* backend, bool on_request = false) {
  for (const auto operation : operations) {
    registry.add(
        VectorContender{.name = "fatvec",
                        .backend = backend,
                        .operation = operation,
                        .parameters = {},
                        .on_request = on_request,
                        .prepare = [operation](const VectorOperands& operands) {
                          if (operands.layout == product::Layout::row)
                            return prepare<ExecSpace, Kokkos::LayoutRight>(operation, operands);
                          return prepare<ExecSpace, Kokkos::LayoutLeft>(operation, operands);
                        }});
  }
}

}  // namespace

void add_fatvec_vectors(Registry& registry) {
#if defined(KOKKOS_ENABLE_CUDA)
  add<Kokkos::Cuda>(registry, "cuda");
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  add<Kokkos::OpenMP>(registry, "openmp");
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
  add<Kokkos::Serial>(registry, "serial", product::backends().size() > 1);
#endif
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
