// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace fatvec::detail {

template <class ExecSpace>
using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

/// Whether work on ExecSpace wants to be cut for a few fast cores, not for thousands of threads.
template <class ExecSpace>
inline constexpr bool is_cpu = std::is_same_v<typename ExecSpace::memory_space, Kokkos::HostSpace>;

// What is launched here are named functors, never lambdas: the helpers that nvcc makes for a host-device lambda are local to a
// translation unit, and the wrapper that uses them is not. Two units with the same instantiation then mix, and call a null
// pointer.

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

/// offsets(i) = length(0) + ... + length(i - 1) for 0 <= i <= n; returns the total. An exclusive scan on exec; length may be
/// offsets itself.
template <class ExecSpace, class Offsets, class Length>
std::int64_t offsets_from_lengths(const ExecSpace& exec, const Offsets& offsets, std::int64_t n, const Length& length) {
  std::int64_t total = 0;
  Kokkos::parallel_scan("fatvec::offsets", Range<ExecSpace>(exec, 0, n + 1), ScanLengths<Offsets, Length>{offsets, length, n},
                        total);
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
                          FindLongestRow<typename Csr::ConstOffsets>{csr.row_map}, Kokkos::Max<std::int64_t>(longest));
  return csr.rows() == 0 ? 0 : longest;
}

}  // namespace fatvec::detail
