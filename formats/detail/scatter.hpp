// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <fatvec/formats/detail/rows.hpp>

/// Whether rows of A that are neighbours read the same rows of X, or those beside them, and so find
/// them in a cache.
namespace fatvec::detail {

/// Counts entries of some rows: up for one that has no column of the next row near its own, down
/// thrice for one that has. A work-item has an entry. In whatever order they are, the first entries
/// of a row are its sample.
template <class Csr>
struct CountScattered {
  static constexpr std::int64_t of_row =
      32;  ///< entries: on GPUs longer rows have their 8 threads anyway
  static constexpr std::int64_t of_next =
      64;  ///< more than of_row: rows with a few more entries than the next still agree
  static constexpr std::int64_t near = 8;  ///< columns: a cache line or two of X where k is small
  typename Csr::ConstOffsets row_map;
  typename Csr::Ordinals entries;
  std::int64_t pairs;  ///< of rows
  std::int64_t samples;

  KOKKOS_FUNCTION void operator()(std::int64_t item, std::int64_t& scattered) const {
    const std::int64_t n = item / of_row;
    const std::int64_t row = n * (pairs / samples) + hashed(n) % (pairs / samples);
    const std::int64_t entry = row_map(row) + item % of_row;
    const std::int64_t next = row_map(row + 1);
    if (entry >= next) return;
    const std::int64_t column = entries(entry);
    const std::int64_t end = Kokkos::min<std::int64_t>(row_map(row + 2), next + of_next);
    for (std::int64_t m = next; m < end; ++m) {
      const std::int64_t distance = entries(m) - column;
      if (distance >= -near && distance <= near) {
        scattered -= 3;
        return;
      }
    }
    ++scattered;
  }
};

/// Whether three quarters of A's entries have no column of the next row near their own: by 64 rows.
/// Copies a number to the host.
template <class ExecSpace, class Csr>
bool has_scattered_columns(const ExecSpace& exec, const Csr& csr) {
  using Count = CountScattered<Csr>;
  const std::int64_t pairs = static_cast<std::int64_t>(csr.rows()) - 1;
  const std::int64_t samples = std::min<std::int64_t>(pairs, 64);
  if (samples <= 0 || csr.nnz() == 0) return false;
  std::int64_t scattered = 0;
  Kokkos::parallel_reduce("fatvec::scatter", Range<ExecSpace>(exec, 0, samples * Count::of_row),
                          Count{csr.row_map, csr.entries, pairs, samples}, scattered);
  return scattered > 0;
}

}  // namespace fatvec::detail
