// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/detail/row_order.hpp>
#include <fatvec/formats/detail/rows.hpp>

/// What the formats share that cut the rows, in the matrix's order or in another, into slices and
/// pad each to its longest row.
namespace fatvec::detail {

/// Slices of `size` rows; the last one has the rows that are left.
KOKKOS_INLINE_FUNCTION std::int64_t slices_of(std::int64_t rows, std::int64_t size) {
  return (rows + size - 1) / size;
}

/// Slots of slice s (a hack of HLL, a block of pJAD): its rows times its longest. Summed for
/// footprints, scanned for offsets.
template <class Offsets, class Order = InOrder>
struct SliceSlots {
  Offsets row_map;
  std::int64_t rows;
  std::int64_t size;
  Order order = {};

  [[nodiscard]] std::int64_t slices() const { return slices_of(rows, size); }

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t s) const {
    const std::int64_t first = s * size;
    const std::int64_t last = first + size < rows ? first + size : rows;
    std::int64_t longest = 0;
    for (std::int64_t p = first; p < last; ++p) {
      const std::int64_t row = order(p);
      const std::int64_t length = row_map(row + 1) - row_map(row);
      longest = length > longest ? length : longest;
    }
    return (last - first) * longest;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t s, double& sum) const {
    sum += static_cast<double>((*this)(s));
  }
};

/// Slots of all slices, as a double: counts beyond 2^63 must not wrap.
template <class ExecSpace, class Slots>
double total_slots(const ExecSpace& exec, const Slots& slots) {
  double total = 0;
  Kokkos::parallel_reduce("fatvec::total_slots", Range<ExecSpace>(exec, 0, slots.slices()), slots,
                          total);
  return total;
}

/// Formats of slices find a row's slice by a division of 32 bits, of which GPUs do several in the
/// time of one of 64. Throws CapacityError for more rows.
inline void require_rows_of_32_bits(const char* format, std::int64_t rows) {
  if (rows > INT32_MAX)
    throw CapacityError(concat(format, " counts rows in 32 bits, and there are ", rows,
                               ". Split the matrix by rows, or take CSR."));
}

/// A number of rows out of the options; one beyond 2^31 - 1, which no matrix of slices has, is
/// that. Throws UsageError where it is below 1.
template <class Ordinal>
Ordinal checked_rows(const char* format, const char* what, std::int64_t rows) {
  if (rows < 1)
    throw UsageError(concat(format, " wants a ", what, " of at least 1 row, not ", rows, "."));
  return static_cast<Ordinal>(
      std::min<std::int64_t>({rows, std::numeric_limits<Ordinal>::max(), INT32_MAX}));
}

}  // namespace fatvec::detail
