// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fatvec/core/execution.hpp>
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
/// while the rank multiplies its own, and the product with what has come adds itself to Y at the
/// end, in one launch. Only the rows that have such entries are touched. One product at a time: the
/// buffers are those of its exchange.
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
  /// on all ranks, ShapeError where ranks want other sizes, UsageError where a CUDA graph holds the
  /// buffers.
  void make_room(const Communicator& communicator, std::size_t row_bytes,
                 std::optional<std::uint64_t> memory_limit) {
    if (row_bytes <= row_bytes_) return;
    if (exchange_->was_captured())
      throw UsageError(fatvec::detail::concat(
          "distributed matrix: a captured product has buffers for rows of X of up to ", row_bytes_,
          " bytes, and ", row_bytes,
          " are wanted; call reserve() with the most columns before capturing one."));
    row_bytes_ = 0;  // on all ranks, until all have what they need
    communicator.agree_on("bytes in a row of X", static_cast<std::int64_t>(row_bytes), [&] {
      Kokkos::fence("fatvec::halo::make_room");  // a product may still use what is there
    });
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

  /// Calls local(), which enqueues the product with this rank's own rows of X on exec, and adds
  /// alpha · (this part) · (rows of X of other ranks) to y. make_room() comes before.
  template <class Local, class Alpha, MultiVector X, MultiVector Y>
  void multiply(const ExecSpace& exec, const Local& local, const Alpha& alpha, const X& x,
                const Y& y) {
    const std::int64_t k = multivector_columns(x);
    if (k == 0) return local();
    // The device begins with the local part while the host still gives out packing and messages.
    const ExecSpace* const packing = exchange_->packing_instance(exec);
    if (packing != nullptr) local();
    pack(packing != nullptr ? *packing : exec, x, k);
    exchange_->start(exec, static_cast<std::size_t>(k) * sizeof(typename Y::value_type));
    if (packing == nullptr) local();
    exchange_->finish(exec);
    add(exec, alpha, y, k);
  }

 private:
  template <class X>
  void pack(const ExecSpace& exec, const X& x, std::int64_t k) const {
    using T = std::remove_const_t<typename X::value_type>;
    const auto elements = static_cast<std::int64_t>(send_rows_.extent(0)) * k;
    if (elements == 0) return;
    const detail::PackRows<T, decltype(send_rows_)> pack{
        detail::operand_of(x), send_rows_, reinterpret_cast<T*>(exchange_->packed()), k};
    Kokkos::parallel_for("fatvec::halo::pack", detail::Range<ExecSpace>(exec, 0, elements), pack);
  }

  template <class Alpha, class Y>
  void add(const ExecSpace& exec, const Alpha& alpha, const Y& y, std::int64_t k) const {
    using T = typename Y::value_type;
    const detail::ReceivedRows<T> x{reinterpret_cast<const T*>(exchange_->received()), k};
    const detail::ScaledSum<T> adding{static_cast<T>(alpha), T{1},
                                      detail::span_of<detail::Columns::strided>(y)};
    detail::multiply_halo(exec, detail::halo_slots(matrix_, boundary_), x, adding, k);
  }

  Prepared<Csr> matrix_;
  Kokkos::View<std::int32_t*, typename Csr::device_type> boundary_;
  Kokkos::View<std::int32_t*, typename Csr::device_type> send_rows_;
  std::unique_ptr<Exchange<ExecSpace>> exchange_;
  std::int64_t rows_;          ///< of X that travel
  std::size_t row_bytes_ = 0;  ///< that there is room for
  bool has_neighbours_;
};

}  // namespace distributed
}  // namespace fatvec
