// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

namespace fatvec::bench::raw {

#if defined(KOKKOS_ENABLE_SERIAL)
using SerialSpace = Kokkos::Serial;
#else
using SerialSpace = Kokkos::DefaultHostExecutionSpace;  // holds and converts the matrix; the
                                                        // product is one thread's anyway
#endif

}  // namespace fatvec::bench::raw
