// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/core/execution.hpp>
#include <fatvec/core/system.hpp>
#include <fatvec/formats/detail/rows.hpp>

/// The partition of rows among a CPU's threads, and launches of host kernels, whose work-items are
/// its parts.
namespace fatvec::host {

/// Beyond, a product would take its time for looking for the rows of its shares.
inline constexpr int most_blocks_per_thread = 65'536;

/// How host kernels cut up their work; zero leaves the choice to the kernel.
struct Policy {
  /// Shares of the rows per thread, at most most_blocks_per_thread. Of several, a thread that has
  /// done its own takes those of others.
  int blocks_per_thread = 0;

  static std::vector<Policy> tuning_range() { return {{1}, {16}}; }
  [[nodiscard]] std::string to_string() const {
    return detail::concat("blocks_per_thread:", blocks_per_thread);
  }
  bool operator==(const Policy&) const = default;
};

/// Parts of a thread that others may take, where there are several. Neighbouring rows stay together
/// in a thread's cache and memory node as long as no thread waits.
inline constexpr int shared_parts = 16;
/// Work of a thread beyond which waiting for the slowest takes longer than counting parts:
/// multiplications, and 3 of them for finding an entry and its row of X.
inline constexpr std::int64_t least_shared_work = 200'000;

/// Parts of each of some threads with so much work. One thread shares none; of much work it has
/// parts nevertheless, each of which decides by itself what is prefetched.
inline int parts_of_thread(std::int64_t work, std::int64_t threads) {
  const std::int64_t least = threads == 1 ? shared_parts * least_shared_work : least_shared_work;
  return work > least ? shared_parts : 1;
}

}  // namespace fatvec::host

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
    const auto reached = [&](std::int64_t row) { return access.slots_before(row) + row >= target; };
    // From where it would be if all rows were alike, in growing steps: what is near by is in fewer
    // lines of memory than a search of all rows would read.
    std::int64_t low = rows / parts * part;
    std::int64_t high = low;
    std::int64_t step = 16;
    for (; low > 0 && reached(low); step *= 4) {
      high = low;
      low = Kokkos::max<std::int64_t>(0, low - step);
    }
    for (; high < rows && !reached(high); step *= 4) {
      low = high;
      high = Kokkos::min(rows, high + step);
    }
    const std::int64_t first = first_where(low, high, reached);
    return Kokkos::min(rows, (first + granularity - 1) / granularity * granularity);
  }
};

/// Work below which starting two threads takes longer than the product (docs/performance.md):
/// multiplications, and for each entry 3 more for finding it and its row of X.
inline constexpr std::int64_t serial_work = 12'000;

/// Parts for a product with k columns: one where it is too small for several threads. Throws
/// UsageError for a policy out of range.
template <class ExecSpace>
std::int64_t parts_for(const ExecSpace& exec, const host::Policy& policy,
                       std::int64_t stored_entries, std::int64_t k) {
  if (policy.blocks_per_thread < 0 || policy.blocks_per_thread > host::most_blocks_per_thread)
    throw UsageError(concat("host policy: blocks_per_thread is ", policy.blocks_per_thread,
                            "; it is at most ", host::most_blocks_per_thread,
                            ", or 0, which leaves it to the kernel."));
  const std::int64_t threads = exec.concurrency();
  if (policy.blocks_per_thread > 0) return threads * policy.blocks_per_thread;
  const std::int64_t work = stored_entries * (k + 3);
  if (is_synchronous<ExecSpace> && work < serial_work) return 1;
  return threads * host::parts_of_thread(work / threads, threads);
}

/// The next part of a thread's own range, which every thread may take; alone in its cache line.
struct alignas(64) NextPart {
  std::int64_t part;  ///< not initialised: a launch sets as many as it has threads
};

/// A thread's own parts, in order, then what is left of those of the threads after it.
template <class Kernel>
struct OwnPartsFirst {
  Kernel kernel;
  NextPart* next;
  std::int64_t threads;
  std::int64_t parts;

  [[nodiscard]] std::int64_t begin(std::int64_t thread) const { return parts * thread / threads; }

  void operator()(std::int64_t thread) const {
    for (std::int64_t n = 0; n < threads; ++n) {
      const std::int64_t owner = (thread + n) % threads;
      const std::int64_t last = begin(owner + 1);
      const std::atomic_ref<std::int64_t> of_owner(next[owner].part);
      if (of_owner.load(std::memory_order_relaxed) >= last) continue;
      for (std::int64_t part = 0; (part = of_owner.fetch_add(1, std::memory_order_relaxed)) < last;)
        kernel(part);
    }
  }
};

/// Threads that can take parts from one another: their counters are on the caller's stack.
inline constexpr int most_stealing_threads = 256;

/// kernel(0) ... kernel(parts - 1) on exec's threads, or a single one on the caller's.
template <class ExecSpace, class Kernel>
void launch_parts(const char* label, const ExecSpace& exec, std::int64_t parts,
                  const Kernel& kernel) {
  if constexpr (is_synchronous<ExecSpace>) {
    if (parts == 1) return kernel(0);
    const std::int64_t threads = exec.concurrency();
    if (threads > 1 && threads <= most_stealing_threads && parts > threads) {
      NextPart next[most_stealing_threads];
      const OwnPartsFirst<Kernel> own_first{kernel, next, threads, parts};
      for (std::int64_t n = 0; n < threads; ++n) next[n].part = own_first.begin(n);
      Kokkos::parallel_for(label, Range<ExecSpace>(exec, 0, threads).set_chunk_size(1), own_first);
      return;
    }
  }
  Kokkos::parallel_for(label, Range<ExecSpace>(exec, 0, parts), kernel);
}

}  // namespace fatvec::detail
