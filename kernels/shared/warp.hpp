// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/macros.hpp>

/// What differs between warps of CUDA and of HIP: sums among their threads, and launch bounds.
namespace fatvec::detail {

/// Whether the threads of a warp can add up among themselves. Kokkos offers that, too, but computes
/// a mask with two divisions in every call.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template <class ExecSpace>
inline constexpr bool has_shuffles = !is_host<ExecSpace>;
#else
template <class ExecSpace>
inline constexpr bool has_shuffles = false;
#endif

/// The second number of LaunchBounds for `blocks` blocks on a multiprocessor. On AMD GPUs it counts
/// waves of a SIMD unit; there the compiler chooses.
#if defined(KOKKOS_ENABLE_HIP)
template <int blocks>
inline constexpr int least_resident = 1;
#else
template <int blocks>
inline constexpr int least_resident = blocks;
#endif

/// Hides from a GPU's compiler how a value is computed: it cannot be computed twice.
FATVEC_FORCEINLINE_FUNCTION void keep_in_register([[maybe_unused]] std::uint32_t& value) {
#if defined(__CUDA_ARCH__)
  asm("" : "+r"(value));
#endif
}
template <class T>
FATVEC_FORCEINLINE_FUNCTION void keep_in_register([[maybe_unused]] T*& pointer) {
#if defined(__CUDA_ARCH__)
  asm("" : "+l"(pointer));
#endif
}

/// Threads of a warp that add up together.
inline constexpr int warp_size = 32;

/// The value of the thread whose rank differs in bit `offset`. Every thread of the warp must call
/// it. With a mask of some threads compilers add code that looks for them at each call.
template <class T>
FATVEC_FORCEINLINE_FUNCTION T warp_swap([[maybe_unused]] T value, [[maybe_unused]] int offset) {
#if defined(__CUDA_ARCH__)
  return __shfl_xor_sync(~0U, value, offset);
#elif defined(__HIP_DEVICE_COMPILE__)
  return __shfl_xor(value, offset);
#else
  return T{};  // no thread but this one
#endif
}

/// value + warp_swap(value, offset)
template <class T>
FATVEC_FORCEINLINE_FUNCTION T warp_add_xor(const T& value, int offset) {
  if constexpr (std::is_arithmetic_v<T>)
    return value + warp_swap(value, offset);
  else if constexpr (requires { value.imag(); })
    return value + T(warp_swap(value.real(), offset), warp_swap(value.imag(), offset));
  else  // half and bfloat16
    return T(static_cast<float>(value) + warp_swap(static_cast<float>(value), offset));
}

}  // namespace fatvec::detail
