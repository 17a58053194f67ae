// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/reduction.hpp"

namespace fatvec::bench {

/// The two n × k multivectors of a task, on the host and, where there is one, on the device: every
/// contender reads the same ones. Elements are uniform in [-1, 1), one of 64 is 0; they depend on
/// their row and column alone.
class VectorProblem {
 public:
  VectorProblem(std::int64_t n, std::int64_t k, product::Layout layout)
      : n_(n), k_(k), layout_(layout) {}

  [[nodiscard]] bool is(std::int64_t n, std::int64_t k, product::Layout layout) const {
    return n == n_ && k == k_ && layout == layout_;
  }
  /// Where the backend reads them; allocated and filled when first asked for. Throws CapacityError
  /// where they would take more than half of the free memory.
  VectorOperands operands(const std::string& backend);
  /// Why these numbers are not the operation's results, naming the worst; nothing where they are.
  [[nodiscard]] std::optional<std::string> difference(Operation operation,
                                                      const std::vector<double>& numbers);

 private:
  /// What a number should be, and by how much rounding may change it.
  struct Wanted {
    double value;
    double allowed;
  };
  struct Column {
    std::vector<Wanted> statistics;
    Wanted dot, asum, nrm2;
  };
  void find_answers();

  std::int64_t n_;
  std::int64_t k_;
  product::Layout layout_;
  std::vector<Column> answers_;  ///< computed when first needed
  Kokkos::View<double*, Kokkos::HostSpace> host_[2];
#if defined(KOKKOS_ENABLE_CUDA)
  Kokkos::View<double*, Kokkos::CudaSpace> device_[2];
#endif
};

}  // namespace fatvec::bench
