// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/multivector.hpp>

namespace fatvec::detail {

template <Columns columns>
inline constexpr Columns opposite =
    columns == Columns::strided ? Columns::contiguous : Columns::strided;

/// Copies of a multivector whose columns are contiguous into one whose rows are, or the other way
/// round: to(i, c) = from(i, c), or from(i, c) + beta · to(i, c) where beta is not 0. By tiles of
/// tile_rows × tile_columns, which each executor copies in its own way.
template <class T, Columns from_columns, int tile_rows, int tile_columns>
struct OperandTiles {
  static constexpr bool packs = from_columns == Columns::strided;
  MultiVectorSpan<const T, from_columns> from;
  MultiVectorSpan<T, opposite<from_columns>> to;
  T beta;
  std::int64_t rows;
  std::int64_t columns;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t tiles_across() const {
    return (columns + tile_columns - 1) / tile_columns;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t tiles() const {
    return (rows + tile_rows - 1) / tile_rows * tiles_across();
  }

  struct Tile {
    std::int64_t row;
    std::int64_t column;
    int high;
    int wide;
  };

  [[nodiscard]] KOKKOS_FUNCTION Tile tile_of(std::int64_t n) const {
    const std::int64_t row = n / tiles_across() * tile_rows;
    const std::int64_t column = n % tiles_across() * tile_columns;
    return {row, column, static_cast<int>(Kokkos::min<std::int64_t>(tile_rows, rows - row)),
            static_cast<int>(Kokkos::min<std::int64_t>(tile_columns, columns - column))};
  }

  KOKKOS_FUNCTION void store(std::int64_t i, std::int64_t c, const T& value) const {
    T& element = to(i, c);
    element = beta == T{} ? value : value + beta * element;
  }
};

}  // namespace fatvec::detail
