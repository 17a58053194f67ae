// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/shared/prefetch_entries.hpp>
#include <fatvec/kernels/shared/row_segments.hpp>
#include <fatvec/kernels/shared/slots.hpp>

/// The rows of a matrix, as row kernels read them, whatever its format:
///   count()         stored rows
///   operator()(i)   stored row i: `length`, colidx(j) and value(j) for j < length, as in
///                   KokkosSparse's views of rows; load<n>(step), n entries at once; advance(n)
///   length(i)       the same without the rest
///   matrix_row(i)   the row of the matrix, and of Y, that stored row i is
///   contiguous      whether the entries of a row lie side by side
///   mean_length     of a row
namespace fatvec::detail {

/// n entries of a row, `step` apart, in registers. Of the last ones of a row only those before its
/// end are there; the others have the value 0.
template <class Ordinal, class Value, int n, bool all>
struct Entries {
  static constexpr int size = n;
  Ordinal colidx[n];
  Value value[n] = {};
  int step;
  int left;  ///< from the first one to the row's end

  [[nodiscard]] FATVEC_FORCEINLINE_FUNCTION bool has(int m) const { return all || m * step < left; }
};

/// A row that is walked slot by slot.
template <class Walk, class Ordinal, class Value>
struct SlotRow {
  Walk slots;  ///< formats/detail/row_access.hpp
  const Ordinal* columns;
  const Value* values;
  int length;

  [[nodiscard]] FATVEC_FORCEINLINE_FUNCTION Ordinal colidx(int j) const {
    return columns[slots[j]];
  }
  [[nodiscard]] FATVEC_FORCEINLINE_FUNCTION const Value& value(int j) const {
    return values[slots[j]];
  }
  /// The entries of rows further on, where a row's lie side by side (shared/prefetch_entries.hpp).
  FATVEC_FORCEINLINE_FUNCTION void prefetch_ahead() const {
    for (std::int64_t n = 0; n < length; n += 8)
      prefetch_entries(values + slots[0] + n, columns + slots[0] + n);
  }
  /// From now on the first entry is the one that was the n-th; `length` stays.
  FATVEC_FORCEINLINE_FUNCTION void advance(int n) { slots.advance(n); }
  /// Entries 0, step, 2 step, ...; all: the row has them all, otherwise those before `left`.
  template <int n, bool all>
  [[nodiscard]] FATVEC_FORCEINLINE_FUNCTION Entries<Ordinal, Value, n, all> load(int step,
                                                                                 int left) const {
    Entries<Ordinal, Value, n, all> loaded;
    loaded.step = step;
    loaded.left = left;
    for (int m = 0; m < n; ++m) {
      if (!loaded.has(m)) continue;
      loaded.colidx[m] = colidx(m * step);
      loaded.value[m] = value(m * step);
    }
    return loaded;
  }
};

/// The rows of a format that are walked slot by slot: all but BSR's, BitTCF's and sliced
/// diagonals'.
template <class S>
struct SlotRows {
  using Ordinal = typename S::ordinal_type;
  using Value = typename S::value_type;
  using Walk = decltype(std::declval<typename S::Rows>().walk(0));
  using Row = SlotRow<Walk, Ordinal, Value>;
  static constexpr bool contiguous = S::Rows::contiguous;
  static constexpr bool in_slices = requires(const typename S::Rows& access) { access.slice_size; };
  typename S::Rows access;
  const Ordinal* columns;
  const Value* values;
  std::int64_t rows;
  double mean_length;

  explicit SlotRows(const S& a)
      : access(a.access),
        columns(a.entries),
        values(a.values),
        rows(a.count),
        mean_length(static_cast<double>(a.nnz) / static_cast<double>(a.count)) {}

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return rows; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t matrix_row(std::int64_t i) const {
    return access.row(i);
  }
  [[nodiscard]] KOKKOS_FUNCTION int length(std::int64_t i) const {
    return static_cast<int>(access.length(i));
  }
  FATVEC_FORCEINLINE_FUNCTION Row operator()(std::int64_t i) const {
    return {access.walk(i), columns, values, length(i)};
  }
  /// Rows of a group, a power of two: most_entries() bounds the lengths of a group by one or two
  /// loads. In CSR they have about half of `most` entries in all. Otherwise they have one width, in
  /// a slice or in ELLPACK, or get shorter, in JAD.
  [[nodiscard]] int rows_of_group(int most) const {
    const double rows_of_half = most / 2 / std::max(1.0, mean_length);
    if constexpr (contiguous)
      return 1 << std::ilogb(std::clamp(rows_of_half, 1.0, 32.0));
    else if constexpr (in_slices)
      return 1 << std::min(std::countr_zero(access.slice_size), 3);
    else
      return 8;
  }
  /// A bound of the lengths of rows `first` to before `last`, which are of one group.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t most_entries(std::int64_t first,
                                                          std::int64_t last) const {
    if constexpr (contiguous)
      return access.slots_before(last) - access.slots_before(first);
    else
      return access.width(first);
  }
};

/// Segments of long rows, as rows that count like the segments.
template <class S>
struct SegmentRows {
  using Row = typename SlotRows<S>::Row;
  static constexpr bool contiguous = true;  // threads share them wherever their entries lie
  static constexpr bool of_segments = true;
  SlotRows<S> whole;
  const RowSegment<typename S::ordinal_type>* segments;
  std::int64_t number;
  double mean_length = entries_of_segment;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return number; }
  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t matrix_row(std::int64_t s) { return s; }
  [[nodiscard]] KOKKOS_FUNCTION int length(std::int64_t s) const {
    return static_cast<int>(segments[s].last - segments[s].first);
  }
  FATVEC_FORCEINLINE_FUNCTION Row operator()(std::int64_t s) const {
    const auto segment = segments[s];
    Row row = whole(segment.row);
    row.advance(static_cast<int>(segment.first));
    row.length = static_cast<int>(segment.last - segment.first);
    return row;
  }
};

}  // namespace fatvec::detail
