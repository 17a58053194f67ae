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
/// buffers are the halo's.
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
        has_neighbours_(!plan.sends.empty() || !plan.receives.empty()) {}

  [[nodiscard]] const Csr& matrix() const { return matrix_; }
  [[nodiscard]] const auto& boundary() const { return boundary_; }
  [[nodiscard]] const Exchange<ExecSpace>& exchange() const { return *exchange_; }
  /// Whether this rank sends or receives anything: otherwise start() and finish() are not needed.
  [[nodiscard]] bool has_neighbours() const { return has_neighbours_; }

  /// Room for k columns of elements that large; products with more make it by themselves.
  void reserve(std::int64_t k, std::size_t element_bytes) {
    const std::size_t row_bytes = static_cast<std::size_t>(k) * element_bytes;
    if (row_bytes <= row_bytes_) return;
    const auto grow = [&](Bytes& bytes, std::int64_t rows, const std::string& label) {
      bytes = Bytes();  // first the old one goes
      bytes = fatvec::detail::allocated([&] {
        return Bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, label),
                     static_cast<std::size_t>(rows) * row_bytes);
      });
    };
    Kokkos::fence("fatvec::halo::reserve");  // a product of any instance may still use the old ones
    row_bytes_ = 0;                          // nothing is there until all of it is
    grow(packed_, static_cast<std::int64_t>(send_rows_.extent(0)), "fatvec::halo::packed");
    grow(received_, matrix_.cols(), "fatvec::halo::received");
    exchange_->reserve(row_bytes);
    row_bytes_ = row_bytes;
  }

  /// Packs the rows of x that others want, and begins to exchange.
  template <MultiVector X>
  void start(const ExecSpace& exec, const X& x) {
    using T = std::remove_const_t<typename X::value_type>;
    const std::int64_t k = multivector_columns(x);
    reserve(k, sizeof(T));
    if (k == 0) return;
    const ExecSpace& packing = exchange_->packing(exec);
    const detail::PackRows<T, decltype(send_rows_)> pack{detail::operand_of(x), send_rows_,
                                                         reinterpret_cast<T*>(packed_.data()), k};
    const auto elements = static_cast<std::int64_t>(send_rows_.extent(0)) * k;
    if (elements > 0)
      Kokkos::parallel_for("fatvec::halo::pack", detail::Range<ExecSpace>(packing, 0, elements),
                           pack);
    exchange_->start(exec, packed_.data(), received_.data(),
                     static_cast<std::size_t>(k) * sizeof(T));
  }

  /// y += alpha · (this part) · (what has come).
  template <class Alpha, MultiVector Y>
  void finish(const ExecSpace& exec, const Alpha& alpha, const Y& y) {
    using T = typename Y::value_type;
    const std::int64_t k = multivector_columns(y);
    if (k == 0) return;
    exchange_->finish(exec);
    const detail::ReceivedRows<T> x{reinterpret_cast<const T*>(received_.data()), k};
    const detail::Epilogue<T> adding{static_cast<T>(alpha), T{1},
                                     detail::span_of<detail::Columns::strided>(y)};
    detail::multiply_halo(exec, detail::halo_slots(matrix_, boundary_), x, adding, k);
  }

 private:
  using Bytes = Kokkos::View<std::byte*, typename Csr::device_type>;

  Prepared<Csr> matrix_;
  Kokkos::View<std::int32_t*, typename Csr::device_type> boundary_;
  Kokkos::View<std::int32_t*, typename Csr::device_type> send_rows_;
  std::unique_ptr<Exchange<ExecSpace>> exchange_;
  Bytes packed_;
  Bytes received_;
  std::size_t row_bytes_ = 0;
  bool has_neighbours_;
};

}  // namespace distributed
}  // namespace fatvec
