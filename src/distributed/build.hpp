// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fatvec/distributed/all_to_all.hpp>
#include <fatvec/distributed/host_memory.hpp>
#include <fatvec/distributed/make_exchange.hpp>
#include <fatvec/distributed/matrix.hpp>
#include <fatvec/formats/assemble.hpp>

namespace fatvec {
namespace detail {

/// What split() finds, in memory of the device.
template <class Csr>
struct Pieces {
  Csr local;
  Csr halo;
  std::vector<std::int32_t> boundary;
  std::vector<std::int64_t> columns;
  std::int32_t columns_before = 0;
  std::vector<typename Csr::offset_type> first_local;
};

/// The matrix of a rank's pieces, whose arrays it shares. Collective.
template <class Csr>
distributed::Matrix<Csr> joined(const distributed::Communicator& communicator,
                                const distributed::Partition& rows,
                                const distributed::Partition& x_rows,
                                const distributed::Options& options, const Pieces<Csr>& pieces) {
  using namespace distributed;
  const HaloPlan plan = make_halo_plan(communicator, x_rows, pieces.columns);
  auto exchange =
      make_exchange<typename Csr::execution_space>(communicator, plan, options.use_nccl);
  return communicator.agree([&] {
    const Volume volume{plan.sent_rows(), plan.received_rows(),
                        static_cast<std::int64_t>(plan.receives.size())};
    auto shared = std::shared_ptr<MatrixParts<Csr>>(new MatrixParts<Csr>{
        .communicator = communicator,
        .rows = rows,
        .x_rows = x_rows,
        .options = options,
        .volume = volume,
        .halo =
            Halo<Csr>(ready_for_products(pieces.halo), pieces.boundary, plan, std::move(exchange)),
        .values = ValueSource<Csr>(pieces.local, pieces.first_local, pieces.columns_before)});
    return Matrix<Csr>(pieces.local, std::move(shared));
  });
}

}  // namespace detail

namespace distributed {

/// Entries of a matrix with global indices, some on each rank, any on any: rows and cols are the
/// whole matrix'.
template <class Scalar>
using GlobalCoo = Coo<Scalar, std::int64_t>;

/// The CSR matrix of a rank's parts.
template <class Scalar, class Device = Kokkos::DefaultExecutionSpace, class Offset = std::int32_t>
using LocalCsr = CsrMatrix<Scalar, std::int32_t, Device, Offset>;

/// Sends every entry to the rank that has its row. Returns this rank's rows, sorted, duplicates
/// added up. memory_limit: for one rank; without it, the ranks of a host have what is free there.
/// Collective; throws InputError on all ranks where an index lies outside the matrix, CapacityError
/// where a host has no memory for its rows.
template <class Scalar>
GlobalCsr<Scalar> gather_rows(const Communicator& communicator, const Partition& rows,
                              const GlobalCoo<Scalar>& coo,
                              std::optional<std::uint64_t> memory_limit = {}) {
  struct Entry {
    std::int64_t row;
    std::int64_t col;
    Scalar value;
  };
  const auto entries = static_cast<std::int64_t>(coo.entries());
  std::vector<std::int64_t> counts;
  communicator.agree([&] {
    counts.assign(static_cast<std::size_t>(communicator.size()), 0);
    fatvec::detail::require_shape(coo);
    if (rows.parts() != communicator.size() || rows.rows() != coo.rows)
      throw ShapeError(fatvec::detail::concat(
          "distributed matrix: a partition of ", rows.rows(), " rows in ", rows.parts(),
          " parts for a matrix of ", coo.rows, " rows on ", communicator.size(), " ranks."));
  });
  // As if as many entries came as go: those to send, those that came, the Coo and the CSR of them.
  const auto own_rows = rows.size(communicator.rank());
  const double bytes =
      static_cast<double>(own_rows) * 2 * sizeof(std::int64_t) +
      static_cast<double>(entries) * (4 * sizeof(Entry) + sizeof(int) - sizeof(std::int64_t));
  require_fits_on_host(communicator, "distributed matrix", bytes, memory_limit, [&] {
    return fatvec::detail::concat("its CSR, ", own_rows, " rows, and ", entries, " entries");
  });
  const std::vector<Entry> sorted = communicator.agree([&] {
    std::vector<int> owner(static_cast<std::size_t>(entries));
    for (std::int64_t n = 0; n < entries; ++n) {
      if (coo.row(n) < 0 || coo.row(n) >= coo.rows || coo.col(n) < 0 || coo.col(n) >= coo.cols)
        throw InputError(fatvec::detail::concat(
            "distributed matrix: entry ", n, " is at (", coo.row(n), ", ", coo.col(n), "), the ",
            "matrix is ", coo.rows, " x ", coo.cols, " and indices count from 0."));
      owner[static_cast<std::size_t>(n)] = rows.owner(coo.row(n));
      ++counts[static_cast<std::size_t>(owner[static_cast<std::size_t>(n)])];
    }
    std::vector<std::int64_t> place(counts.size() + 1, 0);
    for (std::size_t p = 0; p < counts.size(); ++p) place[p + 1] = place[p] + counts[p];
    std::vector<Entry> ordered(static_cast<std::size_t>(entries));
    for (std::int64_t n = 0; n < entries; ++n) {
      const auto p = static_cast<std::size_t>(owner[static_cast<std::size_t>(n)]);
      ordered[static_cast<std::size_t>(place[p]++)] = {coo.row(n), coo.col(n), coo.value(n)};
    }
    return ordered;
  });
  const std::vector<Entry> mine = all_to_all(communicator, sorted, counts).items;
  return communicator.agree([&] {
    const std::int64_t begin = rows.begin(communicator.rank());
    GlobalCoo<Scalar> local(rows.size(communicator.rank()), coo.cols, mine.size());
    for (std::size_t n = 0; n < mine.size(); ++n) {
      local.row(n) = mine[n].row - begin;
      local.col(n) = mine[n].col;
      local.value(n) = mine[n].value;
    }
    return csr_from_coo<Kokkos::DefaultHostExecutionSpace, std::int64_t>(local, nullptr,
                                                                         memory_limit);
  });
}

/// A distributed matrix of rows that lie on their ranks: each row's columns ascending, distinct and
/// within [0, mine.cols()). Without x_rows, X is spread as the rows are where A is square, else
/// evenly. Collective; errors are thrown on all ranks, CapacityError where the ranks of a host have
/// no memory for their parts.
template <class Device = Kokkos::DefaultExecutionSpace, class Offset = std::int32_t, class Scalar>
Matrix<LocalCsr<Scalar, Device, Offset>> from_rows(const Communicator& communicator,
                                                   const Partition& rows,
                                                   const GlobalCsr<Scalar>& mine,
                                                   const Options& options = {},
                                                   const std::optional<Partition>& x_rows_or = {}) {
  const int rank = communicator.rank();
  const Partition x_rows = communicator.agree([&] {
    if (x_rows_or) return *x_rows_or;
    return rows.rows() == mine.cols() ? rows : Partition::even(mine.cols(), rows.parts());
  });
  communicator.agree([&] {
    if (rows.parts() != communicator.size() || x_rows.parts() != communicator.size() ||
        rows.size(rank) != mine.rows() || x_rows.rows() != mine.cols())
      throw ShapeError(fatvec::detail::concat(
          "distributed matrix: this rank has ", mine.rows(), " rows and ", mine.cols(),
          " columns; the partitions of ", rows.parts(), " and ", x_rows.parts(), " parts say ",
          rows.size(rank), " rows and ", x_rows.rows(), " columns."));
  });
  const double bytes = static_cast<double>(mine.rows()) * 2 * sizeof(Offset) +
                       static_cast<double>(mine.nnz()) * (sizeof(std::int32_t) + sizeof(Scalar));
  require_fits_on_host(communicator, "distributed matrix", bytes, options.memory_limit, [&] {
    return fatvec::detail::concat("its two parts, ", mine.rows(), " rows, ", mine.nnz(),
                                  " entries");
  });
  const auto parts = communicator.agree(
      [&] { return split<Scalar, Offset>(mine, x_rows.begin(rank), x_rows.end(rank)); });
  return detail::joined<LocalCsr<Scalar, Device, Offset>>(
      communicator, rows, x_rows, options, communicator.agree([&] {
        return detail::Pieces<LocalCsr<Scalar, Device, Offset>>{
            .local = mirror<Device>(parts.local),
            .halo = mirror<Device>(parts.halo),
            .boundary = parts.boundary,
            .columns = parts.columns,
            .columns_before = parts.columns_before,
            .first_local = parts.first_local};
      }));
}

/// A distributed matrix of entries that lie anywhere: each goes to the rank that has its row.
/// Duplicates add up. Collective; errors are thrown on all ranks.
template <class Device = Kokkos::DefaultExecutionSpace, class Offset = std::int32_t, class Scalar>
auto from_coo(const Communicator& communicator, const Partition& rows, const GlobalCoo<Scalar>& coo,
              const Options& options = {}, const std::optional<Partition>& x_rows = {}) {
  return from_rows<Device, Offset>(communicator, rows,
                                   gather_rows(communicator, rows, coo, options.memory_limit),
                                   options, x_rows);
}

}  // namespace distributed
}  // namespace fatvec
