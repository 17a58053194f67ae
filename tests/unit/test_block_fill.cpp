// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>
#include <utility>

#include <fatvec/statistics/block_fill.hpp>

#include "generated.hpp"

namespace {

using fatvec::best_block_fill;
using fatvec::block_fill;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = fatvec::CsrMatrix<double, std::int32_t, Exec>;
using Bsr = fatvec::BsrMatrix<double, std::int32_t, Exec>;

Csr generated(const char* spec) {
  return fatvec::test::generated(spec);
}

/// Dense blocks on the diagonal.
Csr block_diagonal(int size, int rows) {
  const Csr::Offsets row_map("row_map", rows + 1);
  const Csr::Ordinals entries("entries", static_cast<std::size_t>(rows) * size);
  for (int i = 0; i < rows; ++i) {
    row_map(i + 1) = (i + 1) * size;
    for (int c = 0; c < size; ++c) entries(i * size + c) = i / size * size + c;
  }
  return {rows, rows, row_map, entries, Csr::Scalars("values", entries.extent(0))};
}

TEST(BlockFill, CountsTheBlocksThatHoldEntries) {
  for (const char* spec : {"gen:stencil27:5:dof=3", "gen:uniform:97x61:7", "gen:powerlaw:300:4",
                           "gen:arrow:50", "gen:diagonal:33"}) {
    const Csr csr = generated(spec);
    const auto fills = block_fill(Exec(), csr);
    ASSERT_EQ(fills.size(), 16U);
    for (const auto& fill : fills) {
      SCOPED_TRACE(std::string(spec) + " in blocks of " + std::to_string(fill.block_size));
      std::set<std::pair<int, int>> blocks;
      for (int i = 0; i < csr.rows(); ++i)
        for (auto n = csr.row_map(i); n < csr.row_map(i + 1); ++n)
          blocks.emplace(i / fill.block_size, csr.entries(n) / fill.block_size);
      const double stored = static_cast<double>(blocks.size()) * fill.block_size * fill.block_size;
      EXPECT_EQ(fill.footprint.stored_entries, stored);
      EXPECT_DOUBLE_EQ(fill.ratio, stored / static_cast<double>(csr.nnz()));
      const double block_rows = (csr.rows() + fill.block_size - 1) / fill.block_size;
      EXPECT_EQ(fill.footprint.bytes, stored * 8 + static_cast<double>(blocks.size()) * 4 +
                                          (block_rows + 1) * sizeof(Csr::offset_type));
    }
  }
}

TEST(BlockFill, FindsTheUnknownsOfANode) {
  for (const int dof : {1, 2, 3, 4, 5}) {
    const Csr csr = generated(("gen:stencil27:8:dof=" + std::to_string(dof)).c_str());
    const auto best = best_block_fill(block_fill(Exec(), csr));
    EXPECT_EQ(best.block_size, dof);
    EXPECT_EQ(best.ratio, 1);
    const Bsr bsr = Bsr::from_csr(Exec(), csr);  // chooses alike
    EXPECT_EQ(bsr.block_size(), dof);
    EXPECT_EQ(static_cast<double>(bsr.bytes()), best.footprint.bytes);
  }
}

TEST(BlockFill, IsChosenFromASampleOfALargeMatrix) {
  for (const int dof : {2, 3}) {
    const Csr csr = generated(("gen:stencil7:20:dof=" + std::to_string(dof)).c_str());
    ASSERT_GT(csr.nnz(), 2 << 15);
    const Bsr bsr = Bsr::from_csr(Exec(), csr);
    EXPECT_EQ(bsr.block_size(), dof);
    const auto footprint = Bsr::footprint(Exec(), csr);  // of all rows
    EXPECT_EQ(static_cast<double>(bsr.bytes()), footprint.bytes);
    EXPECT_EQ(static_cast<double>(bsr.stored_entries()), footprint.stored_entries);
  }
}

/// Of rows of a fixed length not all runs may begin in the same row of a block.
TEST(BlockFill, ASampleTellsFullBlocksExactly) {
  for (const auto& [size, rows] : {std::pair(8, 8192), std::pair(4, 80'000)}) {
    const Csr csr = block_diagonal(size, rows);
    for (const std::int64_t period : {1, 2, 8, 10})
      EXPECT_NEAR(fatvec::detail::count_blocks(Exec(), csr, size, 1, period)[0], rows / size, 1e-6)
          << size << " " << period;
    EXPECT_EQ(Bsr::from_csr(Exec(), csr).block_size(), size);
  }
}

TEST(BlockFill, ASampleIsNearWhatAllEntriesTell) {
  for (const char* spec : {"gen:stencil7:30", "gen:uniform:20000:12", "gen:powerlaw:20000:9",
                           "gen:stencil27:13:dof=3", "gen:twin:thermal2:20000"}) {
    const Csr csr = generated(spec);
    const auto all = fatvec::detail::count_blocks(Exec(), csr, 1, 16, 1);
    const auto sample = fatvec::detail::count_blocks(Exec(), csr, 1, 16, 1 + csr.nnz() / 4096);
    for (int n = 0; n < 16; ++n)
      EXPECT_NEAR(sample[n], all[n], 0.12 * all[n]) << spec << ", blocks of " << n + 1;
  }
}

TEST(BlockFill, PassesOverRowsWithoutEntries) {
  const int rows = 100'000;
  const Csr::Offsets row_map("row_map", rows + 1);
  for (int i = 0; i <= rows; ++i) row_map(i) = (i > 7) + (i > 50'000) + (i > 50'001) + (i == rows);
  const Csr::Ordinals entries("entries", 4);
  entries(1) = entries(2) = 9;
  const Csr csr(rows, 20, row_map, entries, Csr::Scalars("values", 4));
  const auto fills = block_fill(Exec(), csr);
  EXPECT_EQ(fills[0].footprint.stored_entries, 4);
  EXPECT_EQ(fills[1].footprint.stored_entries, 3 * 4);
}

TEST(BlockFill, TakesAMatrixWithoutEntries) {
  for (const char* spec : {"gen:empty:0", "gen:empty:20x7"}) {
    for (const auto& fill : block_fill(Exec(), generated(spec))) {
      EXPECT_EQ(fill.footprint.stored_entries, 0);
      EXPECT_EQ(fill.ratio, 1);
    }
  }
}

}  // namespace
