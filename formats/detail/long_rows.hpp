// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>

#include <fatvec/formats/detail/rows.hpp>

namespace fatvec::detail {

/// A piece of a row: its entries from `first` to before `last`, counted within the row.
template <class Ordinal>
struct RowPart {
  Ordinal row;
  Ordinal first;
  Ordinal last;
};

/// No row is cut up unless one has more entries than this: a second launch costs more than cutting
/// shorter rows saves, unless it is there for a longer one (docs/performance.md).
inline constexpr std::int64_t worth_a_launch = 64;

/// Entries of the longest row that is not long, of so many rows and entries.
constexpr std::int64_t longest_whole_row(std::int64_t rows, std::int64_t nnz) {
  return rows == 0 ? std::numeric_limits<std::int64_t>::max()
                   : std::clamp<std::int64_t>(4 * nnz / rows, 24, 4096);
}

/// The same where a thread takes a row and all are long: those that are no longer than others are
/// not to be cut up.
constexpr std::int64_t longest_walked_row(std::int64_t rows, std::int64_t nnz) {
  return rows == 0 ? longest_whole_row(rows, nnz)
                   : std::max(longest_whole_row(rows, nnz), 2 * nnz / rows);
}

/// Lists the pieces of all rows longer than `longest`, as a scan over the rows; only counts them
/// while there is no list.
template <class Ordinal, class Device, class Rows>
struct ListLongRows {
  static constexpr std::int64_t piece = 128;  ///< entries: 4 for each lane of a warp where k = 1
  Rows rows;
  std::int64_t longest;
  Kokkos::View<RowPart<Ordinal>*, Device> list;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& next, bool final) const {
    const std::int64_t length = rows.length(row);
    if (length <= longest) return;
    const std::int64_t pieces = (length - 1) / piece + 1;
    if (final && list.data() != nullptr) {
      for (std::int64_t n = 0; n < pieces; ++n) {
        const std::int64_t end = (n + 1) * piece;
        list(next + n) = {static_cast<Ordinal>(row), static_cast<Ordinal>(n * piece),
                          static_cast<Ordinal>(end < length ? end : length)};
      }
    }
    next += pieces;
  }
};

/// The rows that are far longer than the mean, in pieces: on a GPU a row per thread would keep a
/// few threads busy when all others are done. Rows are stored rows.
template <class Ordinal, class Device>
struct LongRows {
  bool known = false;  ///< whether they were looked for
  std::int64_t longest = std::numeric_limits<std::int64_t>::max();  ///< row that is not long
  Kokkos::View<RowPart<Ordinal>*, Device> pieces;

  /// Those of more than `longest` entries among the first `count` rows of a row access
  /// (row_access.hpp), if one of them has more than worth_a_launch; otherwise none.
  template <class ExecSpace, class Rows>
  static LongRows find(const ExecSpace& exec, const Rows& rows, std::int64_t count,
                       std::int64_t longest) {
    using Lister = ListLongRows<Ordinal, Device, Rows>;
    using List = Kokkos::View<RowPart<Ordinal>*, Device>;
    LongRows found;
    found.known = true;
    if (count == 0) return found;
    std::int64_t pieces = 0;
    const auto scan = [&](std::int64_t whole) {
      Kokkos::parallel_scan("fatvec::long_rows", Range<ExecSpace>(exec, 0, count),
                            Lister{rows, whole, found.pieces}, pieces);
    };
    scan(std::max(longest, worth_a_launch));
    if (pieces == 0) return found;
    if (longest < worth_a_launch) scan(longest);
    found.longest = longest;
    found.pieces = allocate<List>(exec, "fatvec::long_rows", static_cast<std::size_t>(pieces));
    scan(longest);
    return found;
  }
};

}  // namespace fatvec::detail
