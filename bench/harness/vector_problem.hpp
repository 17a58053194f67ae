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
/// contender reads the same ones. Elements are doubles uniform in [-1, 1), one of 64 is 0; they
/// depend on their row and column alone. As ints they are a thousand times that, rounded towards 0;
/// all sums of them are whole numbers below 2^53, and must be right to the last digit.
class VectorProblem {
 public:
  VectorProblem(std::int64_t n, std::int64_t k, product::Layout layout, bool in_int = false)
      : n_(n), k_(k), layout_(layout), in_int_(in_int) {}

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
  [[nodiscard]] double element(int operand, std::int64_t row, std::int64_t column) const;

  std::int64_t n_;
  std::int64_t k_;
  product::Layout layout_;
  bool in_int_;
  std::vector<Column> answers_;  ///< computed when first needed
  Kokkos::View<char*, Kokkos::HostSpace> host_[2];
#if defined(KOKKOS_ENABLE_CUDA)
  Kokkos::View<char*, Kokkos::CudaSpace> device_[2];
#endif
};

}  // namespace fatvec::bench
