// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

/// What kernels can have of a multiprocessor.
namespace fatvec::detail {

/// What a multiprocessor has, by the architecture that Kokkos was configured for. Kokkos takes the
/// teams of a LaunchBounds for a demand, and refuses a launch that cannot have them. (On AMD GPUs
/// the bound counts waves of a SIMD unit: few.)
#if defined(KOKKOS_ENABLE_HIP)
inline constexpr int resident_threads = 512;
inline constexpr int scratch_of_multiprocessor = 64 << 10;
#elif defined(KOKKOS_ARCH_TURING75)
inline constexpr int resident_threads = 1024;
inline constexpr int scratch_of_multiprocessor = 64 << 10;
#elif defined(KOKKOS_ARCH_AMPERE86) || defined(KOKKOS_ARCH_AMPERE87) || \
    defined(KOKKOS_ARCH_ADA89) || defined(KOKKOS_ARCH_BLACKWELL120)
inline constexpr int resident_threads = 1536;
inline constexpr int scratch_of_multiprocessor = 96 << 10;
#elif defined(KOKKOS_ARCH_AMPERE80) || defined(KOKKOS_ARCH_HOPPER) || \
    defined(KOKKOS_ARCH_BLACKWELL100)
inline constexpr int resident_threads = 2048;
inline constexpr int scratch_of_multiprocessor = 160 << 10;
#else
inline constexpr int resident_threads = 2048;
inline constexpr int scratch_of_multiprocessor = 64 << 10;
#endif

}  // namespace fatvec::detail
