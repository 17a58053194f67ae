// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <string_view>

/// Private to the products and the benchmark: the backends of this build.
namespace fatvec::product {

template <class ExecSpace>
struct Backend {
  using Space = ExecSpace;
  std::string_view name;
};

/// visit(Backend<Space>) for every backend of this build, the preferred one first.
template <class Visit>
void for_each_backend(const Visit& visit) {
#if defined(KOKKOS_ENABLE_CUDA)
  visit(Backend<Kokkos::Cuda>{"cuda"});
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  visit(Backend<Kokkos::OpenMP>{"openmp"});
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
  visit(Backend<Kokkos::Serial>{"serial"});
#endif
}

}  // namespace fatvec::product
