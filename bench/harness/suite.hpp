// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/product/product.hpp>

namespace fatvec::bench {

/// A matrix of a suite: a generator's description or a file, and a small relative with the same structure for --dry-run.
struct SuiteMatrix {
  std::string_view full;
  std::string_view tiny;
};

/// The numbers of columns that are measured with X and Y in one layout.
struct Sweep {
  product::Layout layout = product::Layout::row;
  std::vector<std::int64_t> columns;
};

/// A suite is data: bench/suites has one table per file.
struct Suite {
  std::string_view name;
  std::string_view description;
  std::vector<SuiteMatrix> matrices;
  std::vector<Sweep> sweeps;
};

/// Every suite of the program, the default first.
std::span<const Suite> suites();

/// Throws UsageError, listing the suites, for an unknown name.
const Suite& find_suite(std::string_view name);

}  // namespace fatvec::bench
