// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/core/memory.hpp>
#include <fatvec/distributed/communicator.hpp>
#include <fatvec/distributed/halo_plan.hpp>

namespace fatvec::distributed {

/// Moves rows of X between ranks while the local part of a product runs. The buffers are the
/// exchange's, in memory of ExecSpace and the plan's order, row_bytes a row. One exchange at a
/// time: the caller packs, on packing_instance() where there is one, then start() and finish().
template <class ExecSpace>
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Makes buffers for rows of up to that size in place of those that are there, which nothing may
  /// use any more. Throws CapacityError.
  virtual void allocate(std::size_t row_bytes) = 0;
  /// After allocate() on all ranks. Collective.
  virtual void connect() {}
  /// Throws ShapeError unless all neighbours call it now with the same size, where their messages
  /// go through MPI: one that has begun a product, with rows of another size, would keep this rank
  /// waiting in what is collective. That neighbour throws, too, in its finish().
  virtual void compare(std::size_t /*row_bytes*/) {}
  /// Whether a CUDA graph may name the buffers, which then must stay.
  [[nodiscard]] virtual bool was_captured() const { return false; }
  /// Of the buffers, in memory of ExecSpace.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  [[nodiscard]] virtual std::byte* packed() const = 0;
  [[nodiscard]] virtual const std::byte* received() const = 0;  ///< after finish()

  /// An instance on which to pack while exec multiplies. It waits for the work that exec has now.
  /// nullptr: pack on exec; start() then waits for all of exec's work.
  virtual const ExecSpace* packing_instance(const ExecSpace&) { return nullptr; }
  /// Sends the packed rows once they are written, and begins to receive.
  virtual void start(const ExecSpace& exec, std::size_t row_bytes) = 0;
  /// Work that exec gets after this call sees the received rows and may change X.
  virtual void finish(const ExecSpace& exec) = 0;
};

/// The packed and the received rows of an exchange whose ranks do not see each other's memory.
template <class ExecSpace>
class RowBuffers {
 public:
  explicit RowBuffers(const HaloPlan& plan)
      : sent_rows_(static_cast<std::size_t>(plan.sent_rows())),
        received_rows_(static_cast<std::size_t>(plan.received_rows())) {}

  void allocate(std::size_t row_bytes) {
    grow(packed_, sent_rows_ * row_bytes, "fatvec::halo::packed");
    grow(received_, received_rows_ * row_bytes, "fatvec::halo::received");
  }
  [[nodiscard]] std::size_t bytes() const { return packed_.size() + received_.size(); }
  [[nodiscard]] std::byte* packed() const { return packed_.data(); }
  [[nodiscard]] std::byte* received() const { return received_.data(); }

 private:
  using Bytes = Kokkos::View<std::byte*, typename ExecSpace::memory_space>;
  static void grow(Bytes& bytes, std::size_t size, const std::string& label) {
    bytes = Bytes();  // first the old one goes
    bytes = fatvec::detail::allocated(
        [&] { return Bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), size); });
  }

  std::size_t sent_rows_;
  std::size_t received_rows_;
  Bytes packed_;
  Bytes received_;
};

/// Messages from and to memory that MPI can read, one round at a time.
class Messages {
 public:
  Messages(Communicator communicator, const HaloPlan& plan);
  ~Messages();
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;

  /// Posts all receives, then all sends; a message is counted in rows. Waits for nothing.
  void start(const std::byte* packed, std::byte* received, std::size_t row_bytes);
  /// Waits until all have come, and both buffers are free. Throws ShapeError where a rank sent rows
  /// of another size.
  void wait();
  /// Exchange::compare().
  void compare(std::size_t row_bytes);

 private:
  void set_row(std::size_t row_bytes);
  /// Waits for a round; throws ShapeError where not count(receive) elements came.
  template <class Count>
  void complete(MPI_Datatype type, const Count& count, std::size_t row_bytes);

  Communicator communicator_;
  std::vector<Neighbour> receives_;
  std::vector<Neighbour> sends_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;  ///< of the requests: first what was received
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
        buffers_(plan),
        sent_rows_(static_cast<std::size_t>(plan.sent_rows())),
        received_rows_(static_cast<std::size_t>(plan.received_rows())),
        direct_(on_host || mpi_reads_gpus(ExecSpace::name())) {}

  [[nodiscard]] std::string_view name() const override {
    return on_host ? "mpi" : direct_ ? "mpi from GPU memory" : "mpi through pinned host memory";
  }

  void allocate(std::size_t row_bytes) override {
    buffers_.allocate(row_bytes);
    if (direct_) return;
    fatvec::detail::allocated([&] {
      Kokkos::realloc(Kokkos::WithoutInitializing, sent_, sent_rows_ * row_bytes);
      Kokkos::realloc(Kokkos::WithoutInitializing, arrived_, received_rows_ * row_bytes);
    });
  }
  void compare(std::size_t row_bytes) override { messages_.compare(row_bytes); }
  [[nodiscard]] std::size_t bytes() const override { return buffers_.bytes(); }
  [[nodiscard]] std::byte* packed() const override { return buffers_.packed(); }
  [[nodiscard]] const std::byte* received() const override { return buffers_.received(); }

  void start(const ExecSpace& exec, std::size_t row_bytes) override {
    if (!direct_) {
      bytes_ = received_rows_ * row_bytes;
      Kokkos::deep_copy(exec, HostBytes(sent_.data(), sent_rows_ * row_bytes),
                        Bytes<const std::byte>(packed(), sent_rows_ * row_bytes));
    }
    exec.fence("fatvec::distributed::packed");  // what reads the last rows has ended, too
    messages_.start(direct_ ? packed() : sent_.data(),
                    direct_ ? buffers_.received() : arrived_.data(), row_bytes);
  }

  void finish(const ExecSpace& exec) override {
    messages_.wait();
    if (!direct_)
      Kokkos::deep_copy(exec, Bytes<std::byte>(buffers_.received(), bytes_),
                        HostBytes(arrived_.data(), bytes_));
  }

 private:
  // Host memory, too, where ExecSpace runs on the host; then it is never allocated.
  using Pinned = Kokkos::SharedHostPinnedSpace;
  using HostBytes = Kokkos::View<std::byte*, Pinned, Kokkos::MemoryUnmanaged>;
  template <class Byte>
  using Bytes = Kokkos::View<Byte*, typename ExecSpace::memory_space, Kokkos::MemoryUnmanaged>;

  Messages messages_;
  RowBuffers<ExecSpace> buffers_;
  std::size_t sent_rows_;
  std::size_t received_rows_;
  bool direct_;
  Kokkos::View<std::byte*, Pinned> sent_;
  Kokkos::View<std::byte*, Pinned> arrived_;
  std::size_t bytes_ = 0;  ///< of arrived_, in this product
};

}  // namespace fatvec::distributed
