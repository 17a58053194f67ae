// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fatvec/formats/coo.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/rows.hpp>

namespace fatvec {

/// What assembling a CSR matrix found worth saying.
struct AssemblyReport {
  std::int64_t duplicates = 0;  ///< entries that were added to another entry of the same position
};

namespace detail {

/// Column first; equal columns by the bytes of the value, so that a sum of duplicates does not
/// depend on the scatter's order.
template <class Ordinal, class Scalar>
bool entry_before(Ordinal col_a, const Scalar& a, Ordinal col_b, const Scalar& b) {
  // Bytes on purpose: any fixed order of equal columns will do, NaN and complex included.
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
  return col_a != col_b ? col_a < col_b : std::memcmp(&a, &b, sizeof(Scalar)) < 0;
}

/// Sorts one row by column without any memory: a heap (heapsort).
template <class Ordinal, class Scalar>
void sort_by_heap(Ordinal* cols, Scalar* values, std::size_t length) {
  const auto before = [&](std::size_t a, std::size_t b) {
    return entry_before(cols[a], values[a], cols[b], values[b]);
  };
  const auto swap = [&](std::size_t a, std::size_t b) {
    std::swap(cols[a], cols[b]);
    std::swap(values[a], values[b]);
  };
  const auto sift = [&](std::size_t at, std::size_t end) {
    for (std::size_t child = 2 * at + 1; child < end; at = child, child = 2 * at + 1) {
      if (child + 1 < end && before(child, child + 1)) ++child;
      if (!before(at, child)) return;
      swap(at, child);
    }
  };
  for (std::size_t n = length / 2; n-- > 0;) sift(n, length);
  for (std::size_t end = length; end-- > 1;) {
    swap(0, end);
    sift(0, end);
  }
}

/// Sorts one row by column, in place: insertion for the short rows that matrices are made of, a
/// copy for long ones, where there is memory for one.
template <class Ordinal, class Scalar>
void sort_row(Ordinal* cols, Scalar* values, std::size_t length) {
  if (length > 48) {
    std::vector<std::pair<Ordinal, Scalar>> row;
    try {
      row.resize(length);
    } catch (const std::bad_alloc&) {  // which must not leave a parallel loop
      return sort_by_heap(cols, values, length);
    }
    for (std::size_t n = 0; n < length; ++n) row[n] = {cols[n], values[n]};
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) {
      return entry_before(a.first, a.second, b.first, b.second);
    });
    for (std::size_t n = 0; n < length; ++n) std::tie(cols[n], values[n]) = row[n];
    return;
  }
  for (std::size_t n = 1; n < length; ++n) {
    const Ordinal col = cols[n];
    const Scalar value = values[n];
    std::size_t at = n;
    for (; at > 0 && entry_before(col, value, cols[at - 1], values[at - 1]); --at) {
      cols[at] = cols[at - 1];
      values[at] = values[at - 1];
    }
    cols[at] = col;
    values[at] = value;
  }
}

/// The arrays of a Coo are its user's: throws ShapeError where they differ in length.
template <class Scalar, class Ordinal>
void require_shape(const Coo<Scalar, Ordinal>& coo) {
  const std::size_t entries = coo.entries();
  if (coo.rows >= 0 && coo.cols >= 0 && coo.row.extent(0) == entries &&
      coo.col.extent(0) == entries)
    return;
  throw ShapeError(concat("Coo of ", coo.rows, " x ", coo.cols, ": every entry wants a row, a ",
                          "column and a value; there are ", coo.row.extent(0), ", ",
                          coo.col.extent(0), " and ", entries, "."));
}

/// Counts the entries of each row. Throws InputError, naming the first entry outside the matrix.
template <class Count, class Scalar, class Ordinal>
void count_entries(const Kokkos::DefaultHostExecutionSpace& host, const Coo<Scalar, Ordinal>& coo,
                   const Count& count) {
  const auto row = coo.row;
  const auto col = coo.col;
  const Ordinal rows = coo.rows;
  const Ordinal cols = coo.cols;
  constexpr std::int64_t none = INT64_MAX;
  std::int64_t wrong = none;
  Kokkos::parallel_reduce(
      "fatvec::assemble::count",
      Range<Kokkos::DefaultHostExecutionSpace>(host, 0, static_cast<std::int64_t>(coo.entries())),
      [=](std::int64_t n, std::int64_t& first) {
        if (row(n) >= 0 && row(n) < rows && col(n) >= 0 && col(n) < cols)
          Kokkos::atomic_inc(&count(row(n)));
        else
          first = std::min(first, n);
      },
      Kokkos::Min<std::int64_t>(wrong));
  if (wrong == none) return;
  throw InputError(concat("Coo of ", rows, " x ", cols, ": entry ", wrong, " is at (", row(wrong),
                          ", ", col(wrong), "); rows and columns count from 0."));
}

}  // namespace detail

/// Assembles a CSR matrix from coordinates: sorted rows, duplicates summed, explicit zeros kept.
/// Runs on the host in parallel (where the Coo lives), then moves the result to Device. Extra
/// memory: one offset per row, and a copy of each long row while it is sorted, where there is room
/// for it. Throws CapacityError, before anything is allocated, where Offset cannot count the
/// entries, or where the matrix exceeds memory_limit (bytes; default: the free host memory): an
/// empty row costs as much as another. Throws ShapeError where the arrays of the Coo differ in
/// length, InputError where an entry is outside rows x cols.
template <class Device = Kokkos::DefaultExecutionSpace, class Offset = std::int32_t, class Scalar,
          class Ordinal>
CsrMatrix<Scalar, Ordinal, Device, Offset> csr_from_coo(
    const Coo<Scalar, Ordinal>& coo, AssemblyReport* report = nullptr,
    std::optional<std::uint64_t> memory_limit = {}) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using HostCsr = CsrMatrix<Scalar, Ordinal, Host, Offset>;
  using Range = detail::Range<Host>;
  const Host host;
  detail::require_shape(coo);
  const auto rows = static_cast<std::int64_t>(coo.rows);
  const auto entries = static_cast<std::int64_t>(coo.entries());
  detail::checked_count<Offset>(static_cast<double>(entries), "entries");
  detail::require_fits<Kokkos::HostSpace>(
      "CSR",
      {static_cast<double>(entries),
       (2.0 * static_cast<double>(rows) + 1) * sizeof(Offset) +
           static_cast<double>(entries) * (sizeof(Ordinal) + sizeof(Scalar))},
      memory_limit, detail::concat(rows, " rows, ", entries, " entries"));

  const auto row = coo.row;
  const auto col = coo.col;
  const auto value = coo.value;
  const auto cursor =
      detail::allocate_zeros<Kokkos::View<Offset*, Host>>(host, "fatvec::assemble::cursor", rows);
  detail::count_entries(host, coo, cursor);
  auto row_map =
      detail::allocate<typename HostCsr::Offsets>(host, "fatvec::csr::row_map", rows + 1);
  detail::offsets_from_lengths(host, row_map, rows, cursor);
  auto cols = detail::allocate<typename HostCsr::Ordinals>(host, "fatvec::csr::entries", entries);
  auto values = detail::allocate<typename HostCsr::Scalars>(host, "fatvec::csr::values", entries);
  Kokkos::parallel_for("fatvec::assemble::scatter", Range(host, 0, entries), [=](std::int64_t n) {
    const Offset slot = row_map(row(n) + 1) - Kokkos::atomic_fetch_sub(&cursor(row(n)), Offset{1});
    cols(slot) = col(n);
    values(slot) = value(n);
  });
  std::int64_t duplicates = 0;
  Kokkos::parallel_reduce(
      "fatvec::assemble::sort",
      Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>>(host, 0, rows),
      [=](std::int64_t i, std::int64_t& found) {
        const Offset begin = row_map(i);
        detail::sort_row(cols.data() + begin, values.data() + begin, row_map(i + 1) - begin);
        for (std::int64_t n = std::int64_t{begin} + 1; n < row_map(i + 1); ++n)
          found += cols(n) == cols(n - 1);
      },
      duplicates);
  if (report) report->duplicates = duplicates;
  if (duplicates == 0) return mirror<Device>(HostCsr(coo.rows, coo.cols, row_map, cols, values));

  // Duplicates are rare: compact in place, one thread, rather than hold a second copy of the
  // entries.
  Offset to = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    const Offset begin = row_map(i);
    const Offset end = row_map(i + 1);
    row_map(i) = to;
    for (Offset n = begin; n < end; ++n) {
      if (n > begin && cols(n) == cols(to - 1)) {
        values(to - 1) += values(n);
      } else {
        cols(to) = cols(n);
        values(to++) = values(n);
      }
    }
  }
  row_map(rows) = to;
  const auto kept = std::pair<std::size_t, std::size_t>(0, to);
  return mirror<Device>(HostCsr(coo.rows, coo.cols, row_map, Kokkos::subview(cols, kept),
                                Kokkos::subview(values, kept)));
}

}  // namespace fatvec
