// SPDX-License-Identifier: Apache-2.0
// COO is not of the registry: programs and plans do not know it.
#include <fatvec/kernels/coo.hpp>
#include <fatvec/plan/convert.hpp>

#include "conformance.hpp"

namespace fatvec::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

const bool row = register_conformance<CooRow, Exec, double, std::int32_t>("CooRow");
const bool portable = register_conformance<CooPortable, Exec, double, std::int32_t>("CooPortable");

using Host = Kokkos::DefaultHostExecutionSpace;
using HostCoo = CooMatrix<double, std::int32_t, Host, std::int64_t>;

TEST(Coo, HasARowIndexForEachEntryInPlaceOfOffsets) {
  const ZooMatrix csr = zoo_matrix("ragged");
  const auto coo = convert<HostCoo>(Host(), csr);
  Kokkos::fence();
  EXPECT_EQ(coo.bytes(), static_cast<std::uint64_t>(csr.nnz()) * (4 + 4 + 8));
  for (std::int64_t i = 0; i < csr.rows(); ++i)
    for (std::int64_t n = csr.row_map(i); n < csr.row_map(i + 1); ++n)
      ASSERT_EQ(coo.row_indices(n), i) << n;
}

TEST(Coo, TooLargeAMatrixIsRefusedBeforeItIsAllocated) {
  FormatOptions options;
  options.memory_limit = 16;
  EXPECT_THROW(convert<HostCoo>(Host(), zoo_matrix("ragged"), options), CapacityError);
}

}  // namespace
}  // namespace fatvec::test
