// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "harness/cases.hpp"
#include "harness/outcome.hpp"
#include "harness/problem.hpp"

namespace fatvec::bench {

struct GroupPolicy {
  TimingPolicy timing;
  Precision precision = Precision::in_double;
  double alpha = 1;
  double beta = 0;
  bool dry_run = false;       ///< verify, do not time
  double max_expansion = 16;  ///< the largest size of a format, in sizes of CSR
};

/// Verifies and times cases of one matrix, layout and number of columns, as many side by side as a
/// quarter of the free memory holds. Whatever happens to a case is its outcome; the others go on.
/// Outcomes are in the order of the cases.
std::vector<Outcome> measure_group(Problem& problem, const std::vector<BenchCase>& cases,
                                   const GroupPolicy& policy);

}  // namespace fatvec::bench
