// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/macros.hpp>

/// Sums among the threads of a warp.
namespace fatvec::detail {

/// Whether the threads of a warp can add up among themselves, which Kokkos offers only with a mask
/// that two divisions per call find: 150 instructions where 5 do.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template <class ExecSpace>
inline constexpr bool has_shuffles = !is_host<ExecSpace>;
#else
template <class ExecSpace>
inline constexpr bool has_shuffles = false;
#endif

/// value + that of the thread whose rank differs in bit `offset`. Every thread of the warp must
/// call it.
template <class T>
FATVEC_FORCEINLINE_FUNCTION T plus_neighbour(const T& value, [[maybe_unused]] int offset) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_arithmetic_v<T>) {
    return value + __shfl_xor_sync(~0U, value, offset);
  } else {
    return value + T(__shfl_xor_sync(~0U, value.real(), offset),
                     __shfl_xor_sync(~0U, value.imag(), offset));
  }
#elif defined(__HIP_DEVICE_COMPILE__)
  if constexpr (std::is_arithmetic_v<T>) {
    return value + __shfl_xor(value, offset);
  } else {
    return value + T(__shfl_xor(value.real(), offset), __shfl_xor(value.imag(), offset));
  }
#else
  return value;
#endif
}

}  // namespace fatvec::detail
