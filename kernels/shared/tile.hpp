// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/macros.hpp>

namespace fatvec::detail {

/// n elements that lie side by side: one load, one multiplication. Compilers of hosts have a type
/// for it, which need not be aligned; devices load what is aligned as a whole.
#if defined(FATVEC_HAS_GNU_VECTORS)
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#else
inline constexpr int vector_bytes = 32;
#endif
template <class T, int n>
struct VectorOf {
  typedef T type __attribute__((vector_size(n * sizeof(T)), aligned(alignof(T)), may_alias));
};
#else
inline constexpr int vector_bytes = 16;
template <class T, int n>
struct VectorOf {
  struct alignas(n * sizeof(T)) type {
    T of[n];
    KOKKOS_FORCEINLINE_FUNCTION type& operator+=(const type& other) {
      for (int e = 0; e < n; ++e) of[e] += other.of[e];
      return *this;
    }
    KOKKOS_FORCEINLINE_FUNCTION friend type operator*(const T& a, type vector) {
      for (int e = 0; e < n; ++e) vector.of[e] = a * vector.of[e];
      return vector;
    }
  };
};
#endif
template <class T>
struct VectorOf<T, 1> {
  using type = T;
};

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
  Vector of[width / n];

  KOKKOS_FORCEINLINE_FUNCTION Tile() {
    for (int p = 0; p < width / n; ++p) of[p] = Vector{};
  }
  /// From X, columns `step` apart.
  KOKKOS_FORCEINLINE_FUNCTION Tile(const T* from, std::int64_t step) {
    const auto* const vectors = reinterpret_cast<const Vector*>(from);
    for (int p = 0; p < width / n; ++p) of[p] = vectors[n > 1 ? p : p * step];
  }
  KOKKOS_FORCEINLINE_FUNCTION Tile& operator+=(const Tile& other) {
    for (int p = 0; p < width / n; ++p) of[p] += other.of[p];
    return *this;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(const T& value, const Tile& x) {
    for (int p = 0; p < width / n; ++p) of[p] += value * x.of[p];
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy_to(T (&to)[width]) const {
    for (int p = 0; p < width / n; ++p) reinterpret_cast<Vector*>(to)[p] = of[p];
  }
};

}  // namespace fatvec::detail
