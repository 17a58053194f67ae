// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

#include <fatvec/core/macros.hpp>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/// Vector registers of the host's processor, and stores that bypass its caches.
namespace fatvec::detail {

/// Bytes of a vector register, and how many of them a CPU has.
#if defined(__AVX512F__)
inline constexpr int simd_bytes = 64;
inline constexpr int simd_registers = 32;
#elif defined(__AVX__)
inline constexpr int simd_bytes = 32;
inline constexpr int simd_registers = 16;
#else
inline constexpr int simd_bytes = 16;
inline constexpr int simd_registers = 16;
#endif

/// Bytes beyond which a CPU's caches will not hold what is written until it is wanted.
inline constexpr std::int64_t larger_than_caches = 64'000'000;

/// What a thread calls after its last non-temporal store: these would else wait behind the barrier
/// that tells of them.
KOKKOS_INLINE_FUNCTION void end_stores_past_caches() {
#if defined(FATVEC_GNU_HOST_PASS) && defined(__SSE2__)
  _mm_sfence();
#endif
}

#if defined(FATVEC_GNU_HOST_PASS)

template <class Bits, class Vector>
FATVEC_FORCEINLINE Bits bits_of(const Vector& vector) {
  Bits bits;
  std::memcpy(&bits, &vector, sizeof bits);
  return bits;
}

/// Writes an aligned vector to memory without reading its line before, or keeping it in caches.
template <class Vector>
FATVEC_FORCEINLINE void store_past_caches(void* to, const Vector& vector) {
#if defined(__AVX512F__)
  if constexpr (sizeof vector == 64)
    return _mm512_stream_si512(static_cast<__m512i*>(to), bits_of<__m512i>(vector));
#endif
#if defined(__AVX__)
  if constexpr (sizeof vector == 32)
    return _mm256_stream_si256(static_cast<__m256i*>(to), bits_of<__m256i>(vector));
#endif
#if defined(__SSE2__)
  if constexpr (sizeof vector == 16)
    return _mm_stream_si128(static_cast<__m128i*>(to), bits_of<__m128i>(vector));
#endif
  std::memcpy(to, &vector, sizeof vector);
}

#endif

}  // namespace fatvec::detail
