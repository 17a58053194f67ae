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

/// A tile of neighbouring columns of X, read row by row. Of one that is partial only the first
/// `present` are columns of X; the others repeat the last of them.
template <class T, class Tile_, bool partial = false>
struct TilesOfX {
  using Tile = Tile_;
  RowsOfX<T> rows;
  std::int64_t step;  ///< from column to column
  int present;

  template <class X>
  KOKKOS_FUNCTION TilesOfX(const X& x, int first_column, int columns = 0)
      : rows(x, first_column), step(x.step()), present(columns) {}

  template <class Ordinal>
  FATVEC_FORCEINLINE_FUNCTION Tile operator[](Ordinal row) const {
    if constexpr (partial)
      return Tile(rows[row], step, present);
    else
      return Tile(rows[row], step);
  }
};

/// f(tile of X, columns of it that X has) for columns c, c + 1, ... of k. Where tiles that `may` be
/// partial, by default those of three columns, do not make k columns all of them are: threads of a
/// warp whose tiles were read in different ways would wait for each other.
template <int width, bool may = width == 3, class T, class F>
FATVEC_FORCEINLINE_FUNCTION void with_tile(const MultiVectorSpan<const T, Columns::contiguous>& x,
                                           int c, int k, const F& f) {
  if constexpr (may) {
    const int present = Kokkos::min(width, k - c);
    if (k % width != 0) return f(TilesOfX<T, Tile<T, width, 1>, true>(x, c, present), present);
  }
  f(TilesOfX<T, Tile<T, width>>(x, c), width);
}

/// Stores the first `present` of a row's sums.
template <int width, class T, class Output>
FATVEC_FORCEINLINE_FUNCTION void store_present(const Output& output, std::int64_t row,
                                               std::int64_t column, const T (&sums)[width],
                                               int present) {
  if (present == width) return output.store(row, column, sums);
  for (int e = 0; e < width; ++e) {
    const T one[1] = {sums[e]};
    if (e < present) output.store(row, column + e, one);
  }
}

/// Throws CapacityError where the bytes of a row of X do not fit in 32 bits.
template <class X>
void require_near_rows(const char* label, const X& x) {
  if (x.row_stride * static_cast<std::int64_t>(sizeof(*x.data)) > UINT32_MAX)
    throw CapacityError(concat(label, ": the rows of X are ", x.row_stride,
                               " elements apart, which is 4 GB or more."));
}

}  // namespace fatvec::detail
