// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/formats/bsr.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/kernels/device/staged_launch.hpp>
#include <fatvec/kernels/shared/slots.hpp>

/// Teams whose rows do not fit into their scratch memory read A where it is. Which do is decided by
/// each team, the same on every backend; here a team is one that tells whether it was asked for
/// scratch memory.
namespace fatvec::detail {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Csr = CsrMatrix<double, int, Exec, int>;
using Multivector = Kokkos::View<double**, Kokkos::LayoutRight, Exec>;
using X = MultiVectorSpan<const double, Columns::contiguous>;
using Tile = SpacedTile<double, 2>;
constexpr int k = 4;

struct Team {
  struct Scratch {
    std::byte* memory;
    KOKKOS_FUNCTION void* get_shmem_aligned(std::size_t, std::size_t) const { return memory; }
  };
  int rank;
  int teams;
  std::byte* memory;
  bool* staged;

  KOKKOS_FUNCTION int league_rank() const { return rank; }
  KOKKOS_FUNCTION int league_size() const { return teams; }
  KOKKOS_FUNCTION int team_rank() const { return 0; }
  KOKKOS_FUNCTION int team_size() const { return 1; }
  KOKKOS_FUNCTION void team_barrier() const {}
  KOKKOS_FUNCTION Scratch team_scratch(int) const {
    *staged = true;
    return {memory};
  }
};

/// Entries in diagonal blocks: `blocks[b]` of them, of `size` rows and columns each, in row b of
/// blocks.
Csr of_blocks(const std::vector<int>& blocks, int size) {
  const int rows = static_cast<int>(blocks.size()) * size;
  const Csr::Offsets row_map("row_map", rows + 1);
  for (int i = 0; i < rows; ++i) row_map(i + 1) = row_map(i) + blocks[i / size] * size;
  const Csr::Ordinals entries("entries", row_map(rows));
  const Csr::Scalars values("values", row_map(rows));
  for (int i = 0; i < rows; ++i) {
    for (int n = 0; n < blocks[i / size] * size; ++n) {
      entries(row_map(i) + n) = n;
      values(row_map(i) + n) = 1.0 / (1 + i + 2 * n);
    }
  }
  return Csr(rows, 12 * size, row_map, entries, values);
}

/// Multiplies with room for `capacity` blocks in a team of two rows of blocks; which of the teams
/// used it.
template <int block, class Matrix>
std::vector<bool> staged_teams(const Matrix& matrix, const Csr& csr, int capacity) {
  const auto a = slots_of(matrix);
  using Product = StagedKernel<double, SlotsOf<Matrix>, block, X, Tile, ScaledSum<double>>;
  const Multivector x("x", csr.cols(), k);
  const Multivector y("y", csr.rows(), k);
  for (int j = 0; j < csr.cols(); ++j)
    for (int c = 0; c < k; ++c) x(j, c) = 0.25 * (j - c);
  Kokkos::deep_copy(y, -1);
  const auto reference = verify::reference_product(2.0, csr, x, 0.5, y);

  const std::int64_t count = a.count;
  const ThreadMapping shape = ThreadMapping::of(4, 1, Tile::width, k, 1);
  EXPECT_EQ(shape.rows, 2);
  const ScaledSum<double> output{2.0, 0.5, span_of<Columns::strided>(y)};
  const Product product{a.access, a.entries, a.values, a.block.row_step, a.block.column_step,
                        count,    a.rows(),  a.cols(), {x.data(), k},    output,
                        shape,    k,         1,        capacity};
  const int teams = static_cast<int>((count + shape.rows - 1) / shape.rows);
  std::vector<bool> result;
  for (int rank = 0; rank < teams; ++rank) {
    std::vector<std::max_align_t> memory(
        Product::scratch_bytes(capacity) / sizeof(std::max_align_t) + 1);
    bool staged = false;
    product(Team{rank, teams, reinterpret_cast<std::byte*>(memory.data()), &staged});
    result.push_back(staged);
  }
  EXPECT_TRUE(verify::compare(reference, y).passed)
      << "blocks of " << block << ", room for " << capacity;
  return result;
}

using Flags = std::vector<bool>;
const std::vector<int> lengths = {1, 2, 5, 6, 0, 0, 3, 1, 7};  // teams have 3, 11, 0, 4 and 7

TEST(StagedKernel, TeamsWithTooManyBlocksReadThemWhereTheyAre) {
  const Csr csr = of_blocks(lengths, 2);
  FormatOptions options;
  options.block_size = 2;
  const auto expect = [&](const auto& bsr) {
    EXPECT_EQ(staged_teams<2>(bsr, csr, 12), Flags({true, true, true, true, true}));
    EXPECT_EQ(staged_teams<2>(bsr, csr, 4), Flags({true, false, true, true, false}));
    EXPECT_EQ(staged_teams<2>(bsr, csr, 0), Flags({false, false, true, false, false}));
  };
  expect(BsrMatrix<double, int, Exec, int, Kokkos::LayoutLeft>::from_csr(Exec(), csr, options));
  expect(BsrMatrix<double, int, Exec, int, Kokkos::LayoutRight>::from_csr(Exec(), csr, options));
}

}  // namespace
}  // namespace fatvec::detail
