// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/shared/rows.hpp>
#include <fatvec/kernels/shared/slots.hpp>

/// Rows of slots of which some are absent, as masks tell: those of sliced diagonals.
namespace fatvec::detail {

/// n slots of a row, `step` apart, in registers.
template <class Ordinal, class Value, int n, bool all>
struct MaskedEntries : Entries<Ordinal, Value, n, all> {
  bool present[n];
  [[nodiscard]] FATVEC_FORCEINLINE_FUNCTION bool has(int m) const {
    return Entries<Ordinal, Value, n, all>::has(m) && present[m];
  }
};

/// A row of a slice: the slots of the slice, of which it has some. Its neighbours read the same
/// first columns and masks.
template <class Ordinal, class Value>
struct MaskedRow {
  using value_type = Value;
  const Ordinal* first_columns;  ///< of the first slot, and so on
  const std::uint32_t* masks;
  const Ordinal* entries;  ///< where the columns of the first slot would be, were it no diagonal
  const Value* values;
  std::int64_t slice_size;
  int row;        ///< in the slice
  int diagonals;  ///< slots before those that have a column for each row
  int length;     ///< slots

  [[nodiscard]] FATVEC_FORCEINLINE_FUNCTION bool has(int j) const {
    return (masks[j] >> row & 1) != 0;
  }
  [[nodiscard]] FATVEC_FORCEINLINE_FUNCTION Ordinal colidx(int j) const {
    return j < diagonals ? static_cast<Ordinal>(first_columns[j] + row)
                         : entries[(j - diagonals) * slice_size];
  }
  [[nodiscard]] FATVEC_FORCEINLINE_FUNCTION const Value& value(int j) const {
    return values[j * slice_size];
  }
  /// From now on the first slot is the one that was the n-th; `length` stays.
  FATVEC_FORCEINLINE_FUNCTION void advance(int n) {
    first_columns += n;
    masks += n;
    values += n * slice_size;
    diagonals -= n;
  }
  template <int n, bool all>
  [[nodiscard]] FATVEC_FORCEINLINE_FUNCTION MaskedEntries<Ordinal, Value, n, all> load(
      int step, int left) const {
    MaskedEntries<Ordinal, Value, n, all> loaded;
    loaded.step = step;
    loaded.left = left;
    for (int m = 0; m < n; ++m) {
      loaded.present[m] = (all || m * step < left) && has(m * step);
      if (!loaded.present[m]) continue;
      loaded.colidx[m] = colidx(m * step);
      loaded.value[m] = value(m * step);
    }
    return loaded;
  }
};

/// The rows of sliced diagonals.
template <class Rows_, class Scalar, class Ordinal_, class Device>
struct SlotRows<MaskedSlots<Rows_, Scalar, Ordinal_, Device>> {
  using S = MaskedSlots<Rows_, Scalar, Ordinal_, Device>;
  using Ordinal = Ordinal_;
  using Value = Scalar;
  using Row = MaskedRow<Ordinal, Value>;
  static constexpr bool contiguous = false;
  Rows_ access;
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
  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t matrix_row(std::int64_t i) { return i; }
  /// Slots of the slice: up to a small multiple of its longest row.
  [[nodiscard]] KOKKOS_FUNCTION int length(std::int64_t i) const {
    return access.slots(access.slice(i));
  }
  FATVEC_FORCEINLINE_FUNCTION Row operator()(std::int64_t i) const {
    const std::uint32_t s = access.slice(i);
    const std::int64_t size = access.slice_size;
    const auto r = static_cast<int>(i - s * size);
    const std::int64_t first = access.slot_offsets[s];
    const int slots = access.slots(s);
    return {.first_columns = access.first_columns + first,
            .masks = access.masks + first,
            .entries = columns + access.rest_offsets[s] * size + r,
            .values = values + first * size + r,
            .slice_size = size,
            .row = r,
            .diagonals = slots - access.rest(s),
            .length = slots};
  }
};

}  // namespace fatvec::detail
