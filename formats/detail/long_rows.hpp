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

/// No row is cut up unless one has more entries than this: a second launch takes 3 to 12
/// microseconds (an H100, docs/performance.md), and cutting rows of 25 to 64 entries saves less,
/// unless it is there for a longer one.
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

/// The lengths of the rows, 0 for those longer than `longest`.
template <class Ordinal, class Device, class Rows>
struct HideLongRows {
  Rows rows;
  std::int64_t longest;
  Kokkos::View<Ordinal*, Device> lengths;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t length = rows.length(row);
    lengths(row) = static_cast<Ordinal>(length > longest ? 0 : length);
  }
};

/// The rows that are far longer than the mean, in pieces: on a GPU a row per thread would keep a
/// few threads busy when all others are done. Rows are stored rows. As long as it is empty kernels
/// take every row as a whole.
template <class Ordinal, class Device>
struct LongRows {
  std::int64_t longest = std::numeric_limits<std::int64_t>::max();  ///< row that is not long
  Kokkos::View<RowPart<Ordinal>*, Device> pieces;
  /// The lengths of all rows, but 0 for those in pieces: in place of row_lengths, these spare a
  /// kernel its comparison with `longest`. Only there after find_and_hide(), and only where there
  /// are pieces.
  Kokkos::View<Ordinal*, Device> lengths;

  /// Those of more than `longest` entries among the first `count` rows of a row access
  /// (row_access.hpp), if one of them has more than worth_a_launch; otherwise none.
  template <class ExecSpace, class Rows>
  static LongRows find(const ExecSpace& exec, const Rows& rows, std::int64_t count,
                       std::int64_t longest) {
    using Lister = ListLongRows<Ordinal, Device, Rows>;
    using List = Kokkos::View<RowPart<Ordinal>*, Device>;
    LongRows found;
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
  /// Those of a format that stores row lengths and has nnz entries: with lengths.
  template <class ExecSpace, class Rows>
  static LongRows find_and_hide(const ExecSpace& exec, const Rows& rows, std::int64_t count,
                                std::int64_t nnz) {
    using Lengths = Kokkos::View<Ordinal*, Device>;
    LongRows found = find(exec, rows, count, longest_walked_row(count, nnz));
    if (found.pieces.extent(0) == 0) return found;
    found.lengths =
        allocate<Lengths>(exec, "fatvec::long_rows::lengths", static_cast<std::size_t>(count));
    Kokkos::parallel_for("fatvec::long_rows::hide", Range<ExecSpace>(exec, 0, count),
                         HideLongRows<Ordinal, Device, Rows>{rows, found.longest, found.lengths});
    return found;
  }
};

/// Rows whose entries the threads of a warp share though they may not lie side by side: one thread
/// would be long at a piece.
template <class Rows>
struct SharedRows : Rows {
  static constexpr bool contiguous = true;
};

}  // namespace fatvec::detail
