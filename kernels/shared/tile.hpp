// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/macros.hpp>

namespace fatvec::detail {

/// n elements that lie side by side: one load, one multiplication. Compilers of hosts have a type
/// for it, which need not be aligned; devices load what is aligned as a whole.
#if defined(FATVEC_GNU_HOST_PASS)
#if defined(__AVX512F__)
inline constexpr int piece_bytes = 64;
#else
inline constexpr int piece_bytes = 32;
#endif
template <class T, int n>
struct PieceOf {
  typedef T type __attribute__((vector_size(n * sizeof(T)), aligned(alignof(T)), may_alias));
};
#else
inline constexpr int piece_bytes = 16;
template <class T, int n>
struct PieceOf {
  struct alignas(n * sizeof(T)) type {
    T of[n];
    KOKKOS_FORCEINLINE_FUNCTION type& operator+=(const type& other) {
      for (int e = 0; e < n; ++e) of[e] += other.of[e];
      return *this;
    }
    KOKKOS_FORCEINLINE_FUNCTION friend type operator*(const T& a, type piece) {
      for (int e = 0; e < n; ++e) piece.of[e] = a * piece.of[e];
      return piece;
    }
  };
};
#endif
template <class T>
struct PieceOf<T, 1> {
  using type = T;
};

/// Elements of a piece of such a tile.
template <class T>
KOKKOS_FUNCTION constexpr int piece_width(int width) {
  for (int n = 16; n > 1 && std::is_floating_point_v<T>; n /= 2)
    if (width % n == 0 && n * static_cast<int>(sizeof(T)) <= piece_bytes) return n;
  return 1;
}

/// `width` columns of a row, in registers: of X, or sums, which a reduction adds up. In pieces of
/// neighbours, or where columns are apart (n = 1) one by one.
template <class T, int width, int n = piece_width<T>(width)>
struct Tile {
  using Piece = typename PieceOf<T, n>::type;
  Piece of[width / n];

  KOKKOS_FORCEINLINE_FUNCTION Tile() {
    for (int p = 0; p < width / n; ++p) of[p] = Piece{};
  }
  /// From X, columns `step` apart.
  KOKKOS_FORCEINLINE_FUNCTION Tile(const T* from, std::int64_t step) {
    const auto* const pieces = reinterpret_cast<const Piece*>(from);
    for (int p = 0; p < width / n; ++p) of[p] = pieces[n > 1 ? p : p * step];
  }
  KOKKOS_FORCEINLINE_FUNCTION Tile& operator+=(const Tile& other) {
    for (int p = 0; p < width / n; ++p) of[p] += other.of[p];
    return *this;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(const T& value, const Tile& x) {
    for (int p = 0; p < width / n; ++p) of[p] += value * x.of[p];
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy_to(T (&to)[width]) const {
    for (int p = 0; p < width / n; ++p) reinterpret_cast<Piece*>(to)[p] = of[p];
  }
};

}  // namespace fatvec::detail
