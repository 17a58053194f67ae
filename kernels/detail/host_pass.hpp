// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Defined where code is compiled for the CPU by GCC or Clang, whose vector types and builtins may then be used; not in the
/// passes that compile the same functions for a device.
#if defined(__GNUC__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__) && !defined(__SYCL_DEVICE_ONLY__)
#define FATVEC_GNU_HOST_PASS
#endif

/// After a lambda's parameters. GCC else calls some that `each` unrolls, and what they refer to lives in memory.
#if defined(__GNUC__)
#define FATVEC_INLINE_LAMBDA __attribute__((always_inline))
#else
#define FATVEC_INLINE_LAMBDA
#endif
