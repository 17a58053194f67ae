// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include <fatvec/core/macros.hpp>

/// What kernels can have of a multiprocessor: room, and tensor cores that multiply doubles without
/// loss: a warp's product of 8 × 4 and 4 × 8 elements, one instruction. (NVIDIA's PTX ISA,
/// mma.m8n8k4; from compute capability 8.0 on.)
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

/// Whether what is compiled for ExecSpace may use them with elements T. Not asked of the device
/// alone: one of today runs code for yesterday's, too.
#if defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ARCH_KEPLER) &&   \
    !defined(KOKKOS_ARCH_MAXWELL) && !defined(KOKKOS_ARCH_PASCAL) && \
    !defined(KOKKOS_ARCH_VOLTA) && !defined(KOKKOS_ARCH_TURING75)
#define FATVEC_TENSOR_TILES
#endif
#if defined(FATVEC_TENSOR_TILES)
template <class ExecSpace, class T>
inline constexpr bool may_have_tensor_tiles =
    std::is_same_v<ExecSpace, Kokkos::Cuda> && std::is_same_v<T, double>;
#else
template <class ExecSpace, class T>
inline constexpr bool may_have_tensor_tiles = false;
#endif

/// Whether the device of exec has them at full speed: 8.0, 9.0, 10.0, not the parts for graphics.
template <class T, class ExecSpace>
bool has_tensor_tiles([[maybe_unused]] const ExecSpace& exec) {
#if defined(FATVEC_TENSOR_TILES)
  if constexpr (may_have_tensor_tiles<ExecSpace, T>) {
    const auto& device = exec.cuda_device_prop();
    return device.major >= 8 && device.major <= 10 && device.minor == 0;
  }
#endif
  return false;
}

/// c += a · b, elements spread over a warp: thread 4 i + j has a(i, j), b(j, i), c(i, 2 j) and c(i,
/// 2 j + 1).
FATVEC_FORCEINLINE_FUNCTION void multiply_tiles([[maybe_unused]] double (&c)[2],
                                                [[maybe_unused]] double a,
                                                [[maybe_unused]] double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
#else
  Kokkos::abort("fatvec: a product by tensor cores that the code was not compiled for");
#endif
}

/// *from, which will not be wanted again: it leaves room in the caches for what will.
template <class T>
FATVEC_FORCEINLINE_FUNCTION T load_once(const T* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_arithmetic_v<T>) return __ldcs(from);
#endif
  return *from;
}

/// value, of 64 bits, about which the compiler then knows nothing: knowing that an offset was one
/// of 32 bits, it puts addresses together anew for each load (docs/lab/archive/0012).
template <class T>
FATVEC_FORCEINLINE_FUNCTION T opaque(T value) {
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(T) == 8);
  asm volatile("" : "+l"(value));
#endif
  return value;
}

}  // namespace fatvec::detail
