// SPDX-License-Identifier: Apache-2.0
// Compiled where CMake finds CUDA and NCCL.
#include <fatvec/distributed/nccl_exchange.hpp>

#if FATVEC_NCCL_HAS_PUTS
#include <Kokkos_Core.hpp>
#include <array>

namespace fatvec::distributed {
namespace {

using fatvec::detail::concat;

/// Each rank has memory that others write to: two inboxes for rows of X, behind the packed rows
/// that it sends. The inboxes lie at the same places on all ranks, so that each knows where to
/// write.
///
/// Product t takes inbox t mod 2. Before a rank puts rows of product t, it has waited for the
/// signals of product t - 1 of all its partners, which send them once their product t - 2 has
/// ended: they no longer read the inbox that is written to. Partners that get no rows get the
/// signal alone.
class NcclPuts final : public NcclExchange {
 public:
  NcclPuts(const Communicator& communicator, const NcclRanks& ranks, const HaloPlan& plan)
      : NcclExchange(communicator, ranks, plan),
        most_rows_{plan.sent_rows(), plan.received_rows()} {
    const auto count = static_cast<std::size_t>(communicator.size());
    std::vector<Neighbour> to;
    // Where rows of rank r begin in this rank's inbox, and this rank's in that of rank r.
    std::vector<std::int64_t> first_of;
    std::vector<std::int64_t> first_at;
    communicator.agree([&] {
      to.resize(count);
      first_of.assign(count, -1);
      first_at.resize(count);
    });
    for (const Neighbour& rows : plan.sends) to[static_cast<std::size_t>(rows.rank)] = rows;
    for (const Neighbour& from : plan.receives)
      first_of[static_cast<std::size_t>(from.rank)] = from.first;
    MPI_Alltoall(first_of.data(), 1, MPI_INT64_T, first_at.data(), 1, MPI_INT64_T,
                 communicator.get());
    MPI_Allreduce(MPI_IN_PLACE, most_rows_.data(), 2, MPI_INT64_T, MPI_MAX, communicator.get());
    communicator.agree([&] {
      signals_ = std::make_unique<ncclWaitSignalDesc_t[]>(count);
      for (std::size_t r = 0; r < count; ++r) {
        if (to[r].rows == 0 && first_of[r] < 0) continue;
        const int rank = static_cast<int>(r);
        signals_[partners_.size()] = one_signal_of(rank);
        partners_.push_back({rank, to[r], first_at[r]});
      }
    });
  }
  ~NcclPuts() override { release(); }

  [[nodiscard]] std::string_view name() const override { return "nccl puts"; }

  void allocate(std::size_t row_bytes) override {
    release();
    packed_bytes_ = rounded_up(static_cast<std::size_t>(most_rows_[0]) * row_bytes);
    inbox_bytes_ = rounded_up(static_cast<std::size_t>(most_rows_[1]) * row_bytes);
    if (bytes() == 0) return;
    void* memory = nullptr;
    if (const ncclResult_t status = ncclMemAlloc(&memory, bytes()); status != ncclSuccess)
      throw CapacityError(concat(
          "ncclMemAlloc: ", ncclGetErrorString(status), " (", ncclGetLastError(nullptr),
          "): ", bytes(),
          " bytes of GPU memory are wanted for rows of X that travel, as many as on the rank that "
          "sends or receives most; multiply fewer columns at a time, or set Options::use_nccl to "
          "false."));
    memory_ = static_cast<std::byte*>(memory);
    Kokkos::Tools::allocateData(space(), label, memory_, bytes());
  }

  void connect() override {
    if (bytes() == 0) return;
    check(ncclCommWindowRegister(ranks().comm, memory_, bytes(), &window_, NCCL_WIN_COLL_SYMMETRIC),
          "ncclCommWindowRegister");
    // NCCL makes ready for signals in the first one, which is collective: all ranks have one now,
    // also those without partners.
    ncclWaitSignalDesc_t own = one_signal_of(communicator().rank());
    signal(own.peer);
    check(ncclWaitSignal(1, &own, ranks().comm, ranks().stream), "ncclWaitSignal");
    check(cudaStreamSynchronize(ranks().stream), "cudaStreamSynchronize");
  }

  [[nodiscard]] std::size_t bytes() const override { return packed_bytes_ + 2 * inbox_bytes_; }
  [[nodiscard]] std::byte* packed() const override { return memory_; }
  [[nodiscard]] const std::byte* received() const override { return memory_ + inbox(); }

 private:
  /// A rank that this one sends to, receives from, or both.
  struct Partner {
    int rank;
    Neighbour rows;      ///< to send; maybe none
    std::int64_t first;  ///< row of the partner's inbox where they go
  };
  static constexpr const char* label = "fatvec::halo::rows";

  static ncclWaitSignalDesc_t one_signal_of(int rank) {
    ncclWaitSignalDesc_t signal{};
    signal.opCnt = 1;
    signal.peer = rank;
    return signal;
  }
  static std::size_t rounded_up(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  static Kokkos::Tools::SpaceHandle space() {
    return Kokkos::Tools::make_space_handle(Kokkos::CudaSpace::name());
  }
  [[nodiscard]] std::size_t inbox() const { return packed_bytes_ + (second_ ? inbox_bytes_ : 0); }

  void release() {
    if (memory_ == nullptr) return;
    cudaDeviceSynchronize();  // what has come may still be multiplied
    ncclCommWindowDeregister(ranks().comm, window_);
    Kokkos::Tools::deallocateData(space(), label, memory_, bytes());
    ncclMemFree(memory_);
    window_ = nullptr;
    memory_ = nullptr;
  }

  void send_and_receive(std::size_t row_bytes) override {
    second_ = !second_;
    // A captured product runs again and again with the same inbox: its partners say when it is
    // free.
    if (was_captured()) {
      for_partners([&](const Partner& partner) { signal(partner.rank); });
      wait();
    }
    for_partners([&](const Partner& partner) {
      if (partner.rows.rows == 0) return signal(partner.rank);
      check(ncclPutSignal(memory_ + static_cast<std::size_t>(partner.rows.first) * row_bytes,
                          static_cast<std::size_t>(partner.rows.rows) * row_bytes, ncclInt8,
                          partner.rank, window_,
                          inbox() + static_cast<std::size_t>(partner.first) * row_bytes, 0, 0, 0,
                          ranks().comm, ranks().stream),
            "ncclPutSignal");
    });
    wait();
  }

  template <class Call>
  void for_partners(const Call& call) const {
    check(ncclGroupStart(), "ncclGroupStart");
    for (const Partner& partner : partners_) call(partner);
    check(ncclGroupEnd(), "ncclGroupEnd");
  }
  void signal(int rank) const {
    check(ncclSignal(rank, 0, 0, 0, ranks().comm, ranks().stream), "ncclSignal");
  }
  /// For one signal of each partner.
  void wait() {
    if (partners_.empty()) return;
    check(ncclWaitSignal(static_cast<int>(partners_.size()), signals_.get(), ranks().comm,
                         ranks().stream),
          "ncclWaitSignal");
  }

  std::vector<Partner> partners_;
  std::unique_ptr<ncclWaitSignalDesc_t[]> signals_;  ///< of each partner; nvcc fails on a vector
  std::array<std::int64_t, 2> most_rows_;            ///< that any rank sends, receives
  std::size_t packed_bytes_ = 0;
  std::size_t inbox_bytes_ = 0;
  std::byte* memory_ = nullptr;
  ncclWindow_t window_ = nullptr;
  bool second_ = false;  ///< inbox
};

}  // namespace

std::unique_ptr<Exchange<Kokkos::Cuda>> make_nccl_puts(const Communicator& communicator,
                                                       const NcclRanks& ranks,
                                                       const HaloPlan& plan) {
  return std::make_unique<NcclPuts>(communicator, ranks, plan);
}

}  // namespace fatvec::distributed
#endif
