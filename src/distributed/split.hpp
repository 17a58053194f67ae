// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <fatvec/distributed/partition.hpp>
#include <fatvec/formats/csr.hpp>

namespace fatvec::distributed {

/// This rank's rows of a matrix, in host memory: the columns are global. rows() is the number of
/// this rank's rows, cols() that of the whole matrix' columns.
template <class Scalar>
using GlobalCsr = CsrMatrix<Scalar, std::int64_t, Kokkos::DefaultHostExecutionSpace, std::int64_t>;

/// A copy with 64-bit columns; row_map and values are shared. Throws CapacityError.
template <class Rows>
auto with_global_columns(const Rows& rows) {
  using Csr = GlobalCsr<typename Rows::value_type>;
  const auto columns = fatvec::detail::allocate<typename Csr::Ordinals>(
      Kokkos::DefaultHostExecutionSpace(), "fatvec::csr::entries", rows.entries.extent(0));
  Kokkos::deep_copy(columns, rows.entries);
  return Csr(rows.rows(), rows.cols(), rows.row_map, columns, rows.values);
}

/// The number of entries in each row.
template <class Rows>
std::vector<std::int64_t> lengths_of(const Rows& rows) {
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(rows.rows()));
  for (std::size_t i = 0; i < lengths.size(); ++i)
    lengths[i] = rows.row_map(i + 1) - rows.row_map(i);
  return lengths;
}

/// A rank's rows, cut into what it can multiply alone and what needs other ranks' rows of X.
template <class Scalar, class Offset>
struct Split {
  using Csr = CsrMatrix<Scalar, std::int32_t, Kokkos::DefaultHostExecutionSpace, Offset>;

  Csr local;  ///< columns count from this rank's first row of X
  Csr halo;   ///< one row for each of `boundary`, a column for each of `columns`
  std::vector<std::int32_t> boundary;  ///< the rows that have entries in halo, ascending
  std::vector<std::int64_t> columns;   ///< global columns of halo, ascending
  std::int32_t columns_before = 0;     ///< of them, those below this rank's rows of X
  std::vector<Offset> first_local;     ///< of each row: where its local entries begin among all
};

/// Cuts the rows at the columns [begin, end) that this rank has of X; rows must be sorted. An entry
/// of the halo part has the place of its column in the ascending list of columns, so that each
/// row's entries stay in order: first halo, then local, then halo. Throws InputError where columns
/// do not ascend within the matrix, CapacityError where the parts exceed 32-bit indices or Offset,
/// or memory.
template <class Scalar, class Offset>
Split<Scalar, Offset> split(const GlobalCsr<Scalar>& a, std::int64_t begin, std::int64_t end) {
  using Csr = typename Split<Scalar, Offset>::Csr;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  Split<Scalar, Offset> parts;
  std::int64_t halo_entries = 0;
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    const std::int64_t before = halo_entries;
    for (std::int64_t n = a.row_map(i); n < a.row_map(i + 1); ++n) {
      if (a.entries(n) < 0 || a.entries(n) >= a.cols() ||
          (n > a.row_map(i) && a.entries(n) <= a.entries(n - 1)))
        throw InputError(fatvec::detail::concat(
            "distributed matrix: row ", i, " of this rank has the column ", a.entries(n),
            "; columns are to ascend within 0 ... ", a.cols() - 1, "."));
      if (a.entries(n) < begin || a.entries(n) >= end) {
        parts.columns.push_back(a.entries(n));
        ++halo_entries;
      }
    }
    if (halo_entries > before) parts.boundary.push_back(static_cast<std::int32_t>(i));
  }
  std::sort(parts.columns.begin(), parts.columns.end());
  parts.columns.erase(std::unique(parts.columns.begin(), parts.columns.end()), parts.columns.end());
  const auto halo_columns = static_cast<std::int64_t>(parts.columns.size());
  if (std::max({a.rows(), end - begin, halo_columns}) > most)
    throw CapacityError(fatvec::detail::concat(
        "distributed matrix: a rank with ", a.rows(), " rows, ", end - begin, " rows of X and ",
        halo_columns, " of other ranks exceeds 32-bit indices; use more ranks."));
  fatvec::detail::checked_count<Offset>(static_cast<double>(a.nnz()), "entries of one rank");
  const auto place = [&](std::int64_t column) {
    return static_cast<std::int32_t>(
        std::lower_bound(parts.columns.begin(), parts.columns.end(), column) -
        parts.columns.begin());
  };
  parts.columns_before = place(begin);

  using fatvec::detail::allocate_zeros;
  const Kokkos::DefaultHostExecutionSpace host;
  const auto make = [&](std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
    return std::pair(allocate_zeros<typename Csr::Offsets>(host, "fatvec::csr::row_map", rows + 1),
                     Csr(0, static_cast<std::int32_t>(cols),
                         allocate_zeros<typename Csr::Offsets>(host, "fatvec::csr::no_rows", 1),
                         allocate_zeros<typename Csr::Ordinals>(host, "fatvec::csr::entries", nnz),
                         allocate_zeros<typename Csr::Scalars>(host, "fatvec::csr::values", nnz)));
  };
  auto [local_map, local] = make(a.rows(), end - begin, a.nnz() - halo_entries);
  auto [halo_map, halo] =
      make(static_cast<std::int64_t>(parts.boundary.size()), halo_columns, halo_entries);
  parts.first_local.resize(static_cast<std::size_t>(a.rows()));
  Offset in_local = 0;
  Offset in_halo = 0;
  std::size_t boundary_row = 0;
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    std::int64_t first = a.row_map(i);
    while (first < a.row_map(i + 1) && a.entries(first) < begin) ++first;
    parts.first_local[static_cast<std::size_t>(i)] = static_cast<Offset>(first);
    const Offset before = in_halo;
    for (std::int64_t n = a.row_map(i); n < a.row_map(i + 1); ++n) {
      const std::int64_t column = a.entries(n);
      if (column >= begin && column < end) {
        local.entries(in_local) = static_cast<std::int32_t>(column - begin);
        local.values(in_local++) = a.values(n);
      } else {
        halo.entries(in_halo) = place(column);
        halo.values(in_halo++) = a.values(n);
      }
    }
    local_map(i + 1) = in_local;
    if (in_halo > before) halo_map(++boundary_row) = in_halo;
  }
  parts.local = Csr(static_cast<std::int32_t>(a.rows()), local.cols(), local_map, local.entries,
                    local.values);
  parts.halo = Csr(static_cast<std::int32_t>(parts.boundary.size()), halo.cols(), halo_map,
                   halo.entries, halo.values);
  return parts;
}

}  // namespace fatvec::distributed
