// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/detail/rows.hpp>

namespace fatvec::detail {

/// Visits the entries of a CSR matrix in blocks of equally many, so that one long row is spread
/// over many work-items.
template <class RowMap>
class EntryBlocks {
  static constexpr std::int64_t block_size = 64;

 public:
  explicit EntryBlocks(const RowMap& row_map, std::int64_t nnz) : row_map_(row_map), nnz_(nnz) {}

  [[nodiscard]] std::int64_t count() const { return (nnz_ + block_size - 1) / block_size; }

  /// Calls visit(row, n) for each entry n of the block, ascending.
  template <class Visit>
  KOKKOS_FUNCTION void for_each_entry(std::int64_t block, const Visit& visit) const {
    const std::int64_t begin = block * block_size;
    const std::int64_t end = begin + block_size < nnz_ ? begin + block_size : nnz_;
    std::int64_t row = row_of(begin);
    for (std::int64_t n = begin; n < end; ++n) {
      while (static_cast<std::int64_t>(row_map_(row + 1)) <= n) ++row;
      visit(row, n);
    }
  }

 private:
  /// The row that holds entry n: the last one that starts at or before n.
  KOKKOS_FUNCTION std::int64_t row_of(std::int64_t n) const {
    const auto rows = static_cast<std::int64_t>(row_map_.extent(0)) - 1;
    return first_where(0, rows - 1, [&](std::int64_t row) {
      return static_cast<std::int64_t>(row_map_(row + 1)) > n;
    });
  }

  RowMap row_map_;
  std::int64_t nnz_;
};

}  // namespace fatvec::detail
