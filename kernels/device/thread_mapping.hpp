// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <fatvec/kernels/device/column_tile.hpp>

namespace fatvec::detail {

/// How the threads of a team are mapped to rows, columns and entries: rank = (row ·
/// column_threads + column) · threads_per_row() + thread.
struct ThreadMapping {
  int threads;         ///< of a team
  int thread_bits;     ///< 2^thread_bits threads share the entries of a row for a tile, and add up
  int column_threads;  ///< side by side over the columns
  int rows;            ///< work-items of a team
  int sweeps;          ///< over all rows, one after the other, each for its part of the columns
  int columns;         ///< of a sweep; the last one has those that are left
  unsigned row_reciprocal;  ///< rank · row_reciprocal / 2^20 is the row of a rank: no division in
                            ///< the kernel

  [[nodiscard]] KOKKOS_FUNCTION int threads_per_row() const { return 1 << thread_bits; }
  [[nodiscard]] KOKKOS_FUNCTION int row_of(int rank) const {
    return static_cast<int>((static_cast<unsigned>(rank) * row_reciprocal) >> 20);
  }
  struct Share {
    int team;  ///< of those of a sweep
    int sweep;
  };
  template <class Member>
  [[nodiscard]] KOKKOS_FUNCTION Share share_of(const Member& team) const {
    if (sweeps == 1) return {team.league_rank(), 0};
    const int teams = team.league_size() / sweeps;
    const int sweep = team.league_rank() / teams;
    return {team.league_rank() - sweep * teams, sweep};
  }
  [[nodiscard]] KOKKOS_FUNCTION ColumnRange columns_of(int sweep, int k) const {
    const int first = sweep * columns;
    return {first, k - first < columns ? k : first + columns};
  }
  /// In at least `sweeps` sweeps: more where a team is too small for the columns of one.
  static ThreadMapping of(int threads, int threads_per_row, std::int64_t columns_per_thread,
                          std::int64_t k, std::int64_t sweeps) {
    const std::int64_t places = (k + columns_per_thread - 1) / columns_per_thread;
    const std::int64_t most = threads / threads_per_row;
    sweeps = std::max(sweeps, (places + most - 1) / most);
    const auto column_threads = static_cast<int>((places + sweeps - 1) / sweeps);
    int thread_bits = 0;
    while (2 << thread_bits <= threads_per_row) ++thread_bits;
    const auto per_row = static_cast<unsigned>(column_threads << thread_bits);
    return {threads,
            thread_bits,
            column_threads,
            threads / static_cast<int>(per_row),
            static_cast<int>((places + column_threads - 1) / column_threads),
            column_threads * static_cast<int>(columns_per_thread),
            ((1U << 20) + per_row - 1) / per_row};
  }
};

}  // namespace fatvec::detail
