// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/bandwidth.hpp"
#include "harness/options.hpp"

namespace fatvec::bench {

/// Where, with what and how a result came about: flat keys and texts, for the "context" of the
/// JSON. Google Benchmark adds the date, the host's name, its clock, caches and load.
std::vector<std::pair<std::string, std::string>> provenance(const Options& options,
                                                            const Bandwidths& bandwidths);

/// For the console: "AMD EPYC, 2 threads; host read 31.0, copy 27.5, triad 29.0 GB/s".
std::string summary(const Bandwidths& bandwidths);

}  // namespace fatvec::bench
