// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/host/prefetch.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// A row of A whose entries lie side by side, times a dense column of X, on a CPU.
namespace fatvec::detail {

/// values[0] · x[entries[0]] + ... + values[length - 1] · x[entries[length - 1]]
template <class T, class Value, class Ordinal, class X>
FATVEC_FORCEINLINE_FUNCTION T sparse_dot(std::int64_t length, const Ordinal* entries,
                                         const Value* values, const X* x) {
  T sum{};
  for (std::int64_t j = 0; j < length; ++j) sum += values[j] * x[entries[j]];
  return sum;
}

#if defined(FATVEC_HAS_GNU_VECTORS)

/// sum += values · x[entries], lane by lane.
template <class T, int n, class Ordinal>
FATVEC_FORCEINLINE void add_entries(Vec<T, n>& sum, const Ordinal* entries, const T* values,
                                    const T* x) {
  Vec<T, n> value;
  Vec<T, n> of_x;
  value.load(values);
  of_x.gather(x, entries);
  sum.add_product(value, of_x);
}

/// sum = the halves of four, added. By reference: without AVX GCC has a note on the ABI of each
/// vector that is passed by value.
template <class T>
FATVEC_FORCEINLINE void add_halves(Vec<T, 2>& sum, const Vec<T, 4>& four) {
  sum.of = typename Vec<T, 2>::Register{four.of[0], four.of[1]} +
           typename Vec<T, 2>::Register{four.of[2], four.of[3]};
}

/// Four entries fill a vector. GCC, which may not reorder a sum, would add one entry after the
/// other.
template <HasRegisters T, class Ordinal>
FATVEC_FORCEINLINE T sparse_dot(std::int64_t length, const Ordinal* entries, const T* values,
                                const T* x) {
  if (length == 0) return T{};
  prefetch_entries(values, entries);
  Vec<T, 4> four;
  std::int64_t j = 0;
  for (; j + 8 <= length; j += 8) {
    prefetch_entries(values + 8 + j, entries + 8 + j);
    add_entries(four, entries + j, values + j, x);
    add_entries(four, entries + j + 4, values + j + 4, x);
  }
  if (length & 4) {
    add_entries(four, entries + j, values + j, x);
    j += 4;
  }
  Vec<T, 2> sum;
  add_halves(sum, four);
  if (length & 2) {
    add_entries(sum, entries + j, values + j, x);
    j += 2;
  }
  return sum.of[0] + (length & 1 ? sum.of[1] + values[j] * x[entries[j]] : sum.of[1]);
}

#endif

/// Whether sparse_dot_prefetching is there for A's values and entries, X being of T.
#if defined(FATVEC_HAS_GNU_VECTORS) && defined(__AVX2__)
template <class T, class Value, class Ordinal>
inline constexpr bool has_prefetching_dot =
    std::is_same_v<Value, T> && std::is_same_v<Ordinal, std::int32_t> && HasRegisters<T>;

/// sparse_dot that prefetches the elements of x for as many entries from `later` on. Where columns
/// are scattered so are, mostly, the lengths of rows: the last entries are masked, for no processor
/// could predict a branch on their number.
template <class T>
FATVEC_FORCEINLINE T sparse_dot_prefetching(std::int64_t length, const std::int32_t* entries,
                                            const T* values, const T* x,
                                            const std::int32_t* later) {
  Vec<T, 4> four;
  const auto prefetch = [&](std::int64_t column)
                            FATVEC_INLINE_LAMBDA { __builtin_prefetch(x + column, 0, 2); };
  std::int64_t j = 0;
  prefetch_entries(values, entries);
  for (; j + 8 < length; j += 8) {
    prefetch_entries(values + 8 + j, entries + 8 + j);
    each<8>([&](auto u) FATVEC_INLINE_LAMBDA { prefetch(later[j + u]); });
    add_entries(four, entries + j, values + j, x);
    add_entries(four, entries + j + 4, values + j + 4, x);
  }
  if (length - j > 4) {
    each<4>([&](auto u) FATVEC_INLINE_LAMBDA { prefetch(later[j + u]); });
    add_entries(four, entries + j, values + j, x);
    j += 4;
  }
  const auto left = Mask<4>::first(length - j);
  Vec<std::int32_t, 4> columns;
  columns.load(later + j, left);
  unroll<4>([&](int u) { prefetch(columns.of[u]); });
  columns.load(entries + j, left);
  Vec<T, 4> value;
  Vec<T, 4> of_x;
  value.load(values + j, left);
  const std::int32_t column[] = {columns.of[0], columns.of[1], columns.of[2], columns.of[3]};
  of_x.gather(x, column);
  of_x.keep(left);  // x[0] of lanes without an entry may be NaN
  four.add_product(value, of_x);
  Vec<T, 2> sum;
  add_halves(sum, four);
  return sum.of[0] + sum.of[1];
}
#else
template <class T, class Value, class Ordinal>
inline constexpr bool has_prefetching_dot = false;
#endif

}  // namespace fatvec::detail
