// SPDX-License-Identifier: Apache-2.0
#include "harness/suite.hpp"

#include <array>

#include <fatvec/core/error.hpp>

#include "suites/demo.hpp"

namespace fatvec::bench {

std::span<const Suite> suites() {
  static const std::array all{demo_suite};
  return all;
}

const Suite& find_suite(std::string_view name) {
  std::string known;
  for (const auto& suite : suites()) {
    if (suite.name == name) return suite;
    known += (known.empty() ? "" : ", ") + std::string(suite.name);
  }
  throw UsageError(detail::concat("unknown suite '", name, "'; there are: ", known, "."));
}

}  // namespace fatvec::bench
