// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// Column tiles of host kernels: columns whose number the compiler knows, and the sums of a row's
/// products with them, in registers.
namespace fatvec::detail {

/// A tile of 1 ... `vectors` vectors; the last one is masked to `columns` at run time.
template <int vectors, int lanes>
struct MaskedTile {
  static constexpr int value = vectors * lanes;            ///< at most,
  static constexpr int least = (vectors - 1) * lanes + 1;  ///< and at least
  int columns;
  KOKKOS_FUNCTION constexpr operator int() const { return columns; }  // NOLINT: as Width has
};

/// Widest tile of a CPU work-item: 32 doubles fill 8 of AVX2's 16 registers. Without unit stride
/// each column is a stream of its own, and 8 streams are what the first-level TLB serves.
template <Columns columns>
inline constexpr int widest_tile = columns == Columns::contiguous ? 32 : 8;

/// Whether sweep_columns covers k columns with a single tile.
template <Columns columns, int lanes>
KOKKOS_INLINE_FUNCTION bool fits_one_tile(std::int64_t k) {
  return k <= 8 || ((lanes > 0 || k == 16 || k == 32) && k <= widest_tile<columns>);
}

/// visit(Width<left>{}, c) where `left` is one of the widths; returns whether it is.
template <int... widths, class Visit>
KOKKOS_INLINE_FUNCTION bool visit_exactly(std::int64_t left, std::int64_t c, const Visit& visit) {
  return ((left == widths && (visit(Width<widths>{}, c), true)) || ...);
}

/// visit(MaskedTile<...>{left}, c) for 9 ... most · lanes columns that are left.
template <int most, int lanes, class Visit>
KOKKOS_INLINE_FUNCTION void visit_masked(std::int64_t left, std::int64_t c, const Visit& visit) {
  if constexpr ((most - 1) * lanes > 8)
    if (left <= (most - 1) * lanes) return visit_masked<most - 1, lanes>(left, c, visit);
  visit(MaskedTile<most, lanes>{static_cast<int>(left)}, c);
}

/// Covers columns 0 ... k - 1 with tiles: visit(Width<w>, first column), widest first, the
/// remainder exactly. Where vectors of `lanes` can be masked, the remainder is a single tile,
/// masked from 9 columns on.
template <Columns columns, int lanes, class Visit>
KOKKOS_INLINE_FUNCTION void sweep_columns(std::int64_t k, const Visit& visit) {
  constexpr int widest = widest_tile<columns>;
  std::int64_t c = 0;
  for (; c + widest <= k; c += widest) visit(Width<widest>{}, c);
  if (c == k) return;
  if constexpr (lanes > 0) {
    if (!visit_exactly<16, 8, 7, 6, 5, 4, 3, 2, 1>(k - c, c, visit))
      visit_masked<widest / lanes, lanes>(k - c, c, visit);
  } else {
    const auto visit_bit = [&](auto width) {
      if (((k - c) & width) == 0) return;
      visit(width, c);
      c += width;
    };
    if constexpr (widest > 16) visit_bit(Width<16>{});
    if constexpr (widest > 8) visit_bit(Width<8>{});
    visit_exactly<7, 6, 5, 4, 3, 2, 1>(k - c, c, visit);
  }
}

/// Covers columns c ... k - 1 with tiles of falling powers of two: fewer widths to compile.
template <int widest, class Visit>
KOKKOS_INLINE_FUNCTION void sweep_halves(std::int64_t k, const Visit& visit, std::int64_t c = 0) {
  for (; c + widest <= k; c += widest) visit(Width<widest>{}, c);
  if constexpr (widest > 1) sweep_halves<widest / 2>(k, visit, c);
}

/// An array that the compiler is trusted to keep in registers: for strided columns, and for scalars
/// without vector instructions.
template <class T, int width_, bool vectorised_>
struct Accumulator {
  static constexpr bool vectorised = false;
  static constexpr int width = width_;
  T sum[width] = {};

  template <class A, class X>
  FATVEC_FORCEINLINE_FUNCTION void add_scaled(const A& a, const X* x, std::int64_t step) {
    unroll<width>([&](int w) { sum[w] += a * x[w * step]; });
  }
  FATVEC_FORCEINLINE_FUNCTION void add(const Accumulator& other) {
    unroll<width>([&](int w) { sum[w] += other.sum[w]; });
  }
  /// sums[r] += a[r] · x: an element of x is loaded once for all of them.
  template <int n, class A>
  FATVEC_FORCEINLINE_FUNCTION static void add_scaled_to(Accumulator (&sums)[n], const A (&a)[n],
                                                        const T* x, std::int64_t step) {
    unroll<width>([&](int w) {
      const T loaded = x[w * step];
      unroll<n>([&](int r) { sums[r].sum[w] += a[r] * loaded; });
    });
  }
  FATVEC_FORCEINLINE_FUNCTION void store(T* to) const {
    unroll<width>([&](int w) { to[w] = sum[w]; });
  }
};

#if defined(FATVEC_HAS_GNU_VECTORS)

/// `width` elements: whole vectors first, the rest in vectors of half the size, and so on.
template <class T, int width, int lanes>
struct Registers {
  static constexpr int whole = width / lanes;
  Vec<T, lanes> head[whole > 0 ? whole : 1];
  Registers<T, width % lanes, lanes / 2> tail;

  /// f(first column of a vector, this vector of one, of the next, ...)
  template <int first = 0, class F, class... Of>
  FATVEC_FORCEINLINE static void zip(const F& f, Of&... of) {
    each<whole>([&](auto v) FATVEC_INLINE_LAMBDA { f(first + v * lanes, of.head[v]...); });
    decltype(tail)::template zip<first + whole * lanes>(f, of.tail...);
  }
};
template <class T, int lanes>
struct Registers<T, 0, lanes> {
  template <int = 0, class F, class... Of>
  FATVEC_FORCEINLINE static void zip(const F&, Of&...) {}
};

/// Written with vector types because GCC does not vectorise the array form once the branches of the
/// output follow it.
template <HasRegisters T, int width_>
struct Accumulator<T, width_, true> {
  static constexpr bool vectorised = true;
  static constexpr int width = width_;
  using Sums = Registers<T, width, simd_lanes<T>>;
  Sums sums;

  [[nodiscard]] static constexpr int columns() { return width; }
  /// f(column, vector of sums), or f(column, vector, mask)
  template <class F>
  FATVEC_FORCEINLINE void for_each(const F& f) const {
    Sums::zip(f, sums);
  }
  template <class A>
  FATVEC_FORCEINLINE void add_scaled(const A& a, const T* x, std::int64_t) {
    Sums::zip(
        [&](int c, auto& sum) FATVEC_INLINE_LAMBDA {
          std::remove_reference_t<decltype(sum)> loaded;
          loaded.load(x + c);
          sum.add_product(static_cast<T>(a), loaded);
        },
        sums);
  }
  FATVEC_FORCEINLINE void add(const Accumulator& other) {
    Sums::zip([](int, auto& sum, const auto& more) FATVEC_INLINE_LAMBDA { sum.add(more); }, sums,
              other.sums);
  }
  template <int n, class A>
  FATVEC_FORCEINLINE static void add_scaled_to(Accumulator (&to)[n], const A (&a)[n], const T* x,
                                               std::int64_t) {
    add_scaled_to(to, a, x, std::make_integer_sequence<int, n>());
  }
  FATVEC_FORCEINLINE void store(T* to) const {
    for_each([&](int c, const auto& sum) FATVEC_INLINE_LAMBDA { sum.store(to + c); });
  }

 private:
  template <class To, class A, int... r>
  FATVEC_FORCEINLINE static void add_scaled_to(To& to, const A& a, const T* x,
                                               std::integer_sequence<int, r...>) {
    const auto add = [&](int c, auto& first, auto&... other) FATVEC_INLINE_LAMBDA {
      std::remove_reference_t<decltype(first)> loaded;
      loaded.load(x + c);
      int row = 0;
      first.add_product(static_cast<T>(a[row++]), loaded);
      (other.add_product(static_cast<T>(a[row++]), loaded), ...);
    };
    Sums::zip(add, to[r].sums...);
  }
};

/// Lanes of a vector that can be masked: 0 where there are none.
template <class T, Columns columns>
inline constexpr int maskable_lanes =
    has_masks && columns == Columns::contiguous && HasRegisters<T> ? simd_lanes<T> : 0;

/// Sums of a masked tile: any number of columns costs as much as the next multiple of the lanes.
template <class T, int vectors>
struct MaskedAccumulator {
  static constexpr int lanes = simd_lanes<T>;
  static constexpr int whole = (vectors - 1) * lanes;
  static constexpr bool vectorised = true;
  static constexpr int width = whole + lanes;
  Accumulator<T, whole, true> head;
  Vec<T, lanes> last;
  int rest;
  Mask<lanes> mask;

  explicit MaskedAccumulator(int columns) : rest(columns - whole), mask(Mask<lanes>::first(rest)) {}
  [[nodiscard]] int columns() const { return whole + rest; }
  template <class F>
  FATVEC_FORCEINLINE void for_each(const F& f) const {
    head.for_each(f);
    f(whole, last, mask);
  }
  FATVEC_FORCEINLINE void add_scaled(T a, const T* x, std::int64_t step) {
    head.add_scaled(a, x, step);
    Vec<T, lanes> loaded;
    loaded.load(x + whole, mask);
    last.add_product(a, loaded);
  }
  FATVEC_FORCEINLINE void add(const MaskedAccumulator& other) {
    head.add(other.head);
    last.add(other.last);
  }
  /// All of the width.
  FATVEC_FORCEINLINE void store(T* to) const {
    head.store(to);
    last.store(to + whole);
  }
};

#else
template <class T, Columns columns>
inline constexpr int maskable_lanes = 0;
#endif

/// Sums of a tile, all 0.
template <class T, Columns columns, int width>
FATVEC_FORCEINLINE_FUNCTION auto sums_of(Width<width>) {
  return Accumulator<T, width, columns == Columns::contiguous>{};
}
#if defined(FATVEC_HAS_GNU_VECTORS)
template <class T, Columns columns, int vectors, int lanes>
FATVEC_FORCEINLINE auto sums_of(MaskedTile<vectors, lanes> tile) {
  return MaskedAccumulator<T, vectors>(tile);
}
#endif

}  // namespace fatvec::detail
