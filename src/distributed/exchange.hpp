// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fatvec/core/memory.hpp>
#include <fatvec/distributed/communicator.hpp>
#include <fatvec/distributed/halo_plan.hpp>

namespace fatvec::distributed {

/// Moves packed rows of X between ranks while the local part of a product runs. Buffers belong to
/// the caller and lie in memory of ExecSpace, in the plan's order, row_bytes a row. One exchange at
/// a time: packing(), the caller's launch that packs, start() and finish().
template <class ExecSpace>
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Allocates what start() needs for rows of up to that size.
  virtual void reserve(std::size_t row_bytes) = 0;
  /// The instance that is to pack, once what exec was given so far has ended: exec itself, or one
  /// beside it, so that exec need not wait for packing.
  virtual const ExecSpace& packing(const ExecSpace& exec) { return exec; }
  /// Sends the packed rows once that instance has written them, and begins to receive.
  virtual void start(const ExecSpace& exec, const std::byte* packed, std::byte* received,
                     std::size_t row_bytes) = 0;
  /// What exec is given from now on finds the received rows, and may change X.
  virtual void finish(const ExecSpace& exec) = 0;
};

/// One round of messages from and to memory that MPI can read.
class Messages {
 public:
  Messages(Communicator communicator, const HaloPlan& plan);
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// Posts all receives, then all sends; a message is counted in rows. Waits for nothing.
  void start(const std::byte* packed, std::byte* received, std::size_t row_bytes);
  /// Waits until all have come, and both buffers are free.
  void wait();

 private:
  void set_row(std::size_t row_bytes);

  Communicator communicator_;
  std::vector<Neighbour> receives_;
  std::vector<Neighbour> sends_;
  std::vector<MPI_Request> requests_;
  MPI_Datatype row_ = MPI_DATATYPE_NULL;
  std::size_t row_bytes_ = 0;
};

/// Whether the MPI that runs takes pointers to memory of GPUs (GPU-aware MPI). The environment
/// variable FATVEC_GPU_AWARE_MPI (1 or 0) decides; without it, what Open MPI and MPICH say of CUDA.
/// space: name of the Kokkos execution space. Throws UsageError for another value.
bool mpi_reads_gpus(std::string_view space);

/// Through MPI: straight from the buffers where these are in host memory, or in a GPU's that MPI
/// reads, else by way of pinned host memory. The host waits for packing, and in finish() for the
/// messages.
template <class ExecSpace>
class MpiExchange final : public Exchange<ExecSpace> {
  static constexpr bool on_host =
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ExecSpace::memory_space>::accessible;

 public:
  MpiExchange(Communicator communicator, const HaloPlan& plan)
      : messages_(std::move(communicator), plan),
        sent_rows_(static_cast<std::size_t>(plan.sent_rows())),
        received_rows_(static_cast<std::size_t>(plan.received_rows())),
        direct_(on_host || mpi_reads_gpus(ExecSpace::name())) {}

  [[nodiscard]] std::string_view name() const override {
    return on_host ? "mpi" : direct_ ? "mpi from GPU memory" : "mpi through pinned host memory";
  }

  void reserve(std::size_t row_bytes) override {
    if (direct_) return;
    fatvec::detail::allocated([&] {
      Kokkos::realloc(Kokkos::WithoutInitializing, sent_, sent_rows_ * row_bytes);
      Kokkos::realloc(Kokkos::WithoutInitializing, received_, received_rows_ * row_bytes);
    });
  }

  void start(const ExecSpace& exec, const std::byte* packed, std::byte* received,
             std::size_t row_bytes) override {
    if (!direct_) {
      to_ = received;
      bytes_ = received_rows_ * row_bytes;
      Kokkos::deep_copy(exec, HostBytes(sent_.data(), sent_rows_ * row_bytes),
                        Bytes<const std::byte>(packed, sent_rows_ * row_bytes));
    }
    exec.fence("fatvec::distributed::packed");  // what reads the last rows has ended, too
    messages_.start(direct_ ? packed : sent_.data(), direct_ ? received : received_.data(),
                    row_bytes);
  }

  void finish(const ExecSpace& exec) override {
    messages_.wait();
    if (!direct_)
      Kokkos::deep_copy(exec, Bytes<std::byte>(to_, bytes_), HostBytes(received_.data(), bytes_));
  }

 private:
  // Host memory, too, where ExecSpace runs on the host; then it is never allocated.
  using Pinned = Kokkos::SharedHostPinnedSpace;
  using HostBytes = Kokkos::View<std::byte*, Pinned, Kokkos::MemoryUnmanaged>;
  template <class Byte>
  using Bytes = Kokkos::View<Byte*, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;

  Messages messages_;
  std::size_t sent_rows_;
  std::size_t received_rows_;
  bool direct_;
  Kokkos::View<std::byte*, Pinned> sent_;
  Kokkos::View<std::byte*, Pinned> received_;
  std::byte* to_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace fatvec::distributed
