// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/system.hpp>
#include <fatvec/kernels/host/policy.hpp>

/// Launches of host kernels, whose work-items are blocks of rows.
namespace fatvec::detail {

/// Work below which starting two threads takes longer than the product: multiplications, and for
/// each entry 3 more for finding it and its row of X. Measured (docs/performance.md); more threads
/// start later still.
inline constexpr std::int64_t serial_work = 12'000;

/// Blocks a thread that are dealt out beforehand; where there are more, threads take the next one
/// when they are free.
inline constexpr std::int64_t dealt_blocks = 4;

/// Blocks of rows for a product with k columns: one where it is too small for several threads. 16 a
/// thread where waiting for the slowest thread would take longer than taking blocks from a common
/// counter (docs/performance.md).
template <class ExecSpace>
std::int64_t blocks_for(const ExecSpace& exec, const host::Policy& policy,
                        std::int64_t stored_entries, std::int64_t k) {
  const std::int64_t threads = exec.concurrency();
  if (policy.blocks_per_thread > 0) return threads * policy.blocks_per_thread;
  const std::int64_t work = stored_entries * (k + 3);
  if (is_synchronous<ExecSpace> && work < serial_work) return 1;
  return threads * (work > 50 * serial_work * threads && one_memory_node() ? 16 : dealt_blocks);
}

/// product(0) ... product(blocks - 1) on exec's threads, or a single one on the caller's.
template <class ExecSpace, class Product>
void run_blocks(const char* label, const ExecSpace& exec, std::int64_t blocks,
                const Product& product) {
  using Taken = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                    Kokkos::IndexType<std::int64_t>>;
  if constexpr (is_synchronous<ExecSpace>)
    if (blocks == 1) return product(0);
  if (blocks > dealt_blocks * exec.concurrency() && one_memory_node())
    Kokkos::parallel_for(label, Taken(exec, 0, blocks, Kokkos::ChunkSize(1)), product);
  else
    Kokkos::parallel_for(label, Range<ExecSpace>(exec, 0, blocks), product);
}

}  // namespace fatvec::detail
