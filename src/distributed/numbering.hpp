// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <fatvec/distributed/build.hpp>

namespace fatvec::distributed {

/// Numbers for rows that lie on the ranks in any order: rank 0's come first, each rank's in the
/// order in which it names them, so that ranks have ranges of them. For maps that are not
/// contiguous, and the parts of a graph partitioner.
class Numbering {
 public:
  /// mine: this rank's rows, in the caller's numbers; each of 0 ... rows - 1 is on one rank, once.
  /// Row n of this rank's part of a vector is row mine[n] of the caller. Collective; throws
  /// InputError on all ranks where a row is outside, missing or there twice.
  Numbering(const Communicator& communicator, std::int64_t rows,
            const std::vector<std::int64_t>& mine);

  /// Of the new numbers.
  [[nodiscard]] const Partition& partition() const { return partition_; }

  /// The new numbers of any rows, on whatever rank these are. Collective; throws InputError on all
  /// ranks where a row is outside 0 ... rows - 1.
  [[nodiscard]] std::vector<std::int64_t> operator()(const Communicator& communicator,
                                                     const std::vector<std::int64_t>& rows) const;

 private:
  Partition partition_;
  Partition directory_;  ///< evenly spread: who knows the new number of a row
  std::vector<std::int64_t> known_;
};

/// Entries in the numbers of rows and cols. Collective.
template <class Scalar>
GlobalCoo<Scalar> renumbered(const Communicator& communicator, const Numbering& rows,
                             const Numbering& cols, const GlobalCoo<Scalar>& coo) {
  communicator.agree([&] { fatvec::detail::require_shape(coo); });
  const auto copied = [&](const auto& indices) {
    return communicator.agree([&] {
      return std::vector<std::int64_t>(indices.data(), indices.data() + indices.extent(0));
    });
  };
  const auto new_rows = rows(communicator, copied(coo.row));
  const auto new_cols = cols(communicator, copied(coo.col));
  return communicator.agree([&] {
    GlobalCoo<Scalar> result(coo.rows, coo.cols, coo.entries());
    for (std::size_t n = 0; n < new_rows.size(); ++n) {
      result.row(n) = new_rows[n];
      result.col(n) = new_cols[n];
      result.value(n) = coo.value(n);
    }
    return result;
  });
}

/// A distributed matrix whose rows, and rows of X, lie on the ranks in any order; entries, in the
/// caller's numbers, may be anywhere. x_rows: of X; without it, as `rows`, where A is square.
/// Collective; errors are thrown on all ranks.
template <class Device = Kokkos::DefaultExecutionSpace, class Offset = std::int32_t, class Scalar>
auto from_coo(const Communicator& communicator, const Numbering& rows, const GlobalCoo<Scalar>& coo,
              const Options& options = {}, const std::optional<Numbering>& x_rows = {}) {
  const Numbering& cols = x_rows ? *x_rows : rows;
  const auto of_x = communicator.agree([&] { return std::optional(cols.partition()); });
  return from_coo<Device, Offset>(communicator, rows.partition(),
                                  renumbered(communicator, rows, cols, coo), options, of_x);
}

/// The same of rows that lie on their ranks already, in the order that `rows` was given: CSR whose
/// columns are the caller's numbers, in any order within a row.
template <class Device = Kokkos::DefaultExecutionSpace, class Offset = std::int32_t, class Scalar>
auto from_rows(const Communicator& communicator, const Numbering& rows,
               const GlobalCsr<Scalar>& mine, const Options& options = {},
               const std::optional<Numbering>& x_rows = {}) {
  const Numbering& cols = x_rows ? *x_rows : rows;
  const auto of_x = communicator.agree([&] { return std::optional(cols.partition()); });
  const auto columns = cols(communicator, communicator.agree([&] {
    return std::vector<std::int64_t>(mine.entries.data(), mine.entries.data() + mine.nnz());
  }));
  const GlobalCsr<Scalar> sorted = communicator.agree([&] {
    GlobalCoo<Scalar> coo(mine.rows(), mine.cols(), columns.size());
    for (std::int64_t i = 0; i < mine.rows(); ++i)
      for (std::int64_t n = mine.row_map(i); n < mine.row_map(i + 1); ++n) {
        coo.row(n) = i;
        coo.col(n) = columns[static_cast<std::size_t>(n)];
        coo.value(n) = mine.values(n);
      }
    return csr_from_coo<Kokkos::DefaultHostExecutionSpace, std::int64_t>(coo);
  });
  return from_rows<Device, Offset>(communicator, rows.partition(), sorted, options, of_x);
}

}  // namespace fatvec::distributed
