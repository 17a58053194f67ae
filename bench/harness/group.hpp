// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/cases.hpp"
#include "harness/problem.hpp"
#include "harness/timing.hpp"

namespace fatvec::bench {

/// What came of a case.
struct Outcome {
  enum class Kind { verified, skipped, failed, wrong };
  Kind kind = Kind::verified;
  std::string reason{};  ///< why there is no timing
  Timing timing{};
  double setup_seconds = 0;
  std::uint64_t matrix_bytes = 0;
  std::int64_t stored_entries = 0;
};

struct GroupPolicy {
  TimingPolicy timing;
  bool dry_run = false;       ///< verify, do not time
  double max_expansion = 16;  ///< a format may be so many times as large as CSR
};

/// Verifies and times cases of one matrix, layout and number of columns, as many side by side as a quarter of the free memory
/// holds. Whatever happens to a case is its outcome; the others go on. Outcomes are in the order of the cases.
std::vector<Outcome> measure_group(Problem& problem, const std::vector<BenchCase>& cases, const GroupPolicy& policy);

}  // namespace fatvec::bench
