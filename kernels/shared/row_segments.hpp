// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>

#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/detail/rows.hpp>

namespace fatvec::detail {

/// Entries `first` to before `last` of a stored row, counted within the row.
template <class Ordinal>
struct RowSegment {
  Ordinal row;
  Ordinal first;
  Ordinal last;
  Ordinal row_segments;  ///< segments that the row has
};

/// Of a segment: 4 for each lane of a warp where k = 1.
inline constexpr int entries_of_segment = 128;

/// No row is split unless one has more entries than this: a second launch costs more than splitting
/// shorter rows saves, unless it is there for a longer one.
inline constexpr std::int64_t worth_a_launch = 64;

/// Entries of the longest row that is not split, in a matrix of `rows` rows and nnz entries.
constexpr std::int64_t longest_whole_row(std::int64_t rows, std::int64_t nnz) {
  return rows == 0 ? std::numeric_limits<std::int64_t>::max()
                   : std::clamp<std::int64_t>(4 * nnz / rows, 24, 4096);
}

/// The same where threads do not share rows: where all rows are long, one that is no longer than
/// the others is not split.
constexpr std::int64_t longest_walked_row(std::int64_t rows, std::int64_t nnz) {
  return rows == 0 ? longest_whole_row(rows, nnz)
                   : std::max(longest_whole_row(rows, nnz), 2 * nnz / rows);
}

/// Columns of the sums of a segment: an even number, so that X is loaded in pairs from the first
/// column of each launch.
constexpr std::int64_t columns_of_sums(std::int64_t k) {
  return (k + 1) / 2 * 2;
}

/// Lists the segments of all rows longer than `longest`, as a scan over the rows; only counts them
/// while there is no list.
template <class Ordinal, class Device, class Rows>
struct ListSegments {
  static constexpr std::int64_t segment = entries_of_segment;
  Rows rows;
  std::int64_t longest;
  Kokkos::View<RowSegment<Ordinal>*, Device> list;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& next, bool final) const {
    const std::int64_t length = rows.length(row);
    if (length <= longest) return;
    const std::int64_t segments = (length - 1) / segment + 1;
    if (final && list.data() != nullptr) {
      for (std::int64_t n = 0; n < segments; ++n) {
        const std::int64_t end = (n + 1) * segment;
        list(next + n) = {static_cast<Ordinal>(row), static_cast<Ordinal>(n * segment),
                          static_cast<Ordinal>(end < length ? end : length),
                          static_cast<Ordinal>(segments)};
      }
    }
    next += segments;
  }
};

/// The stored rows that are far longer than the mean, split into segments: on a GPU a row per
/// thread would keep a few threads busy when all others are done. Launch data: they belong to a
/// Prepared matrix or a Plan, not to a format.
template <class Ordinal, class Device>
struct RowSegments {
  bool known = false;  ///< whether long rows were looked for
  std::int64_t longest = std::numeric_limits<std::int64_t>::max();  ///< row that is not split
  Kokkos::View<RowSegment<Ordinal>*, Device> list;
  Kokkos::View<std::byte*, Device> sums;  ///< of the segments, for one product at a time
  Kokkos::View<int*, Device> arrived;     ///< of a group's, for each column; 0 between products

  /// Columns, of up to k, whose sums there is room for.
  template <class T>
  [[nodiscard]] std::int64_t columns(std::int64_t k) const {
    if (list.extent(0) == 0) return 0;
    const std::size_t elements = std::min(sums.extent(0) / sizeof(T), arrived.extent(0));
    const auto most = static_cast<std::int64_t>(elements / list.extent(0));
    return columns_of_sums(k) <= most ? k : most / 2 * 2;
  }

  /// Makes room for the sums of k columns of T.
  template <class T, class ExecSpace>
  void make_room(const ExecSpace& exec, std::int64_t k) {
    if (list.extent(0) == 0) return;
    const double number =
        static_cast<double>(list.extent(0)) * static_cast<double>(columns_of_sums(k));
    const auto elements = checked_count<std::int64_t>(number * sizeof(T), "bytes") / sizeof(T);
    arrived = allocate<decltype(arrived)>(exec, "fatvec::arrived_segments", elements);
    Kokkos::deep_copy(exec, arrived, 0);
    exec.fence("fatvec::prepare");  // a product may run on another instance
    sums = allocate<decltype(sums)>(exec, "fatvec::sums_of_segments", elements * sizeof(T));
  }

  /// Those of rows of more than `longest` entries among the first `count` rows of a row access
  /// (formats/detail/row_access.hpp), if one of them has more than worth_a_launch; otherwise none.
  template <class ExecSpace, class Rows>
  static RowSegments find(const ExecSpace& exec, const Rows& rows, std::int64_t count,
                          std::int64_t longest) {
    RowSegments found;
    found.known = true;
    if (count == 0) return found;
    std::int64_t segments = 0;
    const auto scan = [&](std::int64_t whole) {
      Kokkos::parallel_scan("fatvec::segments", Range<ExecSpace>(exec, 0, count),
                            ListSegments<Ordinal, Device, Rows>{rows, whole, found.list}, segments);
    };
    scan(std::max(longest, worth_a_launch));
    if (segments == 0) return found;
    if (longest < worth_a_launch) scan(longest);
    found.longest = longest;
    found.list = allocate<decltype(found.list)>(exec, "fatvec::segments", segments);
    scan(longest);
    return found;
  }
};

}  // namespace fatvec::detail
