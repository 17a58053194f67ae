// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <type_traits>

#include <fatvec/distributed/exchange.hpp>

namespace fatvec::distributed {

#if defined(FATVEC_HAVE_NCCL) && defined(KOKKOS_ENABLE_CUDA)
/// Between the ranks' GPUs, on a stream beside exec's: the host waits for nothing. Collective;
/// throws UsageError on all ranks where two of them have the same GPU.
std::unique_ptr<Exchange<Kokkos::Cuda>> make_nccl_exchange(const Communicator& communicator,
                                                           const HaloPlan& plan);
#endif

/// The exchange for buffers in memory of ExecSpace: NCCL between GPUs, where fatvec::mpi was built
/// with it and use_nccl is true, else MPI. Collective.
template <class ExecSpace>
std::unique_ptr<Exchange<ExecSpace>> make_exchange(const Communicator& communicator,
                                                   const HaloPlan& plan,
                                                   [[maybe_unused]] bool use_nccl) {
#if defined(FATVEC_HAVE_NCCL) && defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<ExecSpace, Kokkos::Cuda>)
    if (use_nccl) return make_nccl_exchange(communicator, plan);
#endif
  return communicator.agree([&]() -> std::unique_ptr<Exchange<ExecSpace>> {
    return std::make_unique<MpiExchange<ExecSpace>>(communicator, plan);
  });
}

}  // namespace fatvec::distributed
