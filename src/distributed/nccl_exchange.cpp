// SPDX-License-Identifier: Apache-2.0
// Compiled where CMake finds CUDA and NCCL.
#include <nccl.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <fatvec/distributed/make_exchange.hpp>

namespace fatvec::distributed {
namespace {

using fatvec::detail::concat;

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw Error(concat(call, ": ", cudaGetErrorString(status), "."));
}

void check(ncclResult_t status, const char* call) {
  if (status != ncclSuccess)
    throw Error(concat(call, ": ", ncclGetErrorString(status), " (", ncclGetLastError(nullptr),
                       "); NCCL_DEBUG=WARN says more."));
}

/// Host and GPU of a rank, as text.
using Place = std::array<char, MPI_MAX_PROCESSOR_NAME + 64>;

/// NCCL wants a GPU for each rank, and says so in a way that few understand.
void require_gpus_of_their_own(const Communicator& communicator) {
  Place mine{};
  int length = 0;
  MPI_Get_processor_name(mine.data(), &length);
  communicator.agree([&] {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    mine[static_cast<std::size_t>(length)] = ' ';
    check(cudaDeviceGetPCIBusId(mine.data() + length + 1, 32, device), "cudaDeviceGetPCIBusId");
  });
  std::vector<Place> all(static_cast<std::size_t>(communicator.size()));
  MPI_Allgather(mine.data(), sizeof(Place), MPI_BYTE, all.data(), sizeof(Place), MPI_BYTE,
                communicator.get());
  communicator.agree([&] {
    for (int other = 0; other < communicator.rank(); ++other)
      if (all[static_cast<std::size_t>(other)] == mine)
        throw UsageError(concat("ranks ", other, " and ", communicator.rank(),
                                " have the same GPU, ", mine.data(),
                                "; start one rank a GPU, and let Kokkos take the one "
                                "of the local rank, or set Options::use_nccl to false."));
  });
}

/// Called by MPI_Comm_free: NCCL's communicator goes with MPI's.
int destroy(MPI_Comm, int, void* nccl, void*) {
  ncclCommDestroy(static_cast<ncclComm_t>(nccl));
  return MPI_SUCCESS;
}

/// NCCL's communicator of the same ranks, made once for each of MPI's.
ncclComm_t nccl_of(const Communicator& communicator) {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, destroy, &made, nullptr);
    return made;
  }();
  void* there = nullptr;
  int found = 0;
  MPI_Comm_get_attr(communicator.get(), key, &there, &found);
  if (found != 0) return static_cast<ncclComm_t>(there);

  require_gpus_of_their_own(communicator);
  ncclUniqueId id{};
  communicator.agree([&] {
    if (communicator.rank() == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  });
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, communicator.get());
  ncclComm_t made = nullptr;
  communicator.or_abort(
      [&] {  // blocks until all have joined: what fails on one cannot be agreed on
        check(ncclCommInitRank(&made, communicator.size(), id, communicator.rank()),
              "ncclCommInitRank");
      });
  MPI_Comm_set_attr(communicator.get(), key, made);
  return made;
}

/// Packing, and grouped sends and receives, on a stream of their own between events of the kernels'
/// stream, which has the local part and the halo part alone.
class NcclExchange final : public Exchange<Kokkos::Cuda> {
 public:
  NcclExchange(Communicator communicator, const HaloPlan& plan)
      : communicator_(std::move(communicator)),
        nccl_(nccl_of(communicator_)),
        receives_(plan.receives),
        sends_(plan.sends) {
    communicator_.agree([&] {
      int least = 0;
      int greatest = 0;
      check(cudaDeviceGetStreamPriorityRange(&least, &greatest),
            "cudaDeviceGetStreamPriorityRange");
      check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest),
            "cudaStreamCreateWithPriority");
      beside_ = Kokkos::Cuda(stream_);
      check(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming), "cudaEventCreate");
      check(cudaEventCreateWithFlags(&received_, cudaEventDisableTiming), "cudaEventCreate");
    });
  }
  ~NcclExchange() override {
    cudaStreamSynchronize(stream_);
    beside_ = Kokkos::Cuda();  // the last copy of the instance goes before its stream
    cudaEventDestroy(ready_);
    cudaEventDestroy(received_);
    cudaStreamDestroy(stream_);
  }

  [[nodiscard]] std::string_view name() const override { return "nccl"; }
  void reserve(std::size_t) override {}

  /// X may still be in the making, and the last halo part may read what was received.
  const Kokkos::Cuda& packing(const Kokkos::Cuda& exec) override {
    check(cudaEventRecord(ready_, exec.cuda_stream()), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream_, ready_), "cudaStreamWaitEvent");
    return beside_;
  }

  void start(const Kokkos::Cuda&, const std::byte* packed, std::byte* received,
             std::size_t row_bytes) override {
    check(ncclGroupStart(), "ncclGroupStart");
    for (const Neighbour& from : receives_)
      check(ncclRecv(received + static_cast<std::size_t>(from.first) * row_bytes,
                     static_cast<std::size_t>(from.rows) * row_bytes, ncclInt8, from.rank, nccl_,
                     stream_),
            "ncclRecv");
    for (const Neighbour& to : sends_)
      check(ncclSend(packed + static_cast<std::size_t>(to.first) * row_bytes,
                     static_cast<std::size_t>(to.rows) * row_bytes, ncclInt8, to.rank, nccl_,
                     stream_),
            "ncclSend");
    check(ncclGroupEnd(), "ncclGroupEnd");
    check(cudaEventRecord(received_, stream_), "cudaEventRecord");
  }

  void finish(const Kokkos::Cuda& exec) override {
    check(cudaStreamWaitEvent(exec.cuda_stream(), received_), "cudaStreamWaitEvent");
  }

 private:
  Communicator communicator_;  // outlives NCCL's
  ncclComm_t nccl_;
  std::vector<Neighbour> receives_;
  std::vector<Neighbour> sends_;
  cudaStream_t stream_ = nullptr;
  Kokkos::Cuda beside_;  ///< of stream_
  cudaEvent_t ready_ = nullptr;
  cudaEvent_t received_ = nullptr;
};

}  // namespace

std::unique_ptr<Exchange<Kokkos::Cuda>> make_nccl_exchange(const Communicator& communicator,
                                                           const HaloPlan& plan) {
  return std::make_unique<NcclExchange>(communicator, plan);
}

}  // namespace fatvec::distributed
