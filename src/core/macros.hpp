// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Macros.hpp>

/// Defined where code is compiled for the CPU by GCC or Clang, whose vector types and builtins may
/// then be used; not in the passes that compile the same functions for a device.
#if defined(__GNUC__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__) && \
    !defined(__SYCL_DEVICE_ONLY__)
#define FATVEC_HAS_GNU_VECTORS
#endif

/// Before a loop: the compiler is to unroll it.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__clang__)
#define FATVEC_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define FATVEC_UNROLL
#else
#define FATVEC_UNROLL _Pragma("GCC unroll 32")
#endif

/// Prefetches the cache line of an address on CPUs; devices hide memory's latency by themselves.
#if defined(FATVEC_HAS_GNU_VECTORS)
#define FATVEC_PREFETCH(address) __builtin_prefetch(address)
#else
#define FATVEC_PREFETCH(address) static_cast<void>(address)
#endif

/// Inlined whatever the compiler thinks: a device function, one of the CPU alone, a lambda (written
/// after its parameters). GCC else calls some of what `each` unrolls, and the sums that are to stay
/// in registers live in memory. Without optimisation, or with GCC's AddressSanitizer around every
/// load, nothing is gained, and GCC takes far longer.
#if defined(FATVEC_HAS_GNU_VECTORS) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define FATVEC_FORCEINLINE_FUNCTION KOKKOS_FORCEINLINE_FUNCTION
#define FATVEC_FORCEINLINE [[gnu::always_inline]] inline
#define FATVEC_INLINE_LAMBDA __attribute__((always_inline))
#else
#if defined(FATVEC_HAS_GNU_VECTORS)
#define FATVEC_FORCEINLINE_FUNCTION KOKKOS_INLINE_FUNCTION
#else
#define FATVEC_FORCEINLINE_FUNCTION KOKKOS_FORCEINLINE_FUNCTION
#endif
#define FATVEC_FORCEINLINE inline
#define FATVEC_INLINE_LAMBDA
#endif
