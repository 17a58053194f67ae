// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

#include <fatvec/formats/bsr.hpp>

namespace fatvec {

/// What blocks of one size make of a matrix.
struct BlockFill {
  int block_size = 1;
  Footprint footprint;  ///< as BsrMatrix
  double ratio = 1;  ///< elements stored over entries, at least 1: the fill ratio of Im, Yelick and
                     ///< Vuduc (Sparsity, 2004)
};

/// Block sizes 1, 2, ... BsrMatrix::max_block_size, counted where the matrix lives, in parallel. A
/// matrix without entries has the ratio 1. Allocates nothing where rows are sorted by column.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
std::vector<BlockFill> block_fill(const ExecSpace& exec,
                                  const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::block_fill");
  std::vector<BlockFill> list;
  for (const auto& footprint : BsrMatrix<Scalar, Ordinal, Device, Offset>::footprints(exec, csr)) {
    const double ratio =
        csr.nnz() == 0 ? 1 : footprint.stored_entries / static_cast<double>(csr.nnz());
    list.push_back({static_cast<int>(list.size()) + 1, footprint, ratio});
  }
  return list;
}

/// The one with the fewest bytes: the block size that BsrMatrix takes where it is given none (in
/// large matrices by a sample).
inline const BlockFill& best_block_fill(const std::vector<BlockFill>& list) {
  return *std::min_element(list.begin(), list.end(), [](const BlockFill& a, const BlockFill& b) {
    return a.footprint.bytes < b.footprint.bytes;
  });
}

}  // namespace fatvec
