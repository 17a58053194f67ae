// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <utility>
#include <vector>

#include <fatvec/core/memory.hpp>
#include <fatvec/formats/multivector.hpp>

namespace fatvec {
namespace distributed {

/// Rows begin ... end - 1 of a rank.
struct RowRange {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  [[nodiscard]] std::int32_t size() const { return end - begin; }
};

/// The longest run of a rank's rows without one of `boundary` (ascending): grids and banded
/// matrices have those that need other ranks' rows of X at their ends. It begins at a multiple of
/// the usual sizes of blocks. All rows where more than a quarter would lie outside.
inline RowRange interior_of(const std::vector<std::int32_t>& boundary, std::int32_t rows) {
  constexpr std::int32_t blocks = 240;
  RowRange longest;
  std::int32_t begin = 0;
  const auto end_run = [&](std::int32_t end) {
    const RowRange run{(begin + blocks - 1) / blocks * blocks, end};
    if (run.size() > longest.size()) longest = run;
    begin = end + 1;
  };
  for (const std::int32_t row : boundary) end_run(row);
  end_run(rows);
  return longest.size() >= rows - rows / 4 ? longest : RowRange{0, rows};
}

}  // namespace distributed

namespace detail {

/// A std::vector's elements in memory of Device.
template <class Device, class T>
Kokkos::View<T*, typename Device::device_type> to_device(const std::vector<T>& from,
                                                         const std::string& label) {
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(from.data(),
                                                                                from.size());
  using View = Kokkos::View<T*, typename Device::device_type>;
  const auto to = allocate<View>(typename Device::execution_space(), label, from.size());
  Kokkos::deep_copy(to, host);
  return to;
}

/// The rows of a CSR matrix, which share its entries and values.
template <class Csr>
Csr rows_of(const Csr& a, const distributed::RowRange& rows) {
  if (rows.size() == a.rows()) return a;
  const auto row_map = host_copy(a.row_map);
  const auto first = row_map(rows.begin);
  std::vector<typename Csr::offset_type> shifted;
  for (std::int32_t i = rows.begin; i <= rows.end; ++i) shifted.push_back(row_map(i) - first);
  const std::pair<std::size_t, std::size_t> entries(first, row_map(rows.end));
  return Csr(rows.size(), a.cols(),
             to_device<typename Csr::device_type>(shifted, "fatvec::csr::row_map"),
             Kokkos::subview(a.entries, entries), Kokkos::subview(a.values, entries));
}

/// The rows of a multivector.
template <MultiVector V>
auto rows_of(const V& v, const distributed::RowRange& rows) {
  const std::pair<std::int64_t, std::int64_t> range(rows.begin, rows.end);
  if constexpr (V::rank() == 1)
    return Kokkos::subview(v, range);
  else
    return Kokkos::subview(v, range, Kokkos::ALL);
}

}  // namespace detail
}  // namespace fatvec
