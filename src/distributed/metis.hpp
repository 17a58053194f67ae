// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fatvec/distributed/numbering.hpp>

namespace fatvec {
namespace detail {

/// The pattern of a rank's rows: row i has the columns columns(row_map(i)) ... . Those of a
/// GlobalCsr, whatever its scalars.
struct RowsOfPattern {
  distributed::GlobalCsr<double>::ConstOffsets row_map;
  distributed::GlobalCsr<double>::Ordinals columns;
  std::int64_t all_columns = 0;
  [[nodiscard]] std::int64_t rows() const {
    return std::max(static_cast<std::int64_t>(row_map.extent(0)), std::int64_t{1}) - 1;
  }
  [[nodiscard]] std::int64_t entries() const {
    return static_cast<std::int64_t>(columns.extent(0));
  }
  [[nodiscard]] std::int64_t length(std::int64_t row) const {
    return row_map(row + 1) - row_map(row);
  }
};

/// See distributed::partition_by_metis().
std::vector<std::int64_t> parts_by_metis(const distributed::Communicator& communicator,
                                         const distributed::Partition& rows,
                                         const RowsOfPattern& mine);

}  // namespace detail

namespace distributed {

/// Throws UsageError, with the remedy, where fatvec::mpi was built without METIS.
void require_metis();

/// A part of a square matrix for each rank, of about equally many entries, such that few rows of X
/// are needed from other ranks: found by METIS (Karypis and Kumar 1998) in the graph of the pattern
/// of A + A^T. Returns the rows that this rank is to have, ascending; maybe none. They are what a
/// Numbering wants, with which from_coo() sends entries to their ranks:
///
///     const auto part = partition_by_metis(world, rows, mine);
///     const Numbering numbering(world, rows.rows(), part);
///     const auto A = from_coo(world, numbering, coo);
///
/// mine: the rows of A that this rank has in `rows`, with global columns in any order; values are
/// not looked at. An empty row counts as one entry. METIS is serial: the first rank holds the
/// graph, that is up to two indices of METIS for each entry of A, and what METIS makes of them,
/// while the others wait. METIS' seed (METIS_OPTION_SEED) is fixed: for one METIS and one number of
/// ranks a pattern has the same parts each time. METIS draws its random numbers with the C
/// library's rand(), which it seeds anew on the first rank.
///
/// Collective; errors are thrown on all ranks: UsageError where A is not square or fatvec::mpi was
/// built without METIS, ShapeError where `rows` does not fit, InputError for columns outside the
/// matrix, CapacityError where the graph exceeds METIS' indices (32 or 64 bits) or the first rank's
/// memory.
template <class Scalar>
std::vector<std::int64_t> partition_by_metis(const Communicator& communicator,
                                             const Partition& rows, const GlobalCsr<Scalar>& mine) {
  const fatvec::detail::RowsOfPattern pattern{mine.row_map, mine.entries, mine.cols()};
  return fatvec::detail::parts_by_metis(communicator, rows, pattern);
}

}  // namespace distributed
}  // namespace fatvec
