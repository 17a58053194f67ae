// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fatvec/core/execution.hpp>
#include <fatvec/distributed/boundary_sums.hpp>
#include <fatvec/distributed/exchange.hpp>
#include <fatvec/distributed/halo_product.hpp>
#include <fatvec/distributed/host_memory.hpp>
#include <fatvec/distributed/split.hpp>

namespace fatvec {
namespace detail {

/// packed(r, c) = x(rows(r), c), row-major.
template <class T, class Rows>
struct PackRows {
  Operand<const T> x;
  Rows rows;
  T* packed;
  std::int64_t k;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const { packed[n] = x(rows(n / k), n % k); }
};

/// A std::vector's elements in memory of Device.
template <class Device, class T>
Kokkos::View<T*, typename Device::device_type> to_device(const std::vector<T>& from,
                                                         const std::string& label) {
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(from.data(),
                                                                                from.size());
  using View = Kokkos::View<T*, typename Device::device_type>;
  const auto to = allocate<View>(typename Device::execution_space(), label, from.size());
  Kokkos::deep_copy(to, host);
  return to;
}

}  // namespace detail

namespace distributed {

/// The part of a rank's rows that multiplies other ranks' rows of X: these are packed and sent
/// while the rank multiplies its own, and the product with what has come follows at the end, in one
/// launch. Only the rows that have such entries, the boundary rows, are touched: the ordinary
/// product adds to Y; for other outputs the local part leaves the sums of these rows in scratch
/// memory, and the halo part completes them. One product at a time: all use the same buffers.
template <class Csr>
class Halo {
 public:
  using Scalar = typename Csr::value_type;
  using ExecSpace = typename Csr::execution_space;

  /// matrix: its rows are those of boundary, its columns the received rows of X.
  Halo(const Prepared<Csr>& matrix, const std::vector<std::int32_t>& boundary, const HaloPlan& plan,
       std::unique_ptr<Exchange<ExecSpace>> exchange)
      : matrix_(matrix),
        boundary_(
            fatvec::detail::to_device<typename Csr::device_type>(boundary, "fatvec::halo::rows")),
        send_rows_(fatvec::detail::to_device<typename Csr::device_type>(plan.send_rows,
                                                                        "fatvec::halo::send_rows")),
        exchange_(std::move(exchange)),
        rows_(plan.sent_rows() + plan.received_rows()),
        has_neighbours_(!plan.sends.empty() || !plan.receives.empty()) {}

  [[nodiscard]] const Csr& matrix() const { return matrix_; }
  [[nodiscard]] const auto& boundary() const { return boundary_; }
  [[nodiscard]] const Exchange<ExecSpace>& exchange() const { return *exchange_; }
  /// Whether this rank sends or receives anything: otherwise a product is its local part.
  [[nodiscard]] bool has_neighbours() const { return has_neighbours_; }

  /// Makes room for rows of X of that size, where there is less. Collective; throws CapacityError
  /// on all ranks, ShapeError where ranks want other sizes (where only some want more room, on
  /// these and on their neighbours: Exchange::compare()), UsageError where a CUDA graph holds the
  /// buffers.
  void make_room(const Communicator& communicator, std::size_t row_bytes,
                 std::optional<std::uint64_t> memory_limit) {
    if (row_bytes <= row_bytes_) return;
    exchange_->compare(row_bytes);
    communicator.agree_on("bytes in a row of X", static_cast<std::int64_t>(row_bytes), [&] {
      if (exchange_->was_captured())  // never by a rank without neighbours
        throw UsageError(fatvec::detail::concat(
            "distributed matrix: a captured product has buffers for rows of X of up to ",
            row_bytes_, " bytes, and ", row_bytes,
            " are wanted; call reserve() with the most columns before capturing one."));
      Kokkos::fence("fatvec::halo::make_room");  // a product may still use what is there
    });
    row_bytes_ = 0;  // on all ranks, until all have what they need
    if constexpr (fatvec::detail::is_host<ExecSpace>)
      require_fits_on_host(communicator, "distributed matrix",
                           static_cast<double>(rows_) * static_cast<double>(row_bytes),
                           memory_limit, [&] {
                             return fatvec::detail::concat("buffers for ", rows_, " rows of X of ",
                                                           row_bytes, " bytes");
                           });
    communicator.agree([&] { exchange_->allocate(row_bytes); });
    communicator.or_abort([&] { exchange_->connect(); });
    row_bytes_ = row_bytes;
  }

  /// make_room(), and scratch memory for sums of the boundary rows, among that many rows, of the
  /// same size. Collective; throws what make_room() does.
  void make_room_for_sums(const Communicator& communicator, std::int64_t local_rows,
                          std::size_t row_bytes, std::optional<std::uint64_t> memory_limit) {
    make_room(communicator, row_bytes, memory_limit);
    if (row_bytes <= sum_bytes_) return;
    exchange_->compare(row_bytes);
    communicator.agree_on("bytes in a row of sums", static_cast<std::int64_t>(row_bytes), [&] {
      if (sum_bytes_ > 0 && exchange_->was_captured())
        throw UsageError(fatvec::detail::concat(
            "distributed matrix: a captured product has room for sums of ", sum_bytes_,
            " bytes a row, and ", row_bytes,
            " are wanted; call reserve_for_outputs() with the most columns before capturing one."));
      Kokkos::fence("fatvec::halo::make_room_for_sums");  // a product may still use what is there
    });
    sum_bytes_ = 0;  // on all ranks, until all have what they need
    const std::size_t rows = boundary_.extent(0);
    // Places are made once; on hosts in a vector, and copied.
    const std::int64_t places = rows > 0 && places_.extent(0) == 0 ? local_rows : 0;
    if constexpr (fatvec::detail::is_host<ExecSpace>)
      require_fits_on_host(communicator, "distributed matrix",
                           static_cast<double>(rows) * static_cast<double>(row_bytes) +
                               2.0 * sizeof(std::int32_t) * static_cast<double>(places),
                           memory_limit, [&] {
                             return fatvec::detail::concat("sums of ", rows, " boundary rows, of ",
                                                           row_bytes, " bytes, and places of ",
                                                           places, " rows");
                           });
    communicator.agree([&] {
      sums_ = {};  // first the old ones go
      sums_ = fatvec::detail::allocated([&] {
        return decltype(sums_)(
            Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string("fatvec::halo::sums")),
            rows * row_bytes);
      });
      if (places > 0) find_places(places);
    });
    sum_bytes_ = row_bytes;
  }

  /// The ordinary product: local() enqueues that with this rank's own rows of X on exec, and alpha
  /// · (this part) · (rows of X of other ranks) is added to y. make_room() comes before.
  template <class Local, class Alpha, MultiVector X, MultiVector Y>
  void multiply(const ExecSpace& exec, const Local& local, const Alpha& alpha, const X& x,
                const Y& y) {
    using T = typename Y::value_type;
    multiply_parts<T>(exec, local, x,
                      detail::ScaledSum<T>{static_cast<T>(alpha), T{1},
                                           detail::span_of<detail::Columns::strided>(y)});
  }

  /// A product with an output of the caller's: local(output) enqueues that with this rank's own
  /// rows of X, whose rows go to the output that it is given. make_room_for_sums() comes before.
  template <class Local, MultiVector X, class To>
  void multiply_to(const ExecSpace& exec, const Local& local, const X& x, const To& output) {
    using T = std::remove_const_t<typename X::value_type>;
    const detail::BoundarySums<T> sums{places_.data(), reinterpret_cast<T*>(sums_.data()),
                                       multivector_columns(x)};
    multiply_parts<T>(
        exec, [&] { local(detail::LocalOutput<T, To>{output, sums}); }, x,
        detail::HaloOutput<T, To>{output, sums});
  }

 private:
  /// local(), while rows of X travel, and this part's product with what has come.
  template <class T, class Local, class X, class To>
  void multiply_parts(const ExecSpace& exec, const Local& local, const X& x, const To& output) {
    const std::int64_t k = multivector_columns(x);
    if (!has_neighbours_) return local();
    if (k == 0) return exchange_->compare(0);
    // The device begins with the local part while the host still gives out packing and messages.
    const ExecSpace* const packing = exchange_->packing_instance(exec);
    if (packing != nullptr) local();
    pack(packing != nullptr ? *packing : exec, x, k);
    exchange_->start(exec, static_cast<std::size_t>(k) * sizeof(T));
    if (packing == nullptr) local();
    exchange_->finish(exec);
    const detail::ReceivedRows<T> received{reinterpret_cast<const T*>(exchange_->received()), k};
    detail::multiply_halo(exec, detail::halo_slots(matrix_, boundary_), received, output, k);
  }

  /// Which boundary row each row is.
  void find_places(std::int64_t local_rows) {
    std::vector<std::int32_t> places(static_cast<std::size_t>(local_rows), -1);
    const auto boundary = fatvec::detail::host_copy(boundary_);
    for (std::size_t b = 0; b < boundary.extent(0); ++b)
      places[static_cast<std::size_t>(boundary(b))] = static_cast<std::int32_t>(b);
    places_ = fatvec::detail::to_device<typename Csr::device_type>(places, "fatvec::halo::places");
  }

  template <class X>
  void pack(const ExecSpace& exec, const X& x, std::int64_t k) const {
    using T = std::remove_const_t<typename X::value_type>;
    const auto elements = static_cast<std::int64_t>(send_rows_.extent(0)) * k;
    if (elements == 0) return;
    const detail::PackRows<T, decltype(send_rows_)> pack{
        detail::operand_of(x), send_rows_, reinterpret_cast<T*>(exchange_->packed()), k};
    Kokkos::parallel_for("fatvec::halo::pack", detail::Range<ExecSpace>(exec, 0, elements), pack);
  }

  Prepared<Csr> matrix_;
  Kokkos::View<std::int32_t*, typename Csr::device_type> boundary_;
  Kokkos::View<std::int32_t*, typename Csr::device_type> send_rows_;
  std::unique_ptr<Exchange<ExecSpace>> exchange_;
  std::int64_t rows_;          ///< of X that travel
  std::size_t row_bytes_ = 0;  ///< that there is room for
  bool has_neighbours_;
  Kokkos::View<std::int32_t*, typename Csr::device_type> places_;  ///< for outputs, as what follows
  Kokkos::View<std::byte*, typename ExecSpace::memory_space> sums_;
  std::size_t sum_bytes_ = 0;  ///< in a row, that there is room for
};

}  // namespace distributed
}  // namespace fatvec
