// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <fatvec/core/error.hpp>
#include <fatvec/core/execution.hpp>

namespace fatvec::detail {

/// Whether the arrays of a CSR matrix fit together. A work-item looks at one offset or at one
/// column index, so that long rows cost no more than short ones: items 0 ... rows are offsets,
/// those behind them entries. What is reduced is the first item that is wrong.
template <class Offsets, class Ordinals>
struct CheckCsr {
  Offsets row_map;
  Ordinals entries;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t nnz;

  static constexpr std::int64_t none = INT64_MAX;

  [[nodiscard]] KOKKOS_FUNCTION bool offset_holds(std::int64_t i) const {
    const auto here = static_cast<std::int64_t>(row_map(i));
    if (i == 0 && here != 0) return false;
    return i == rows ? here == nnz : here <= static_cast<std::int64_t>(row_map(i + 1));
  }
  [[nodiscard]] KOKKOS_FUNCTION bool holds(std::int64_t item) const {
    if (item <= rows) return offset_holds(item);
    const auto column = static_cast<std::int64_t>(entries(item - rows - 1));
    return column >= 0 && column < cols;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t item, std::int64_t& first) const {
    if (item < first && !holds(item)) first = item;
  }
};

/// What is wrong with the item, in words; on the host, after the fact.
template <class Offsets, class Ordinals>
std::string complaint(const CheckCsr<Offsets, Ordinals>& check, std::int64_t item) {
  const auto row_map = host_copy(check.row_map);
  const auto offset = [&](std::int64_t i) { return static_cast<std::int64_t>(row_map(i)); };
  if (item == 0 && offset(0) != 0)
    return concat("row_map(0) is ", offset(0), "; the first row begins at entry 0.");
  if (item == check.rows)
    return concat("row_map(", item, "), the end of the last row, is ", offset(item), "; there are ",
                  check.nnz, " entries.");
  if (item < check.rows)
    return concat("row ", item, " ends before it begins: row_map(", item, ") is ", offset(item),
                  ", row_map(", item + 1, ") is ", offset(item + 1), "; offsets never decrease.");
  const std::int64_t entry = item - check.rows - 1;
  const auto* const first = row_map.data();  // const on every device
  const std::int64_t row = std::upper_bound(first, first + check.rows + 1, entry) - first - 1;
  const auto one =
      Kokkos::subview(check.entries, std::pair<std::int64_t, std::int64_t>(entry, entry + 1));
  const auto column = host_copy(one);
  return concat("entry ", entry, ", in row ", row, ", has the column ",
                static_cast<std::int64_t>(column(0)), "; the matrix has ", check.cols,
                " columns, counted from 0.");
}

/// Throws InputError where the arrays make no matrix; one pass on exec.
template <class ExecSpace, class Offsets, class Ordinals>
void check_csr(const ExecSpace& exec, const Offsets& row_map, const Ordinals& entries,
               std::int64_t rows, std::int64_t cols) {
  const auto nnz = static_cast<std::int64_t>(entries.extent(0));
  if (row_map.extent(0) != static_cast<std::size_t>(rows) + 1) {
    if (rows == 0 && nnz == 0 && row_map.extent(0) == 0) return;  // CsrMatrix()
    throw InputError(concat("CSR matrix of ", rows, " x ", cols, ": row_map has ",
                            row_map.extent(0), " offsets, wanted rows + 1."));
  }
  const CheckCsr<Offsets, Ordinals> check{
      .row_map = row_map, .entries = entries, .rows = rows, .cols = cols, .nnz = nnz};
  std::int64_t first = check.none;
  Kokkos::parallel_reduce("fatvec::validate", Range<ExecSpace>(exec, 0, rows + 1 + nnz), check,
                          Kokkos::Min<std::int64_t>(first));
  exec.fence("fatvec::validate");
  if (first == check.none) return;
  throw InputError(concat("CSR matrix of ", rows, " x ", cols, ": ", complaint(check, first)));
}

}  // namespace fatvec::detail
