// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/host/column_tiles.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

namespace fatvec::detail {

/// Lanes of a vector of which parts can be loaded and stored: 0 where there is none.
template <class T, Columns columns>
inline constexpr int maskable_lanes = 0;

/// `width` sums in registers. The general form is an array that the compiler is trusted to keep
/// there: right for strided columns and for scalars without vector instructions.
template <class T, int columns_, bool vectorised_>
struct Pack {
  static constexpr bool vectorised = vectorised_;
  static constexpr int width = columns_;
  [[nodiscard]] KOKKOS_FUNCTION static constexpr int columns() { return width; }
  T lane[width] = {};

  template <class A, class X>
  FATVEC_FORCEINLINE_FUNCTION void add_scaled(const A& a, const X* x, std::int64_t step) {
    unroll<width>([&](int w) { lane[w] += a * x[w * step]; });
  }
  FATVEC_FORCEINLINE_FUNCTION void add(const Pack& other) {
    unroll<width>([&](int w) { lane[w] += other.lane[w]; });
  }
  /// sums[r] += a[r] · x: an element of x is loaded once for all of them.
  template <int n, class A>
  FATVEC_FORCEINLINE_FUNCTION static void add_scaled_to(Pack (&sums)[n], const A (&a)[n],
                                                        const T* x, std::int64_t step) {
    unroll<width>([&](int w) {
      const T loaded = x[w * step];
      unroll<n>([&](int r) { sums[r].lane[w] += a[r] * loaded; });
    });
  }
  FATVEC_FORCEINLINE_FUNCTION void store(T* to) const {
    unroll<width>([&](int w) { to[w] = lane[w]; });
  }
  /// to[w] = alpha · lane[w] (stream: past the caches, where there is an instruction for it), or
  /// to[w] = beta · to[w] + alpha · lane[w].
  FATVEC_FORCEINLINE_FUNCTION void overwrite(T* to, const T& alpha) const {
    unroll<width>([&](int w) { to[w] = alpha * lane[w]; });
  }
  FATVEC_FORCEINLINE_FUNCTION void stream(T* to, const T& alpha) const { overwrite(to, alpha); }
  FATVEC_FORCEINLINE_FUNCTION void combine(T* to, const T& alpha, const T& beta) const {
    unroll<width>([&](int w) { to[w] = beta * to[w] + alpha * lane[w]; });
  }
};

#if defined(FATVEC_GNU_HOST_PASS)

/// The CPU form: whole vectors first, the rest in vectors of half the size, and so on down to one
/// scalar. Written with the vector types of GCC and Clang because GCC does not vectorise the array
/// form once the epilogue's branches follow it.
template <class T, int width, int lanes>
struct Vectors {
  using Vector __attribute__((vector_size(sizeof(T) * lanes))) = T;
  static constexpr int whole = width / lanes;
  Vector head[whole > 0 ? whole : 1] = {};
  Vectors<T, width % lanes, lanes / 2> tail;

  FATVEC_FORCEINLINE void add_scaled(T a, const T* x) {
    each<whole>([&](auto v) FATVEC_INLINE_LAMBDA {
      Vector loaded;
      std::memcpy(&loaded, x + v * lanes, sizeof loaded);
      head[v] += a * loaded;
    });
    tail.add_scaled(a, x + whole * lanes);
  }
  /// sums(r) += a[r] · x
  template <int n, class A, class Sums>
  FATVEC_FORCEINLINE static void add_scaled_to(const Sums& sums, const A (&a)[n], const T* x) {
    each<whole>([&](auto v) FATVEC_INLINE_LAMBDA {
      Vector loaded;
      std::memcpy(&loaded, x + v * lanes, sizeof loaded);
      each<n>([&](auto r)
                  FATVEC_INLINE_LAMBDA { sums(r).head[v] += static_cast<T>(a[r]) * loaded; });
    });
    decltype(tail)::add_scaled_to(
        [&](auto r) FATVEC_INLINE_LAMBDA -> auto& { return sums(r).tail; }, a, x + whole * lanes);
  }
  FATVEC_FORCEINLINE void add(const Vectors& other) {
    each<whole>([&](auto v) FATVEC_INLINE_LAMBDA { head[v] += other.head[v]; });
    tail.add(other.tail);
  }
  FATVEC_FORCEINLINE void store(T* to) const {
    each<whole>([&](auto v) FATVEC_INLINE_LAMBDA {
      std::memcpy(to + v * lanes, &head[v], sizeof(Vector));
    });
    tail.store(to + whole * lanes);
  }
  FATVEC_FORCEINLINE void overwrite(T* to, T alpha) const {
    each<whole>([&](auto v) FATVEC_INLINE_LAMBDA {
      const Vector result = alpha * head[v];
      std::memcpy(to + v * lanes, &result, sizeof result);
    });
    tail.overwrite(to + whole * lanes, alpha);
  }
  /// To whole lines of the caches; `to` is aligned to one.
  FATVEC_FORCEINLINE void stream(T* to, T alpha) const {
    each<whole>([&](auto v) FATVEC_INLINE_LAMBDA {
      store_past_caches(to + v * lanes, static_cast<Vector>(alpha * head[v]));
    });
    tail.overwrite(to + whole * lanes, alpha);
  }
  FATVEC_FORCEINLINE void combine(T* to, T alpha, T beta) const {
    each<whole>([&](auto v) FATVEC_INLINE_LAMBDA {
      Vector old;
      std::memcpy(&old, to + v * lanes, sizeof old);
      const Vector result = beta * old + alpha * head[v];
      std::memcpy(to + v * lanes, &result, sizeof result);
    });
    tail.combine(to + whole * lanes, alpha, beta);
  }
};

template <class T, int lanes>
struct Vectors<T, 0, lanes> {
  void add_scaled(T, const T*) {}
  template <int n, class A, class Sums>
  static void add_scaled_to(const Sums&, const A (&)[n], const T*) {}
  void add(const Vectors&) {}
  void store(T*) const {}
  void overwrite(T*, T) const {}
  void stream(T*, T) const {}
  void combine(T*, T, T) const {}
};

template <class T>  // not a vector of one, which GCC keeps in memory
struct Vectors<T, 1, 1> {
  T sum{};
  FATVEC_FORCEINLINE void add_scaled(T a, const T* x) { sum += a * *x; }
  template <int n, class A, class Sums>
  FATVEC_FORCEINLINE static void add_scaled_to(const Sums& sums, const A (&a)[n], const T* x) {
    each<n>([&](auto r) FATVEC_INLINE_LAMBDA { sums(r).sum += a[r] * *x; });
  }
  FATVEC_FORCEINLINE void add(const Vectors& other) { sum += other.sum; }
  FATVEC_FORCEINLINE void store(T* to) const { *to = sum; }
  FATVEC_FORCEINLINE void overwrite(T* to, T alpha) const { *to = alpha * sum; }
  FATVEC_FORCEINLINE void stream(T* to, T alpha) const { *to = alpha * sum; }
  FATVEC_FORCEINLINE void combine(T* to, T alpha, T beta) const { *to = beta * *to + alpha * sum; }
};

template <class T, int columns_>
  requires std::is_floating_point_v<T>
struct Pack<T, columns_, true> {
  static constexpr bool vectorised = true;
  static constexpr int width = columns_;
  [[nodiscard]] static constexpr int columns() { return width; }
  Vectors<T, width, simd_bytes / sizeof(T)> sums;

  template <class A>
  FATVEC_FORCEINLINE_FUNCTION void add_scaled(const A& a, const T* x, std::int64_t) {
    sums.add_scaled(a, x);
  }
  FATVEC_FORCEINLINE_FUNCTION void add(const Pack& other) { sums.add(other.sums); }
  template <int n, class A>
  FATVEC_FORCEINLINE_FUNCTION static void add_scaled_to(Pack (&packs)[n], const A (&a)[n],
                                                        const T* x, std::int64_t) {
    Vectors<T, width, simd_bytes / sizeof(T)>::add_scaled_to(
        [&](auto r) FATVEC_INLINE_LAMBDA -> auto& { return packs[r].sums; }, a, x);
  }
  FATVEC_FORCEINLINE_FUNCTION void store(T* to) const { sums.store(to); }
  FATVEC_FORCEINLINE_FUNCTION void overwrite(T* to, T alpha) const { sums.overwrite(to, alpha); }
  FATVEC_FORCEINLINE_FUNCTION void stream(T* to, T alpha) const { sums.stream(to, alpha); }
  FATVEC_FORCEINLINE_FUNCTION void combine(T* to, T alpha, T beta) const {
    sums.combine(to, alpha, beta);
  }
};

#if defined(__AVX512F__)

template <class T>
  requires std::is_floating_point_v<T>
inline constexpr int maskable_lanes<T, Columns::contiguous> = simd_bytes / sizeof(T);

/// The first elements of a vector; what lies behind them is neither read nor written.
struct PartOfDoubles {
  using Vector = __m512d;
  __mmask8 mask;
  explicit PartOfDoubles(int elements) : mask(static_cast<__mmask8>((1U << elements) - 1)) {}
  [[nodiscard]] int elements() const { return std::popcount(static_cast<unsigned>(mask)); }
  FATVEC_FORCEINLINE Vector load(const double* from) const {
    return _mm512_maskz_loadu_pd(mask, from);
  }
  FATVEC_FORCEINLINE void store(double* to, const Vector& v) const {
    _mm512_mask_storeu_pd(to, mask, v);
  }
};
struct PartOfFloats {
  using Vector = __m512;
  __mmask16 mask;
  explicit PartOfFloats(int elements) : mask(static_cast<__mmask16>((1U << elements) - 1)) {}
  [[nodiscard]] int elements() const { return std::popcount(static_cast<unsigned>(mask)); }
  FATVEC_FORCEINLINE Vector load(const float* from) const {
    return _mm512_maskz_loadu_ps(mask, from);
  }
  FATVEC_FORCEINLINE void store(float* to, const Vector& v) const {
    _mm512_mask_storeu_ps(to, mask, v);
  }
};

/// Sums of a Ragged tile: any number of columns costs as much as the next multiple of the vectors'
/// lanes.
template <class T, int vectors>
struct RaggedPack {
  using Part = std::conditional_t<std::is_same_v<T, double>, PartOfDoubles, PartOfFloats>;
  static constexpr int lanes = simd_bytes / sizeof(T);
  static constexpr int whole = (vectors - 1) * lanes;
  Vectors<T, whole, lanes> head;
  typename Part::Vector last{};
  Part part;

  static constexpr bool vectorised = true;
  static constexpr int width = whole + lanes;

  explicit RaggedPack(int columns) : part(columns - whole) {}
  [[nodiscard]] int columns() const { return whole + part.elements(); }
  FATVEC_FORCEINLINE void add_scaled(T a, const T* x, std::int64_t) {
    head.add_scaled(a, x);
    last += a * part.load(x + whole);
  }
  FATVEC_FORCEINLINE void add(const RaggedPack& other) {
    head.add(other.head);
    last += other.last;
  }
  /// All of the width.
  FATVEC_FORCEINLINE void store(T* to) const {
    head.store(to);
    std::memcpy(to + whole, &last, sizeof last);
  }
  FATVEC_FORCEINLINE void overwrite(T* to, T alpha) const {
    head.overwrite(to, alpha);
    part.store(to + whole, alpha * last);
  }
  FATVEC_FORCEINLINE void stream(T* to, T alpha) const {
    head.stream(to, alpha);
    if (part.elements() == lanes)
      store_past_caches(to + whole, alpha * last);
    else
      part.store(to + whole, alpha * last);
  }
  FATVEC_FORCEINLINE void combine(T* to, T alpha, T beta) const {
    head.combine(to, alpha, beta);
    part.store(to + whole, beta * part.load(to + whole) + alpha * last);
  }
};

#endif
#endif

/// Sums of a tile, all 0.
template <class T, Columns columns, int width>
FATVEC_FORCEINLINE_FUNCTION auto sums_of(Width<width>) {
  return Pack<T, width, columns == Columns::contiguous>{};
}
#if defined(FATVEC_GNU_HOST_PASS) && defined(__AVX512F__)
template <class T, Columns columns, int vectors, int lanes>
FATVEC_FORCEINLINE auto sums_of(Ragged<vectors, lanes> columns_of) {
  return RaggedPack<T, vectors>(columns_of);
}
#endif

}  // namespace fatvec::detail
