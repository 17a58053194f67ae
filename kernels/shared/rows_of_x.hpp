// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/error.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/core/vector_of.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/shared/tile.hpp>
#include <fatvec/kernels/shared/warp.hpp>

namespace fatvec::detail {

/// The rows of X from some column on. Bytes and 32-bit factors, so that finding a row takes a GPU
/// one instruction.
template <class T>
struct RowsOfX {
  const char* first;
  std::uint32_t row_bytes;

  RowsOfX() = default;
  template <class X>
  KOKKOS_FUNCTION RowsOfX(const X& x, int column)
      : first(reinterpret_cast<const char*>(x.data + column * x.step())),
        row_bytes(static_cast<std::uint32_t>(x.row_stride * static_cast<std::int64_t>(sizeof(T)))) {
  }

  /// The compiler must not compute them again behind a branch, which would become too long to be
  /// predicated.
  FATVEC_FORCEINLINE_FUNCTION void keep_in_registers() {
    keep_in_register(first);
    keep_in_register(row_bytes);
  }
  template <class Ordinal>
  FATVEC_FORCEINLINE_FUNCTION const T* operator[](Ordinal row) const {
    const std::uint64_t offset =
        static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<Ordinal>>(row)) * row_bytes;
    return reinterpret_cast<const T*>(first + offset);
  }
};

/// A tile of neighbouring columns of X, read row by row.
template <class T, class Tile_>
struct TilesOfX {
  using Tile = Tile_;
  RowsOfX<T> rows;
  std::int64_t step;  ///< from column to column

  template <class X>
  KOKKOS_FUNCTION TilesOfX(const X& x, int first_column) : rows(x, first_column), step(x.step()) {}

  template <class Ordinal>
  FATVEC_FORCEINLINE_FUNCTION Tile operator[](Ordinal row) const {
    return Tile(rows[row], step);
  }
};

/// Whether tiles of that width are taken where they do not make all columns. The last one then
/// begins in the one before, so that each is whole: threads of a warp whose tiles were read in
/// different ways would wait for each other.
KOKKOS_FUNCTION constexpr bool may_overlap(int width) {
  return width == 3;
}

/// The first column of the tile that holds column c of k and those after it.
template <int width>
KOKKOS_FUNCTION int first_of_tile(int c, int k) {
  return may_overlap(width) ? Kokkos::min(c, k - width) : c;
}

/// Stores a row's sums from column c on, whose tile begins with column `first`.
template <int width, class T, class Output>
FATVEC_FORCEINLINE_FUNCTION void store_from(const Output& output, std::int64_t row, int c,
                                            int first, int first_column, const T (&sums)[width]) {
  if constexpr (may_overlap(width)) {
    if (c != first) {
      for (int e = 1; e < width; ++e) {
        const T one[1] = {sums[e]};
        if (first + e >= c) output.store(row, first_column + first + e, one);
      }
      return;
    }
  }
  output.store(row, first_column + c, sums);
}

/// Throws CapacityError where the bytes of a row of X do not fit in 32 bits.
template <class X>
void require_near_rows(const char* label, const X& x) {
  if (x.row_stride * static_cast<std::int64_t>(sizeof(*x.data)) > UINT32_MAX)
    throw CapacityError(concat(label, ": the rows of X are ", x.row_stride,
                               " elements apart, which is 4 GB or more."));
}

}  // namespace fatvec::detail
