// SPDX-License-Identifier: Apache-2.0
// Compiled where CMake finds CUDA and NCCL.
#include <fatvec/distributed/nccl_exchange.hpp>

#include <array>

#include <fatvec/distributed/make_exchange.hpp>

#if FATVEC_NCCL_HAS_PUTS
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <nccl_device.h>  // ncclCommQueryProperties
#pragma GCC diagnostic pop
#endif

namespace fatvec::distributed {

using fatvec::detail::concat;

void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw Error(concat(call, ": ", cudaGetErrorString(status), "."));
}

void check(ncclResult_t status, const char* call) {
  if (status != ncclSuccess)
    throw Error(concat(call, ": ", ncclGetErrorString(status), " (", ncclGetLastError(nullptr),
                       "); NCCL_DEBUG=WARN says more."));
}

namespace {

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

/// Whether the library and the driver have puts, and the GPUs are joined so that copy engines carry
/// them: within one host. Other ways for puts, over a network, have not been measured.
bool take_puts([[maybe_unused]] ncclComm_t comm) {
#if FATVEC_NCCL_HAS_PUTS
  int library = 0;
  int driver = 0;
  if (ncclGetVersion(&library) != ncclSuccess || library < FATVEC_NCCL_PUTS) return false;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver < 12050) return false;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
  ncclCommProperties_t properties = NCCL_COMM_PROPERTIES_INITIALIZER;
#pragma GCC diagnostic pop
  return ncclCommQueryProperties(comm, &properties) == ncclSuccess && properties.hostRmaSupport &&
         properties.nLsaTeams == 1;
#else
  return false;
#endif
}

/// Called by MPI_Comm_free: what NCCL has goes with MPI's communicator.
int destroy(MPI_Comm, int, void* made, void*) {
  const auto* const ranks = static_cast<NcclRanks*>(made);
  cudaStreamDestroy(ranks->stream);
  ncclCommDestroy(ranks->comm);
  delete ranks;
  return MPI_SUCCESS;
}

const NcclRanks& nccl_of(const Communicator& communicator) {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, destroy, &made, nullptr);
    return made;
  }();
  void* there = nullptr;
  int found = 0;
  MPI_Comm_get_attr(communicator.get(), key, &there, &found);
  if (found != 0) return *static_cast<NcclRanks*>(there);

  require_gpus_of_their_own(communicator);
  ncclUniqueId id{};
  auto made = std::make_unique<NcclRanks>();
  communicator.agree([&] {
    int least = 0;
    int greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    check(cudaStreamCreateWithPriority(&made->stream, cudaStreamNonBlocking, greatest),
          "cudaStreamCreateWithPriority");
    if (communicator.rank() == 0) check(ncclGetUniqueId(&id), "ncclGetUniqueId");
  });
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, communicator.get());
  communicator.or_abort(
      [&] {  // blocks until all have joined: what fails on one cannot be agreed on
        check(ncclCommInitRank(&made->comm, communicator.size(), id, communicator.rank()),
              "ncclCommInitRank");
      });
  int all = take_puts(made->comm) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, communicator.get());
  made->take_puts = all == 1;
  MPI_Comm_set_attr(communicator.get(), key, made.get());
  return *made.release();
}

/// Grouped sends and receives.
class NcclMessages final : public NcclExchange {
 public:
  NcclMessages(const Communicator& communicator, const NcclRanks& ranks, const HaloPlan& plan)
      : NcclExchange(communicator, ranks, plan), buffers_(plan) {}

  [[nodiscard]] std::string_view name() const override { return "nccl"; }
  void allocate(std::size_t row_bytes) override { buffers_.allocate(row_bytes); }
  [[nodiscard]] std::size_t bytes() const override { return buffers_.bytes(); }
  [[nodiscard]] std::byte* packed() const override { return buffers_.packed(); }
  [[nodiscard]] const std::byte* received() const override { return buffers_.received(); }

 private:
  void send_and_receive(std::size_t row_bytes) override {
    check(ncclGroupStart(), "ncclGroupStart");
    for (const Neighbour& from : receives())
      check(ncclRecv(buffers_.received() + static_cast<std::size_t>(from.first) * row_bytes,
                     static_cast<std::size_t>(from.rows) * row_bytes, ncclInt8, from.rank,
                     ranks().comm, ranks().stream),
            "ncclRecv");
    for (const Neighbour& to : sends())
      check(ncclSend(buffers_.packed() + static_cast<std::size_t>(to.first) * row_bytes,
                     static_cast<std::size_t>(to.rows) * row_bytes, ncclInt8, to.rank, ranks().comm,
                     ranks().stream),
            "ncclSend");
    check(ncclGroupEnd(), "ncclGroupEnd");
  }

  RowBuffers<Kokkos::Cuda> buffers_;
};

}  // namespace

NcclExchange::NcclExchange(Communicator communicator, const NcclRanks& ranks, const HaloPlan& plan)
    : communicator_(std::move(communicator)),
      ranks_(ranks),
      receives_(plan.receives),
      sends_(plan.sends) {
  communicator_.agree([&] {
    packing_ = Kokkos::Cuda(ranks_.stream);
    check(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming), "cudaEventCreate");
    check(cudaEventCreateWithFlags(&received_, cudaEventDisableTiming), "cudaEventCreate");
  });
}

NcclExchange::~NcclExchange() {
  cudaStreamSynchronize(ranks_.stream);
  packing_ = Kokkos::Cuda();  // the last copy of the instance goes before its stream
  cudaEventDestroy(ready_);
  cudaEventDestroy(received_);
}

/// X may still be in the making, and the last halo part may read what was received.
const Kokkos::Cuda* NcclExchange::packing_instance(const Kokkos::Cuda& exec) {
  check(cudaEventRecord(ready_, exec.cuda_stream()), "cudaEventRecord");
  check(cudaStreamWaitEvent(ranks_.stream, ready_), "cudaStreamWaitEvent");
  return &packing_;
}

void NcclExchange::start(const Kokkos::Cuda&, std::size_t row_bytes) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(ranks_.stream, &status), "cudaStreamIsCapturing");
  captured_ = captured_ || status != cudaStreamCaptureStatusNone;
  send_and_receive(row_bytes);
  check(cudaEventRecord(received_, ranks_.stream), "cudaEventRecord");
}

void NcclExchange::finish(const Kokkos::Cuda& exec) {
  check(cudaStreamWaitEvent(exec.cuda_stream(), received_), "cudaStreamWaitEvent");
}

std::unique_ptr<Exchange<Kokkos::Cuda>> make_nccl_exchange(const Communicator& communicator,
                                                           const HaloPlan& plan) {
  const NcclRanks& ranks = nccl_of(communicator);
#if FATVEC_NCCL_HAS_PUTS
  if (ranks.take_puts) return make_nccl_puts(communicator, ranks, plan);
#endif
  return std::make_unique<NcclMessages>(communicator, ranks, plan);
}

}  // namespace fatvec::distributed
