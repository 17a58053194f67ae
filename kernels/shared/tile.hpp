// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/macros.hpp>
#include <fatvec/core/vector_of.hpp>

namespace fatvec::detail {

/// Elements of the first vectors of a tile of `width` columns that lie side by side. Devices load
/// vectors that are aligned: all vectors of a tile are of one size there. Hosts may ask for those
/// of any device: of 16 bytes, aligned.
template <class T, int bytes = vector_bytes, bool aligned = vectors_are_aligned>
KOKKOS_FUNCTION constexpr int vector_width(int width) {
  if (!std::is_floating_point_v<T>) return 1;
  int n = bytes / static_cast<int>(sizeof(T));
  while (n > width || (aligned && width % n != 0)) n /= 2;
  return n < 1 ? 1 : n;
}

/// `width` columns of a row, in registers: of X, or sums, which a reduction adds up. In vectors of
/// n neighbours, then, of the columns that are left, in vectors of half the size, and so on; or
/// where columns are apart (n = 1) one by one.
template <class T, int width, int n = vector_width<T>(width)>
struct Tile;

template <class T, int n>
struct Tile<T, 0, n> {
  FATVEC_FORCEINLINE_FUNCTION Tile() {}
  FATVEC_FORCEINLINE_FUNCTION Tile(const T*, std::int64_t) {}
  FATVEC_FORCEINLINE_FUNCTION void operator+=(const Tile&) {}
  template <class A>
  FATVEC_FORCEINLINE_FUNCTION void add_product(const A&, const Tile&) {}
  FATVEC_FORCEINLINE_FUNCTION void copy_to(T*) const {}
};

/// The columns that are left over by vectors of n are those of another tile, smaller than a vector.
template <class T, int width, int n>
using RestOfTile =
    Tile<T, width % n, (width % n > 0 ? static_cast<int>(std::bit_floor(1U * (width % n))) : 1)>;

template <class T, int width, int n>
struct Tile : RestOfTile<T, width, n> {
  using Rest = RestOfTile<T, width, n>;
  using Vector = typename VectorOf<T, n>::type;
  static constexpr int vectors = width / n;
  Vector vector[vectors];

  FATVEC_FORCEINLINE_FUNCTION Tile() {
    for (int p = 0; p < vectors; ++p) vector[p] = Vector{};
  }
  /// From X, columns `step` apart.
  FATVEC_FORCEINLINE_FUNCTION Tile(const T* from, std::int64_t step)
      : Rest(from + vectors * n, step) {
    const auto* const loaded = reinterpret_cast<const Vector*>(from);
    for (int p = 0; p < vectors; ++p) vector[p] = loaded[n > 1 ? p : p * step];
  }
  FATVEC_FORCEINLINE_FUNCTION Tile& operator+=(const Tile& other) {
    for (int p = 0; p < vectors; ++p) vector[p] += other.vector[p];
    Rest::operator+=(other);
    return *this;
  }
  /// Adds a · x, column by column.
  template <class A>
  FATVEC_FORCEINLINE_FUNCTION void add_product(const A& a, const Tile& x) {
    using Factor = std::conditional_t<(n > 1), T, A>;  // vectors want their own type
    for (int p = 0; p < vectors; ++p) vector[p] += static_cast<Factor>(a) * x.vector[p];
    Rest::add_product(a, x);
  }
  /// `to` begins where a vector may.
  FATVEC_FORCEINLINE_FUNCTION void copy_to(T* to) const {
    for (int p = 0; p < vectors; ++p) reinterpret_cast<Vector*>(to)[p] = vector[p];
    Rest::copy_to(to + vectors * n);
  }
};

}  // namespace fatvec::detail

/// @cond
/// Where a reduction over tiles begins: Kokkos asks for it.
template <class T, int width, int n>
struct Kokkos::reduction_identity<fatvec::detail::Tile<T, width, n>> {
  KOKKOS_FORCEINLINE_FUNCTION static fatvec::detail::Tile<T, width, n> sum() { return {}; }
};
/// @endcond
