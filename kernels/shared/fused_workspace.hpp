// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fatvec/core/error.hpp>
#include <fatvec/core/execution.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/shared/partial_sums.hpp>

namespace fatvec::fused {

/// Scratch memory for the partial sums of fused operations: one for `sums` dot products or norms of
/// each of up to `columns` columns. Plans and prepared matrices have one for two sums of their k
/// columns; with other matrices, or for more, it is given to the operation. Copies share the
/// memory, which serves one product at a time.
template <class ExecSpace>
class Workspace {
 public:
  using memory_space = typename ExecSpace::memory_space;
  /// The most sums of a product.
  static constexpr int most_sums = detail::most_sums;

  Workspace() = default;
  /// Allocates 16 bytes for each sum of a column and each part of the rows: twice the teams that a
  /// device runs at a time, or 16 for each thread of a CPU. Throws ShapeError for numbers out of
  /// range, CapacityError where there is no memory.
  template <class Exec>
  Workspace(const Exec& exec, std::int64_t columns, int sums = 2)
      : columns_(columns), sums_(sums), parts_(parts_on(exec)) {
    detail::require_columns("fused::Workspace", columns, 0);
    if (sums < 0 || sums > most_sums)
      throw ShapeError(detail::concat("fused::Workspace: there are 0 to ", most_sums,
                                      " sums of a product, not ", sums, "."));
    const std::int64_t step = (columns * sums + line - 1) / line * line;
    memory_ = detail::allocate<Memory>(exec, "fatvec::fused::workspace",
                                       static_cast<std::size_t>(parts_ * step * element));
  }

  /// The most sums of k columns: as many as fit, 0 where not one does.
  [[nodiscard]] std::int64_t sums_of(std::int64_t k) const {
    return k == 0 ? most_sums : std::min<std::int64_t>(most_sums, columns_ * sums_ / k);
  }
  [[nodiscard]] std::int64_t columns() const { return columns_; }
  [[nodiscard]] int sums() const { return sums_; }
  [[nodiscard]] std::int64_t parts() const { return parts_; }  ///< of the rows, at most

  /// The memory, as elements of Sum.
  template <class Sum>
  [[nodiscard]] Sum* data() const {
    return reinterpret_cast<Sum*>(memory_.data());
  }
  template <class Sum>
  [[nodiscard]] std::int64_t size() const {
    return static_cast<std::int64_t>(memory_.extent(0) / sizeof(Sum));
  }

 private:
  using Memory = Kokkos::View<std::byte*, memory_space>;
  static constexpr std::int64_t line = detail::PartialSums<double>::line;
  static constexpr std::int64_t element = sizeof(Kokkos::complex<double>);

  template <class Exec>
  static std::int64_t parts_on(const Exec& exec) {
    const std::int64_t threads = exec.concurrency();
    return detail::is_host<Exec> ? 16 * threads : std::max<std::int64_t>(16, 2 * (threads / 128));
  }

  Memory memory_;
  std::int64_t columns_ = 0;
  int sums_ = 0;
  std::int64_t parts_ = 0;
};

}  // namespace fatvec::fused
