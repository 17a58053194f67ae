// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/kernels/shared/partial_sums.hpp>

/// Outputs of the two parts of a distributed product whose rows go to an output of the caller's.
namespace fatvec::detail {

/// What the local part has added up of boundary rows, whose other entries wait for rows of X.
template <class T>
struct BoundarySums {
  const std::int32_t* place;  ///< of each row: which boundary row it is, -1: none; nullptr: no rows
  T* sums;                    ///< of the boundary rows, row-major
  std::int64_t k;

  /// Those of row i from column c on; nullptr where it is no boundary row.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION T* of(std::int64_t i, std::int64_t c) const {
    const std::int32_t b = place == nullptr ? -1 : place[i];
    return b < 0 ? nullptr : sums + b * k + c;
  }
};

/// Of the local part: sums of boundary rows wait, those of other rows are complete.
template <class T, class Output>
struct LocalOutput {
  Output output;
  BoundarySums<T> boundary;

  /// Those of the output, where it forms sums over rows.
  [[nodiscard]] KOKKOS_FUNCTION auto& partial_sums()
    requires Reducing<Output>
  {
    return output.partial_sums();
  }

  template <int width>
  KOKKOS_FUNCTION void store(std::int64_t i, std::int64_t c, const T (&sum)[width]) const {
    T* const waiting = boundary.of(i, c);
    if (waiting == nullptr) return output.store(i, c, sum);
    for (int w = 0; w < width; ++w) waiting[w] = sum[w];
  }
};

/// Of the halo part, which completes the sums of boundary rows.
template <class T, class Output>
struct HaloOutput {
  Output output;
  BoundarySums<T> boundary;

  /// Those of the output, where it forms sums over rows.
  [[nodiscard]] KOKKOS_FUNCTION auto& partial_sums()
    requires Reducing<Output>
  {
    return output.partial_sums();
  }

  template <int width>
  KOKKOS_FUNCTION void store(std::int64_t i, std::int64_t c, const T (&sum)[width]) const {
    const T* const waiting = boundary.of(i, c);
    alignas(16) T total[width];
    for (int w = 0; w < width; ++w) total[w] = waiting[w] + sum[w];
    output.store(i, c, total);
  }
};

}  // namespace fatvec::detail
