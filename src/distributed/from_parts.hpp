// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <fatvec/core/memory.hpp>
#include <fatvec/distributed/build.hpp>

namespace fatvec {
namespace detail {

/// Throws ShapeError or InputError unless a rank's two parts fit together and to the partitions.
template <class Csr>
void require_parts(const Csr& local, const Csr& others, const std::vector<std::int64_t>& columns,
                   const distributed::Partition& rows, const distributed::Partition& x_rows,
                   int rank) {
  if (local.rows() != rows.size(rank) || others.rows() != local.rows() ||
      local.cols() != x_rows.size(rank) ||
      others.cols() != static_cast<std::int64_t>(columns.size()))
    throw ShapeError(concat("distributed matrix: parts of ", local.rows(), " x ", local.cols(),
                            " and ", others.rows(), " x ", others.cols(), " and ", columns.size(),
                            " columns; this rank has ", rows.size(rank), " rows of A and ",
                            x_rows.size(rank), " of X."));
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c] < 0 || columns[c] >= x_rows.rows() || (c > 0 && columns[c] <= columns[c - 1]) ||
        (columns[c] >= x_rows.begin(rank) && columns[c] < x_rows.end(rank)))
      throw InputError(concat("distributed matrix: column ", c, " of the other ranks' part is ",
                              columns[c], "; these are to ascend within 0 ... ", x_rows.rows() - 1,
                              ", without this rank's own."));
}

/// The pieces: the parts, the second without its empty rows. Entries and values are shared.
template <class Csr>
Pieces<Csr> pieces_of(const Csr& local, const Csr& others, const std::vector<std::int64_t>& columns,
                      std::int64_t first_column) {
  using Offset = typename Csr::offset_type;
  checked_count<Offset>(static_cast<double>(local.nnz()) + static_cast<double>(others.nnz()),
                        "entries of one rank");
  const auto local_map = host_copy(local.row_map);
  const auto others_map = host_copy(others.row_map);
  const auto entries = host_copy(others.entries);
  Pieces<Csr> pieces;
  pieces.local = local;
  pieces.columns = columns;
  while (pieces.columns_before < static_cast<std::int32_t>(columns.size()) &&
         columns[static_cast<std::size_t>(pieces.columns_before)] < first_column)
    ++pieces.columns_before;
  std::vector<Offset> halo_map{0};
  for (std::int32_t i = 0; i < local.rows(); ++i) {
    Offset before = 0;
    for (Offset n = others_map(i); n < others_map(i + 1); ++n) {
      if (entries(n) < 0 || entries(n) >= others.cols())
        throw InputError(concat("distributed matrix: row ", i,
                                " of the part of other ranks has column ", entries(n), ", of ",
                                others.cols(), "."));
      if (entries(n) < pieces.columns_before) ++before;
    }
    pieces.first_local.push_back(local_map(i) + others_map(i) + before);
    if (others_map(i + 1) == others_map(i)) continue;
    pieces.boundary.push_back(i);
    halo_map.push_back(others_map(i + 1));
  }
  pieces.halo = Csr(static_cast<std::int32_t>(pieces.boundary.size()), others.cols(),
                    to_device<typename Csr::device_type>(halo_map, "fatvec::csr::row_map"),
                    others.entries, others.values);
  return pieces;
}

}  // namespace detail

namespace distributed {

/// A distributed matrix of the two parts that a rank may have already, as PETSc's MPIAIJ does.
/// Their entries and values are shared: what changes the values there changes the matrix. `local`
/// has the columns of this rank's rows of X, from 0 on; column c of `others`, which has as many
/// rows, is column columns[c] of the whole matrix: ascending, none of this rank's own, and each is
/// exchanged, whether an entry has it or not. Columns ascend within each row of a part. Collective;
/// errors are thrown on all ranks.
template <class Csr>
Matrix<Csr> from_parts(const Communicator& communicator, const Partition& rows,
                       const Partition& x_rows, const Csr& local, const Csr& others,
                       const std::vector<std::int64_t>& columns, const Options& options = {}) {
  const auto pieces = communicator.agree([&] {
    if (rows.parts() != communicator.size() || x_rows.parts() != communicator.size())
      throw ShapeError(fatvec::detail::concat(
          "distributed matrix: partitions of ", rows.parts(), " rows' parts and ", x_rows.parts(),
          " columns' parts on ", communicator.size(), " ranks; make one part for each rank."));
    fatvec::detail::require_parts(local, others, columns, rows, x_rows, communicator.rank());
    return fatvec::detail::pieces_of(local, others, columns, x_rows.begin(communicator.rank()));
  });
  return fatvec::detail::joined(communicator, rows, x_rows, options, pieces);
}

}  // namespace distributed
}  // namespace fatvec
