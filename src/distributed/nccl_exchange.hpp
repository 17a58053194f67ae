// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

// For the files that CMake compiles where it finds CUDA and NCCL.
#if defined(FATVEC_HAVE_NCCL) && defined(KOKKOS_ENABLE_CUDA)
#include <nccl.h>

#include <memory>
#include <vector>

#include <fatvec/distributed/exchange.hpp>

/// The first NCCL whose one-sided messages have been tried here. Those of 2.29 cannot be captured
/// into CUDA graphs.
#define FATVEC_NCCL_PUTS NCCL_VERSION(2, 30, 7)
#define FATVEC_NCCL_HAS_PUTS (NCCL_VERSION_CODE >= FATVEC_NCCL_PUTS)

namespace fatvec::distributed {

/// Throw Error for all but success.
void check(cudaError_t status, const char* call);
void check(ncclResult_t status, const char* call);

/// What NCCL has for the ranks of one of MPI's communicators: made once for each of these, freed
/// with it.
struct NcclRanks {
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;  ///< of all messages: they go in the order of the calls
  bool take_puts = false;         ///< whether any rank can write into the memory of any other
};

/// Packing and messages on a stream of their own between events of the kernels' stream, which has
/// the local part and the halo part alone.
class NcclExchange : public Exchange<Kokkos::Cuda> {
 public:
  NcclExchange(Communicator communicator, const NcclRanks& ranks, const HaloPlan& plan);
  ~NcclExchange() override;

  [[nodiscard]] bool was_captured() const final { return captured_; }
  const Kokkos::Cuda* packing_instance(const Kokkos::Cuda& exec) final;
  void start(const Kokkos::Cuda& exec, std::size_t row_bytes) final;
  void finish(const Kokkos::Cuda& exec) final;

 protected:
  /// Enqueues all messages of a product on ranks().stream.
  virtual void send_and_receive(std::size_t row_bytes) = 0;

  [[nodiscard]] const Communicator& communicator() const { return communicator_; }
  [[nodiscard]] const NcclRanks& ranks() const { return ranks_; }
  [[nodiscard]] const std::vector<Neighbour>& receives() const { return receives_; }
  [[nodiscard]] const std::vector<Neighbour>& sends() const { return sends_; }

 private:
  Communicator communicator_;  // outlives what ranks_ names
  NcclRanks ranks_;
  std::vector<Neighbour> receives_;
  std::vector<Neighbour> sends_;
  Kokkos::Cuda packing_;  ///< of ranks_.stream
  cudaEvent_t ready_ = nullptr;
  cudaEvent_t received_ = nullptr;
  bool captured_ = false;  ///< once a product was
};

#if FATVEC_NCCL_HAS_PUTS
/// Rows are written into the memory of the ranks that want them, by the GPUs' copy engines where
/// these reach it: the multiprocessors stay with the local part. Collective.
std::unique_ptr<Exchange<Kokkos::Cuda>> make_nccl_puts(const Communicator& communicator,
                                                       const NcclRanks& ranks,
                                                       const HaloPlan& plan);
#endif

}  // namespace fatvec::distributed
#endif
