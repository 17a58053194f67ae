// SPDX-License-Identifier: Apache-2.0
// What docs/extending.md builds, put to the tests that every kernel of the library must pass.
#include "band_row.hpp"
#include "conformance.hpp"

namespace fatvec::test {
namespace {

void check_band(const std::string& name) {
  Conformance<BandRow, Kokkos::DefaultExecutionSpace, double, std::int32_t> check(zoo_matrix(name));
  check.check_round_trip();
  check.check_layouts({1, 8, 11});
  check.check_policies({5});
}

/// On matrices of the zoo with a narrow band, and the awkward ones.
bool register_band() {
  for (const std::string name :
       {"zero_by_zero", "zero_rows", "zero_columns", "no_entries", "one_by_one", "wide", "tall",
        "one_row", "duplicates_and_explicit_zeros", "stencil5", "stencil9_dof2", "banded",
        "diagonal"}) {
    register_test("guides_BandRow", name, [name] { check_band(name); });
  }
  return true;
}

const bool registered = register_band();

}  // namespace
}  // namespace fatvec::test
