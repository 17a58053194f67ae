// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

#include <fatvec/core/macros.hpp>

namespace fatvec::detail {

/// n elements that lie side by side, for the portable kernel: one load, one multiplication.
/// Compilers of hosts have a type for it, which need not be aligned; devices load what is aligned
/// as a whole.
#if defined(FATVEC_HAS_GNU_VECTORS)
#if defined(__AVX512F__) && defined(__AVX512VL__)
inline constexpr int vector_bytes = 64;
#else
inline constexpr int vector_bytes = 32;
#endif
inline constexpr bool vectors_are_aligned = false;
template <class T, int n>
struct VectorOf {
  typedef T type __attribute__((vector_size(n * sizeof(T)), aligned(alignof(T)), may_alias));
};
#else
inline constexpr int vector_bytes = 16;
inline constexpr bool vectors_are_aligned = true;
template <class T, int n>
struct VectorOf {
  struct alignas(n * sizeof(T)) type {
    T data[n];
    KOKKOS_FORCEINLINE_FUNCTION type& operator+=(const type& other) {
      for (int e = 0; e < n; ++e) data[e] += other.data[e];
      return *this;
    }
    KOKKOS_FORCEINLINE_FUNCTION friend type operator*(const T& a, type vector) {
      for (int e = 0; e < n; ++e) vector.data[e] = a * vector.data[e];
      return vector;
    }
  };
};
#endif
template <class T>
struct VectorOf<T, 1> {
  using type = T;
};

}  // namespace fatvec::detail
