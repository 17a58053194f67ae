// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/options.hpp"
#include "harness/suite.hpp"

namespace fatvec::bench {

/// Runs a suite of ranks; the exit code of all. The first rank prints and writes, the others
/// measure with it. Throws UsageError where this program was built without MPI.
int run_on_ranks(const Options& options, const Suite& suite);

}  // namespace fatvec::bench
