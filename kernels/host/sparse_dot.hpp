// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// A row of A whose entries lie side by side, on a CPU.
namespace fatvec::detail {

/// Asks for the lines of values and entries that lie 128 entries ahead: a processor's own
/// prefetching is late with few columns. Not to be called by a function that does nothing else: GCC
/// takes one for a function without effects, and drops the call.
template <class Value, class Ordinal>
FATVEC_FORCEINLINE_FUNCTION void load_ahead([[maybe_unused]] const Value* values,
                                            [[maybe_unused]] const Ordinal* entries) {
#if defined(FATVEC_GNU_HOST_PASS)
  __builtin_prefetch(values + 128);
  __builtin_prefetch(entries + 128);
#endif
}

/// values[0] · x[entries[0]] + ... + values[length - 1] · x[entries[length - 1]] with a dense x.
template <class T, class Value, class Ordinal, class X>
FATVEC_FORCEINLINE_FUNCTION T sparse_dot(std::int64_t length, const Ordinal* entries,
                                         const Value* values, const X* x) {
  T sum{};
  for (std::int64_t j = 0; j < length; ++j) sum += values[j] * x[entries[j]];
  return sum;
}

#if defined(FATVEC_GNU_HOST_PASS)

/// Vectors of a few elements, one by one: nvcc's front end does not understand vectors of a type
/// that a template names.
template <class T>
struct FewOf {};
template <>
struct FewOf<float> {
  using Two __attribute__((vector_size(8))) = float;
  using Four __attribute__((vector_size(16))) = float;
};
template <>
struct FewOf<double> {
  using Two __attribute__((vector_size(16))) = double;
  using Four __attribute__((vector_size(32))) = double;
};

#if defined(__AVX2__)
/// The first n of four elements, n = 0 ... 4, and zeros: what lies behind them is not read.
struct FirstOfFour {
  alignas(16) static constexpr std::int32_t bits[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
  __m128i mask;
  explicit FirstOfFour(std::int64_t n)
      : mask(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bits + 4 - n))) {}
  FATVEC_FORCEINLINE __m128i load(const std::int32_t* from) const {
    return _mm_maskload_epi32(from, mask);
  }
  FATVEC_FORCEINLINE __m128 load(const float* from) const { return _mm_maskload_ps(from, mask); }
  FATVEC_FORCEINLINE __m256d load(const double* from) const {
    return _mm256_maskload_pd(from, _mm256_cvtepi32_epi64(mask));
  }
  FATVEC_FORCEINLINE __m128 of(__m128 all) const { return _mm_and_ps(all, _mm_castsi128_ps(mask)); }
  FATVEC_FORCEINLINE __m256d of(__m256d all) const {
    return _mm256_and_pd(all, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(mask)));
  }
};

/// Four columns that a register holds.
struct ColumnsOfFour {
  std::uint64_t halves[2];
  explicit ColumnsOfFour(__m128i columns)
      : halves{static_cast<std::uint64_t>(_mm_cvtsi128_si64(columns)),
               static_cast<std::uint64_t>(_mm_extract_epi64(columns, 1))} {}
  FATVEC_FORCEINLINE std::uint64_t operator[](int n) const {
    return n % 2 == 0 ? halves[n / 2] & UINT32_MAX : halves[n / 2] >> 32;
  }
};
#endif

/// Four entries fill a vector, and two vectors take turns, for each addition waits for the last one
/// to the same sum. GCC, which may not reorder a sum, would add one entry after the other.
template <class T, class Ordinal>
  requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
struct FewEntries {
  using Two = typename FewOf<T>::Two;
  using Four = typename FewOf<T>::Four;
  const Ordinal* entries;
  const T* values;
  const T* x;

  FATVEC_FORCEINLINE Two two(std::int64_t j) const {
    Two value;
    std::memcpy(&value, values + j, sizeof value);
    return value * Two{x[entries[j]], x[entries[j + 1]]};
  }
  /// (A function that returned so long a vector would differ with the compiler's options, and GCC
  /// warns.)
  FATVEC_FORCEINLINE void add_four(Four& to, std::int64_t j) const {
    Four value;
    std::memcpy(&value, values + j, sizeof value);
    to += value * Four{x[entries[j]], x[entries[j + 1]], x[entries[j + 2]], x[entries[j + 3]]};
  }
  FATVEC_FORCEINLINE static Two halves(const Four& of) {
    return Two{of[0], of[1]} + Two{of[2], of[3]};
  }
};

template <class T, class Ordinal>
  requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
FATVEC_FORCEINLINE T sparse_dot(std::int64_t length, const Ordinal* entries, const T* values,
                                const T* x) {
  using Few = FewEntries<T, Ordinal>;
  const Few row{entries, values, x};
  if (length == 0) return T{};
  load_ahead(values, entries);
  typename Few::Four even{};
  typename Few::Four odd{};
  std::int64_t j = 0;
  for (; j + 8 <= length; j += 8) {
    load_ahead(values + 8 + j, entries + 8 + j);
    row.add_four(even, j);
    row.add_four(odd, j + 4);
  }
  if (length & 4) {
    row.add_four(even, j);
    j += 4;
  }
  typename Few::Two sum = Few::halves(even + odd);
  if (length & 2) {
    sum += row.two(j);
    j += 2;
  }
  return sum[0] + (length & 1 ? sum[1] + values[j] * x[entries[j]] : sum[1]);
}

#endif

#if defined(FATVEC_GNU_HOST_PASS) && defined(__AVX2__)
template <class T, class Value, class Ordinal, class X>
inline constexpr bool has_asking_dot =
    std::is_same_v<Value, T> && std::is_same_v<X, T> && std::is_same_v<Ordinal, std::int32_t> &&
    (std::is_same_v<T, float> || std::is_same_v<T, double>);

/// sparse_dot, asking for the elements of x that as many entries from `later` on will want. Where
/// columns are scattered so are, mostly, the lengths of rows: the last four entries, or fewer, are
/// taken without a branch that no processor could foresee.
template <class T>
FATVEC_FORCEINLINE T sparse_dot_asking(std::int64_t length, const std::int32_t* entries,
                                       const T* values, const T* x, const std::int32_t* later) {
  using Few = FewEntries<T, std::int32_t>;
  const Few row{entries, values, x};
  typename Few::Four even{};
  typename Few::Four odd{};
  const auto ask = [&](std::int64_t j)
                       FATVEC_INLINE_LAMBDA { __builtin_prefetch(x + later[j], 0, 2); };
  std::int64_t j = 0;
  load_ahead(values, entries);
  for (; j + 8 < length; j += 8) {
    load_ahead(values + 8 + j, entries + 8 + j);
    each<8>([&](auto u) FATVEC_INLINE_LAMBDA { ask(j + u); });
    row.add_four(even, j);
    row.add_four(odd, j + 4);
  }
  if (length - j > 4) {
    each<4>([&](auto u) FATVEC_INLINE_LAMBDA { ask(j + u); });
    row.add_four(even, j);
    j += 4;
  }
  const FirstOfFour present(length - j);
  const ColumnsOfFour wanted(present.load(later + j));
  each<4>([&](auto u) FATVEC_INLINE_LAMBDA { __builtin_prefetch(x + wanted[u], 0, 2); });
  const ColumnsOfFour column(present.load(entries + j));
  const typename Few::Four of_x = {x[column[0]], x[column[1]], x[column[2]], x[column[3]]};
  odd += present.load(values + j) * present.of(of_x);
  const auto sum = Few::halves(even + odd);
  return sum[0] + sum[1];
}
#else
template <class T, class Value, class Ordinal, class X>
inline constexpr bool has_asking_dot = false;
#endif

}  // namespace fatvec::detail
