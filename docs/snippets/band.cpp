// SPDX-License-Identifier: Apache-2.0
// What docs/extending.md builds, put to the tests that every kernel of the library must pass.
#include <fatvec/plan/model.hpp>

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

/// Nobody has measured it: on CPUs and GPUs the model has it cost what CSR would with such bytes.
TEST(Model, CostsAnUnknownFormatLikeCsr) {
  const ZooMatrix csr = zoo_matrix("arrow");
  const Structure structure = [&] {
    Structure all = structure_of(Kokkos::DefaultHostExecutionSpace(), csr);
    const Footprint of_csr = detail::footprint_of(all, "csr").footprint;
    all.formats.push_back({BandMatrix<double>::name, of_csr});
    return all;
  }();
  ASSERT_GT(structure.rows.max, detail::worth_a_launch);
  for (const bool cpu : {false, true})
    for (const Layout layout : {Layout::row, Layout::column})
      for (const bool packed : {false, true}) {
        const Machine machine{.device = "test",
                              .backend = "test",
                              .cpu = cpu,
                              .memory_gbs = 50,
                              .cache_gbs = 200,
                              .cache_bytes = 1e6,
                              .launch_seconds = 1e-6,
                              .latency_seconds = 1e-8};
        const Workload workload{.k = 8, .layout = layout};
        const auto predicted = [&](const char* format) {
          return detail::predict_format(machine, structure, workload,
                                        {.kernel = "csr-row", .packed = packed}, format);
        };
        const Prediction like_csr = predicted("csr");
        const Prediction band = predicted("band");
        EXPECT_EQ(band.unweighted, like_csr.unweighted);
        EXPECT_EQ(band.parts, like_csr.parts);
        EXPECT_EQ(band.setup_seconds, like_csr.setup_seconds);
        EXPECT_GT(band.new_bytes, like_csr.new_bytes) << "it has to be made of CSR";
      }
}

}  // namespace
}  // namespace fatvec::test
