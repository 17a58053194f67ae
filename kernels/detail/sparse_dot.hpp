// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <fatvec/core/host_pass.hpp>

/// A row of A whose entries lie side by side, on a CPU.
namespace fatvec::detail {

/// Asks for the lines of values and entries that lie 128 entries ahead: a processor's own prefetching is late with few columns.
/// Not to be called by a function that does nothing else: GCC takes one for a function without effects, and drops the call.
template <class Value, class Ordinal>
FATVEC_FORCEINLINE_FUNCTION void load_ahead([[maybe_unused]] const Value* values, [[maybe_unused]] const Ordinal* entries) {
#if defined(FATVEC_GNU_HOST_PASS)
  __builtin_prefetch(values + 128);
  __builtin_prefetch(entries + 128);
#endif
}

/// values[0] · x[entries[0]] + ... + values[length - 1] · x[entries[length - 1]] with a dense x.
template <class T, class Value, class Ordinal, class X>
FATVEC_FORCEINLINE_FUNCTION T sparse_dot(std::int64_t length, const Ordinal* entries, const Value* values, const X* x) {
  T sum{};
  for (std::int64_t j = 0; j < length; ++j) sum += values[j] * x[entries[j]];
  return sum;
}

#if defined(FATVEC_GNU_HOST_PASS)

/// Vectors of a few elements, one by one: nvcc's front end does not understand vectors of a type that a template names.
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

/// Four entries fill a vector, and two vectors take turns, for each addition waits for the last one to the same sum. GCC, which
/// may not reorder a sum, would add one entry after the other.
template <class T, class Ordinal>
requires(std::is_same_v<T, float> || std::is_same_v<T, double>) FATVEC_FORCEINLINE T
    sparse_dot(std::int64_t length, const Ordinal* entries, const T* values, const T* x) {
  using Two = typename FewOf<T>::Two;
  using Four = typename FewOf<T>::Four;
  const auto two = [&](std::int64_t j) {
    Two value;
    std::memcpy(&value, values + j, sizeof value);
    return value * Two{x[entries[j]], x[entries[j + 1]]};
  };
  const auto four = [&](std::int64_t j) {
    Four value;
    std::memcpy(&value, values + j, sizeof value);
    return value * Four{x[entries[j]], x[entries[j + 1]], x[entries[j + 2]], x[entries[j + 3]]};
  };
  if (length == 0) return T{};
  load_ahead(values, entries);
  Four even{};
  Four odd{};
  std::int64_t j = 0;
  for (; j + 8 <= length; j += 8) {
    load_ahead(values + 8 + j, entries + 8 + j);
    even += four(j);
    odd += four(j + 4);
  }
  if (length & 4) {
    even += four(j);
    j += 4;
  }
  even += odd;
  Two sum = Two{even[0], even[1]} + Two{even[2], even[3]};
  if (length & 2) {
    sum += two(j);
    j += 2;
  }
  return sum[0] + (length & 1 ? sum[1] + values[j] * x[entries[j]] : sum[1]);
}

#endif

}  // namespace fatvec::detail
