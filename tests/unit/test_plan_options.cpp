// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include <fatvec/plan/plan.hpp>

#include "generated.hpp"

/// What a plan is told and cannot be is refused, before anything is allocated for it.
namespace fatvec {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, int, Exec>;

Machine a_machine() {
  return {"test", Exec::name(), true, 4, 50, 200, 32e6, 1e-6, 1e-8};
}

Csr a_matrix() {
  return test::generated("gen:powerlaw:700:4.2");
}

TEST(PlanOptions, RefusesOptionsOutOfRange) {
  const Csr a = a_matrix();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double products : {nan, -1.0, infinity})
    EXPECT_THROW(analyse(Exec(), a, 8, {.products = products, .machine = a_machine()}), UsageError);
  EXPECT_THROW(analyse(Exec(), a, 8, {.layout = Layout(7), .machine = a_machine()}), UsageError);
  EXPECT_THROW(analyse(Exec(), a, 8, {.op = Op('x'), .machine = a_machine()}), UsageError);
}

TEST(PlanOptions, RefusesColumnsOutOfRange) {
  const Csr a = a_matrix();
  for (const bool packed : {false, true}) {
    const PlanOptions options{.choice = Choice{"hll-row", "", packed}, .machine = a_machine()};
    for (const std::int64_t k : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 31,
                                 std::int64_t{1} << 60, std::int64_t{INT64_MAX}})
      EXPECT_THROW(analyse(Exec(), a, k, options), ShapeError) << k;
  }
  const PlanOptions packing{.choice = Choice{"hll-row", "", true}, .machine = a_machine()};
  EXPECT_THROW(analyse(Exec(), a, INT32_MAX, packing), CapacityError);
  PlanOptions limited = packing;  // to A in HLL and half of X
  limited.format.memory_limit =
      convert<HllMatrix<double, int, Exec>>(Exec(), a).bytes() + std::uint64_t{32} * 700;
  EXPECT_THROW(analyse(Exec(), a, 64, limited), CapacityError);
}

}  // namespace
}  // namespace fatvec
