// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/kernels/detail/row_policy.hpp>

/// Launches of the CPU kernels, whose work-items are blocks of rows.
namespace fatvec::detail {

/// Work below which starting two threads takes longer than the product: multiplications, and for each entry 3 more for finding
/// it and its row of X. Measured (docs/performance.md); more threads start later still.
inline constexpr std::int64_t serial_work = 12'000;

/// Whether a kernel on ExecSpace has ended when its launch returns, so that the caller may as well do the work itself.
template <class ExecSpace>
inline constexpr bool is_synchronous = is_cpu<ExecSpace>;
#if defined(KOKKOS_ENABLE_HPX)
template <>
inline constexpr bool is_synchronous<Kokkos::Experimental::HPX> = false;
#endif

/// Blocks of rows for a product with k columns: one where it is too small for several threads.
template <class ExecSpace>
std::int64_t blocks_for(const ExecSpace& exec, const RowPolicy& policy, std::int64_t stored_entries, std::int64_t k) {
  if (policy.blocks_per_thread > 0) return exec.concurrency() * policy.blocks_per_thread;
  if (is_synchronous<ExecSpace> && stored_entries * (k + 3) < serial_work) return 1;
  return exec.concurrency() * std::int64_t{4};
}

/// product(0) ... product(blocks - 1) on exec's threads, or a single one on the caller's.
template <class ExecSpace, class Product>
void run_blocks(const char* label, const ExecSpace& exec, std::int64_t blocks, const Product& product) {
  if constexpr (is_synchronous<ExecSpace>)
    if (blocks == 1) return product(0);
  Kokkos::parallel_for(label, Range<ExecSpace>(exec, 0, blocks), product);
}

}  // namespace fatvec::detail
