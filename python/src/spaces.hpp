// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

/// What the module is compiled for: DO(scalar, execution space, name of the scalar, of the device)
/// for each.
#if defined(FATVEC_PYTHON_DOUBLE)
#define FATVEC_PYTHON_DOUBLE_ON(DO, Space, device) DO(double, Space, "float64", device)
#else
#define FATVEC_PYTHON_DOUBLE_ON(DO, Space, device)
#endif
#if defined(FATVEC_PYTHON_FLOAT)
#define FATVEC_PYTHON_FLOAT_ON(DO, Space, device) DO(float, Space, "float32", device)
#else
#define FATVEC_PYTHON_FLOAT_ON(DO, Space, device)
#endif
#define FATVEC_PYTHON_SCALARS_ON(DO, Space, device) \
  FATVEC_PYTHON_DOUBLE_ON(DO, Space, device)        \
  FATVEC_PYTHON_FLOAT_ON(DO, Space, device)

#if defined(KOKKOS_ENABLE_CUDA)
#define FATVEC_PYTHON_TYPES(DO)                                          \
  FATVEC_PYTHON_SCALARS_ON(DO, Kokkos::DefaultHostExecutionSpace, "cpu") \
  FATVEC_PYTHON_SCALARS_ON(DO, Kokkos::Cuda, "cuda")
#else
#define FATVEC_PYTHON_TYPES(DO) \
  FATVEC_PYTHON_SCALARS_ON(DO, Kokkos::DefaultHostExecutionSpace, "cpu")
#endif
