// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fatvec/core/error.hpp>

namespace fatvec::host {

/// How host kernels cut up their work; zero leaves the choice to the kernel.
struct Policy {
  /// Shares of the rows per thread; more than 4 are taken by the thread that is free
  /// (partition.hpp).
  int blocks_per_thread = 0;

  static std::vector<Policy> tuning_range() { return {{1}, {16}}; }
  [[nodiscard]] std::string to_string() const {
    return detail::concat("blocks_per_thread:", blocks_per_thread);
  }
  bool operator==(const Policy&) const = default;
};

/// A line of a table: parts of a thread's rows, where its work is at most so much. Work:
/// multiplications, and for each entry 3 more for finding it and its row of X.
struct PartsRule {
  std::int64_t most_work;
  int parts;

  bool operator==(const PartsRule&) const = default;
};
/// Up to this number parts are dealt out beforehand; of more, threads take the next one when they
/// are free.
inline constexpr int static_parts = 4;
/// With much to do, waiting for the slowest thread would take longer than a common counter.
inline constexpr PartsRule parts_rules[] = {{600'000, static_parts},
                                            {std::numeric_limits<std::int64_t>::max(), 16}};

/// Parts of a thread with so much work. With several memory nodes a thread keeps the pages that it
/// touched first.
inline int parts_of_thread(std::int64_t work, bool one_memory_node) {
  if (!one_memory_node) return static_parts;
  const PartsRule* rule = parts_rules;
  while (work > rule->most_work) ++rule;
  return rule->parts;
}

/// Who made the processor.
enum class Maker { amd, other };

/// Where prefetching rows of X pays.
struct PrefetchTuning {
  std::int64_t scattered;  ///< bytes of a row of X, where the columns of A are scattered
  std::int64_t pattern;  ///< bytes of X per entry that rows before did not need, where they follow
                         ///< a pattern

  /// For blocks, whose rows of X are prefetched one by one: from a cache line on.
  [[nodiscard]] PrefetchTuning for_blocks() const {
    return {scattered < 64 ? 64 : scattered, pattern};
  }
  [[nodiscard]] std::string to_string() const {
    return detail::concat("scattered:", scattered, "/pattern:", pattern);
  }
  bool operator==(const PrefetchTuning&) const = default;
};
/// AMD's processors gain from two columns on; Intel's, which look further ahead by themselves, from
/// two cache lines on. Others are treated like the latter.
inline constexpr PrefetchTuning prefetch_tunings[] = {{1, 300}, {128, 1'000'000}};

inline PrefetchTuning prefetch_tuning(Maker maker) {
  return prefetch_tunings[static_cast<int>(maker)];
}

}  // namespace fatvec::host
