// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/vector_of.hpp>

namespace fatvec::detail {

/// Elements of a vector of such a tile.
template <class T>
KOKKOS_FUNCTION constexpr int vector_width(int width) {
  for (int n = 16; n > 1 && std::is_floating_point_v<T>; n /= 2)
    if (width % n == 0 && n * static_cast<int>(sizeof(T)) <= vector_bytes) return n;
  return 1;
}

/// `width` columns of a row, in registers: of X, or sums, which a reduction adds up. In vectors of
/// neighbours, or where columns are apart (n = 1) one by one.
template <class T, int width, int n = vector_width<T>(width)>
struct Tile {
  using Vector = typename VectorOf<T, n>::type;
  static constexpr int vectors = width / n;
  Vector of[vectors];

  KOKKOS_FORCEINLINE_FUNCTION Tile() {
    for (int p = 0; p < vectors; ++p) of[p] = Vector{};
  }
  /// From X, columns `step` apart.
  KOKKOS_FORCEINLINE_FUNCTION Tile(const T* from, std::int64_t step) {
    const auto* const loaded = reinterpret_cast<const Vector*>(from);
    for (int p = 0; p < vectors; ++p) of[p] = loaded[n > 1 ? p : p * step];
  }
  KOKKOS_FORCEINLINE_FUNCTION Tile& operator+=(const Tile& other) {
    for (int p = 0; p < vectors; ++p) of[p] += other.of[p];
    return *this;
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy_to(T (&to)[width]) const {
    for (int p = 0; p < vectors; ++p) reinterpret_cast<Vector*>(to)[p] = of[p];
  }
};

}  // namespace fatvec::detail
