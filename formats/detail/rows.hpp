// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/execution.hpp>

namespace fatvec::detail {

/// A number that looks random, for samples: what lies a fixed distance apart may all be at the edge
/// of a grid.
KOKKOS_INLINE_FUNCTION std::int64_t hashed(std::int64_t n) {
  std::uint32_t bits = static_cast<std::uint32_t>(n) * 2654435761U;
  bits = (bits ^ bits >> 15) * 2246822519U;
  return static_cast<std::int64_t>((bits ^ bits >> 13) >> 4);
}

/// The first of low, low + 1, ... before high for which reached() holds, as it then does for all
/// behind it; high where it holds for none.
template <class Reached>
KOKKOS_INLINE_FUNCTION std::int64_t first_where(std::int64_t low, std::int64_t high,
                                                const Reached& reached) {
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (reached(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// How conversions share out rows. On CPUs a work-item has a row. On GPUs it has every parts-th run
/// of four entries of a row, and its neighbours have the same run of the neighbouring rows: what a
/// warp reads at a time is little enough for the first-level cache to keep it until all of its
/// lines has been used.
struct RowParts {
  static constexpr std::int64_t together = 32;  ///< rows
  static constexpr std::int64_t run = 4;
  std::int64_t rows;
  std::int64_t parts;  ///< 1: whole rows

  template <class ExecSpace>
  static RowParts of(std::int64_t rows, std::int64_t entries) {
    const std::int64_t runs = (entries / (rows > 0 ? rows : 1) + run - 1) / run;
    return {rows, is_host<ExecSpace> || runs < 2 ? 1 : (runs < 16 ? runs : 16)};
  }

  template <class ExecSpace>
  [[nodiscard]] Range<ExecSpace> items(const ExecSpace& exec) const {
    return {exec, 0, parts == 1 ? rows : (rows + together - 1) / together * together * parts};
  }
  /// visit(row, first, last) for the entries that are work-item n's, counted within the row, whose
  /// length is length(row).
  template <class Length, class Visit>
  KOKKOS_FUNCTION void for_each_run(std::int64_t n, const Length& length,
                                    const Visit& visit) const {
    if (parts == 1) return visit(n, std::int64_t{0}, static_cast<std::int64_t>(length(n)));
    const std::int64_t warp = n / together;
    const std::int64_t row = warp / parts * together + n % together;
    if (row >= rows) return;
    const auto end = static_cast<std::int64_t>(length(row));
    for (std::int64_t first = warp % parts * run; first < end; first += parts * run)
      visit(row, first, first + run < end ? first + run : end);
  }
};

// What is launched here are named functors, never lambdas: the helpers that nvcc makes for a
// host-device lambda are local to a translation unit, and the wrapper that uses them is not. Two
// units with the same instantiation then mix, and call a null pointer.

template <class Offsets, class Length>
struct ScanLengths {
  Offsets offsets;
  Length length;
  std::int64_t n;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum, bool final) const {
    const std::int64_t here = i < n ? static_cast<std::int64_t>(length(i)) : 0;
    if (final) offsets(i) = static_cast<typename Offsets::non_const_value_type>(sum);
    sum += here;
  }
};

/// offsets(i) = length(0) + ... + length(i - 1) for 0 <= i <= n; returns the total. An exclusive
/// scan on exec; length may be offsets itself.
template <class ExecSpace, class Offsets, class Length>
std::int64_t offsets_from_lengths(const ExecSpace& exec, const Offsets& offsets, std::int64_t n,
                                  const Length& length) {
  std::int64_t total = 0;
  Kokkos::parallel_scan("fatvec::offsets", Range<ExecSpace>(exec, 0, n + 1),
                        ScanLengths<Offsets, Length>{offsets, length, n}, total);
  return total;
}

template <class Offsets>
struct FindLongestRow {
  Offsets row_map;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& longest) const {
    const std::int64_t length = row_map(i + 1) - row_map(i);
    if (length > longest) longest = length;
  }
};

/// Entries of the longest row of the whole matrix; a parallel reduction on exec.
template <class ExecSpace, class Csr>
std::int64_t longest_row(const ExecSpace& exec, const Csr& csr) {
  std::int64_t longest = 0;
  Kokkos::parallel_reduce("fatvec::longest_row", Range<ExecSpace>(exec, 0, csr.rows()),
                          FindLongestRow<typename Csr::ConstOffsets>{csr.row_map},
                          Kokkos::Max<std::int64_t>(longest));
  return csr.rows() == 0 ? 0 : longest;
}

}  // namespace fatvec::detail
