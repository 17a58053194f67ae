// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/kernels/host/gather.hpp>
#include <fatvec/kernels/host/prefetch.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// A row of A whose entries lie side by side, times a dense column of X, on a CPU.
namespace fatvec::detail {

/// Whether masked_dot may pay for these types.
template <class T, class Value, class Ordinal>
inline constexpr bool has_masked_dot =
    has_mask_registers && LoadsAs<Value, T> && std::is_same_v<Ordinal, std::int32_t>;

#if defined(FATVEC_HAS_GNU_VECTORS)

/// sum += values · x[entries], lane by lane.
template <class T, int n, class Ordinal, class Value>
FATVEC_FORCEINLINE void add_entries(Vec<T, n>& sum, const Ordinal* entries, const Value* values,
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
  sum.data = typename Vec<T, 2>::Register{four.data[0], four.data[1]} +
             typename Vec<T, 2>::Register{four.data[2], four.data[3]};
}

/// Four entries fill a vector. GCC, which may not reorder a sum, would add one entry after the
/// other. prefetches: entries further on.
template <bool prefetches, class T, class Ordinal, LoadsAs<T> Value>
FATVEC_FORCEINLINE T vector_dot(std::int64_t length, const Ordinal* entries, const Value* values,
                                const T* x) {
  if constexpr (prefetches) prefetch_entries(values, entries);
  Vec<T, 4> four;
  std::int64_t j = 0;
  for (; j + 8 <= length; j += 8) {
    if constexpr (prefetches) prefetch_entries(values + 8 + j, entries + 8 + j);
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
  return sum.data[0] + (length & 1 ? sum.data[1] + values[j] * x[entries[j]] : sum.data[1]);
}

/// The same in whole vectors, the last one under a mask: a processor has to predict how many
/// vectors a row fills, not its length. The sum is the same with each way to gather.
template <class T, class Gather, LoadsAs<T> Value>
FATVEC_FORCEINLINE T masked_dot(std::int64_t length, const std::int32_t* entries,
                                const Value* values, const T* x, const Gather& gather) {
  if (length == 0) return T{};
  constexpr int n = simd_lanes<T>;
  Vec<T, n> sum;
  Vec<T, n> value;
  Vec<T, n> of_x;
  std::int64_t j = 0;
  for (; j + n < length; j += n) {
    prefetch_entries(values + j, entries + j);
    value.load(values + j);
    gather(of_x, x, entries + j);
    sum.add_product(value, of_x);
  }
  prefetch_entries(values + j, entries + j);
  const Mask<n> rest = Mask<n>::first(length - j);
  value.load(values + j, rest);
  gather(of_x, x, entries + j, rest);
  sum.add_product(value, of_x, rest);
  return sum.total();
}

#endif

/// values[0] · x[entries[0]] + ... + values[length - 1] · x[entries[length - 1]]
template <class T, bool prefetches, class Value, class Ordinal>
FATVEC_FORCEINLINE_FUNCTION T sparse_dot(std::int64_t length, const Ordinal* entries,
                                         const Value* values, const T* x) {
#if defined(FATVEC_HAS_GNU_VECTORS)
  if constexpr (LoadsAs<Value, T>) return vector_dot<prefetches>(length, entries, values, x);
#endif
  T sum{};
  for (std::int64_t j = 0; j < length; ++j) sum += values[j] * x[entries[j]];
  return sum;
}

/// Whether neighbouring rows often differ in length, so that a processor mispredicts where a row
/// ends. Judged by a sample that is the same in every run.
template <class Rows>
KOKKOS_FUNCTION bool lengths_vary(const Rows& rows, std::int64_t count) {
  constexpr std::int64_t samples = 32;
  if (count < 2) return false;
  std::int64_t changes = 0;
  for (std::int64_t s = 0; s < samples; ++s) {
    const std::int64_t i = hashed(s) % (count - 1);
    changes += rows.length(i) != rows.length(i + 1) ? 1 : 0;
  }
  return 4 * changes > samples;
}

}  // namespace fatvec::detail
