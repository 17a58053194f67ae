// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <limits>
#include <vector>

#include <fatvec/formats/csr.hpp>

namespace {

using Csr = fatvec::CsrMatrix<double>;
using Part = fatvec::detail::RowPart<std::int32_t>;

Csr with_lengths(const std::vector<int>& lengths) {
  const Csr::Offsets row_map("row_map", lengths.size() + 1);
  const auto host = Kokkos::create_mirror_view(row_map);
  host(0) = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) host(i + 1) = host(i) + lengths[i];
  Kokkos::deep_copy(row_map, host);
  const auto nnz = static_cast<std::size_t>(host(lengths.size()));
  return Csr(static_cast<int>(lengths.size()), 1000, row_map, Csr::Ordinals("entries", nnz), Csr::Scalars("values", nnz));
}

TEST(LongRows, AreNotLookedForUnasked) {
  const Csr csr = with_lengths({500, 1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(csr.long_rows.longest, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(csr.long_rows.pieces.extent(0), 0U);
}

TEST(LongRows, AreCutIntoPiecesThatCoverThem) {
  // 330 entries in 12 rows: a row is long beyond 4 · 330 / 12 = 110 entries.
  const Csr csr = Csr::from_csr(Csr::execution_space(), with_lengths({1, 129, 0, 1, 4, 110, 0, 0, 2, 0, 0, 83}));
  EXPECT_EQ(csr.long_rows.longest, 110);
  const auto pieces = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), csr.long_rows.pieces);
  ASSERT_EQ(pieces.extent(0), 2U);
  const std::vector<Part> expected = {{1, 0, 128}, {1, 128, 129}};
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_EQ(pieces(n).row, expected[n].row);
    EXPECT_EQ(pieces(n).first, expected[n].first);
    EXPECT_EQ(pieces(n).last, expected[n].last);
  }
}

TEST(LongRows, NeverAreOrdinaryRows) {
  EXPECT_EQ(Csr::from_csr(Csr::execution_space(), with_lengths({64, 0, 0, 0, 0, 0, 0})).long_rows.pieces.extent(0), 0U);
  EXPECT_EQ(Csr::from_csr(Csr::execution_space(), with_lengths({600, 600, 600})).long_rows.pieces.extent(0), 0U);
  EXPECT_EQ(Csr::from_csr(Csr::execution_space(), with_lengths({})).long_rows.pieces.extent(0), 0U);
}

}  // namespace
