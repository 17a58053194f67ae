// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <fatvec/kernels/bsr.hpp>
#include <fatvec/kernels/hll.hpp>

/// Device kernels that this program's conformance tests, where it has them, compile for a host
/// space, in double: other files need not.
#define FATVEC_DEVICE_LAUNCH(how, Kernel)                                                     \
  how template void fatvec::detail::launch<fatvec::Kernel>(                                   \
      const Kokkos::DefaultHostExecutionSpace&, const fatvec::Kernel::DevicePolicy&,          \
      const fatvec::detail::SlotsOf<fatvec::Kernel::Matrix<                                   \
          double, std::int32_t, Kokkos::DefaultHostExecutionSpace, std::int32_t>>&,           \
      const fatvec::detail::Operand<const double>&, const fatvec::detail::ScaledSum<double>&, \
      std::int64_t);
#if defined(FATVEC_DEVICE_INSTANCES)
FATVEC_DEVICE_LAUNCH(extern, BsrRow)
FATVEC_DEVICE_LAUNCH(extern, HllRow)
#endif
