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

/// Lists the pieces of all rows longer than `longest`, as a scan over the rows; only counts them while there is no list.
template <class Ordinal, class Device, class Offsets>
struct ListLongRows {
  static constexpr std::int64_t piece = 128;  ///< entries: 4 for each lane of a warp where k = 1
  Offsets row_map;
  std::int64_t longest;
  Kokkos::View<RowPart<Ordinal>*, Device> list;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& next, bool final) const {
    const std::int64_t length = row_map(row + 1) - row_map(row);
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

/// The rows that are far longer than the mean, in pieces: on a GPU a row per thread would keep a few threads busy when all
/// others are done. Empty until it is filled by find(); kernels then take every row as a whole.
template <class Ordinal, class Device>
struct LongRows {
  std::int64_t longest = std::numeric_limits<std::int64_t>::max();  ///< row that is not long
  Kokkos::View<RowPart<Ordinal>*, Device> pieces;

  template <class ExecSpace, class Offsets>
  static LongRows find(const ExecSpace& exec, const Offsets& row_map, std::int64_t rows, std::int64_t nnz) {
    using Lister = ListLongRows<Ordinal, Device, Offsets>;
    using List = Kokkos::View<RowPart<Ordinal>*, Device>;
    LongRows found;
    if (rows == 0) return found;
    const std::int64_t longest = std::clamp<std::int64_t>(4 * nnz / rows, 64, 4096);
    std::int64_t count = 0;
    const auto scan = [&] {
      Kokkos::parallel_scan("fatvec::long_rows", Range<ExecSpace>(exec, 0, rows), Lister{row_map, longest, found.pieces},
                            count);
    };
    scan();
    if (count == 0) return found;
    found.longest = longest;
    found.pieces = allocate<List>(exec, "fatvec::long_rows", static_cast<std::size_t>(count));
    scan();
    return found;
  }
};

}  // namespace fatvec::detail
