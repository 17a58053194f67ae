// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/system.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/kernels/host/policy.hpp>

/// The partition of rows among a CPU's threads, and launches of host kernels, whose work-items are
/// its parts.
namespace fatvec::detail {

/// Consecutive rows with about equal numbers of slots in each part.
struct RowPartition {
  std::int64_t rows;
  std::int64_t parts;
  std::int64_t granularity = 1;  ///< a part begins with a multiple of it

  /// First row of a part: where slots and rows before it reach the part's share. (A row costs
  /// something even when empty.)
  template <class Rows>
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t begin(std::int64_t part, const Rows& access) const {
    const double share =
        static_cast<double>(access.slots_before(rows) + rows) / static_cast<double>(parts);
    const auto target = static_cast<std::int64_t>(share * static_cast<double>(part));
    if (part == parts) return rows;
    const std::int64_t first = first_where(
        0, rows, [&](std::int64_t row) { return access.slots_before(row) + row >= target; });
    return Kokkos::min(rows, (first + granularity - 1) / granularity * granularity);
  }
};

/// Work below which starting two threads takes longer than the product (docs/performance.md):
/// multiplications, and for each entry 3 more for finding it and its row of X.
inline constexpr std::int64_t serial_work = 12'000;

/// Parts for a product with k columns: one where it is too small for several threads.
template <class ExecSpace>
std::int64_t parts_for(const ExecSpace& exec, const host::Policy& policy,
                       std::int64_t stored_entries, std::int64_t k) {
  const std::int64_t threads = exec.concurrency();
  if (policy.blocks_per_thread > 0) return threads * policy.blocks_per_thread;
  const std::int64_t work = stored_entries * (k + 3);
  if (is_synchronous<ExecSpace> && work < serial_work) return 1;
  return threads * host::parts_of_thread(work / threads, one_memory_node());
}

/// kernel(0) ... kernel(parts - 1) on exec's threads, or a single one on the caller's.
template <class ExecSpace, class Kernel>
void launch_parts(const char* label, const ExecSpace& exec, std::int64_t parts,
                  const Kernel& kernel) {
  using Dynamic = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                      Kokkos::IndexType<std::int64_t>>;
  if constexpr (is_synchronous<ExecSpace>)
    if (parts == 1) return kernel(0);
  if (parts > host::static_parts * exec.concurrency() && one_memory_node())
    Kokkos::parallel_for(label, Dynamic(exec, 0, parts, Kokkos::ChunkSize(1)), kernel);
  else
    Kokkos::parallel_for(label, Range<ExecSpace>(exec, 0, parts), kernel);
}

}  // namespace fatvec::detail
