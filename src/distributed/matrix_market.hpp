// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include <fatvec/distributed/build.hpp>
#include <fatvec/io/matrix_market.hpp>

namespace fatvec::distributed {

/// How rows are spread over ranks where the caller does not say.
enum class Spread {
  even,     ///< equally many rows
  nonzeros  ///< about equally many entries: the rows travel once more
};

/// This rank's share of the entries of a file, of any kind that io::read_matrix() reads; the file
/// must be seen by all ranks under that name, and be no pipe. Of text each rank reads and parses a
/// range of bytes, cut at line ends; where text is compressed, one rank inflates and parses it, and
/// the others get their entries from it. Of SciPy's and PETSc's arrays each rank reads a part, and
/// inflates what is before where they are compressed; checksums of parts are not compared. Mirrored
/// entries of symmetric files are there, duplicates kept; no dense arrays, no complex values.
/// Indices are 64-bit. Scalar: float or double. memory_limit: as of gather_rows(). Collective;
/// throws InputError on all ranks, naming the file's first bad line as io::read_matrix_market()
/// does (of arrays the first bad element of a rank), CapacityError where a host has no memory for
/// its shares, ShapeError where ranks find other sizes in the file.
template <class Scalar>
GlobalCoo<Scalar> read_entries(const Communicator& communicator, const std::filesystem::path& path,
                               std::optional<std::uint64_t> memory_limit = {});

/// A partition of `rows` into ranges of about equally many entries. Collective.
template <class Scalar>
Partition spread_by_nonzeros(const Communicator& communicator, const GlobalCoo<Scalar>& coo,
                             std::optional<std::uint64_t> memory_limit = {}) {
  const Partition even = Partition::even(communicator, coo.rows);
  const GlobalCsr<Scalar> mine = gather_rows(communicator, even, coo, memory_limit);
  const auto lengths = communicator.agree([&] { return lengths_of(mine); });
  return Partition::by_nonzeros(communicator, even, lengths);
}

/// A distributed matrix from a file, as read_entries() reads it; no rank ever holds the whole
/// matrix. Collective; errors are thrown on all ranks.
template <class Scalar = double, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
auto read_matrix_market(const Communicator& communicator, const std::filesystem::path& path,
                        Spread spread = Spread::even, const Options& options = {}) {
  const GlobalCoo<Scalar> coo = read_entries<Scalar>(communicator, path, options.memory_limit);
  const Partition rows = spread == Spread::even
                             ? Partition::even(communicator, coo.rows)
                             : spread_by_nonzeros(communicator, coo, options.memory_limit);
  return from_coo<Device, Offset>(communicator, rows, coo, options);
}

}  // namespace fatvec::distributed
