// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include <fatvec/core/memory.hpp>
#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/device/pack_operands.hpp>
#include <fatvec/kernels/host/pack_operands.hpp>

namespace fatvec {
namespace detail {

/// to = from + beta · to by exec's executor; of k columns, contiguous on one side.
template <Columns from_columns, class ExecSpace, class T>
void pack_operand(const char* label, const ExecSpace& exec,
                  const MultiVectorSpan<const T, from_columns>& from,
                  const MultiVectorSpan<T, opposite<from_columns>>& to, const T& beta,
                  std::int64_t rows, std::int64_t k) {
  if (rows == 0 || k == 0) return;
  if constexpr (is_host<ExecSpace>)
    pack_on_host(label, exec, HostPack<T, from_columns>{{from, to, beta, rows, k}});
  else
    pack_on_device(label, exec, DevicePack<T, from_columns>{{from, to, beta, rows, k}});
}

}  // namespace detail

/// Row-major copies of X and Y beside a product whose X and Y are column-major (LayoutLeft): an
/// element of X in a row of its own costs a whole sector or line of memory, k neighbours cost
/// little more. Two passes over each, for a faster product
/// (docs/lab/archive/0016-when-packing-pays.md). No copy of Y where the kernel itself
/// stores_column_major.
template <class T, class Device>
class Packing {
 public:
  using View = Kokkos::View<T**, Kokkos::LayoutRight, typename Device::device_type>;

  Packing() = default;
  [[nodiscard]] bool empty() const { return x_.extent(0) == 0 && rows_ == 0; }
  /// For products of A by Kernel with up to k columns: cols · k elements, and rows · k where Y is
  /// copied, too. Throws CapacityError, before anything is allocated, where they exceed
  /// memory_limit (bytes; default: the free memory). always_copies_y: rows of A come in another
  /// order than Y's, so that the kernel cannot write whole columns.
  template <class Kernel, class ExecSpace, class Policy, SparseFormat Matrix>
  static Packing of(const ExecSpace& exec, const Policy& policy, const Matrix& a, std::int64_t k,
                    std::optional<std::uint64_t> memory_limit = {}, bool always_copies_y = false) {
    Packing packing;
    packing.rows_ = a.rows();
    const bool copies_y = always_copies_y || !stores_column_major<Kernel, Matrix, T>(policy, k);
    const double elements = (static_cast<double>(a.cols()) + (copies_y ? a.rows() : 0)) * k;
    detail::require_fits<typename View::memory_space>(
        "packing", {elements, elements * sizeof(T)}, memory_limit,
        detail::concat("copies of ", copies_y ? "X and Y" : "X", " with ", k, " columns"));
    packing.x_ = allocate(exec, "fatvec::packing::x", a.cols(), k);
    if (copies_y) packing.y_ = allocate(exec, "fatvec::packing::y", a.rows(), k);
    return packing;
  }

  /// Whether X and Y of this kind can be packed: columns strided in both, no more of them than
  /// there is room for.
  [[nodiscard]] bool takes(const detail::Operand<const T>& x, const detail::Operand<T>& y,
                           std::int64_t k) const {
    return k > 1 && x.column_stride != 1 && y.column_stride != 1 &&
           k <= static_cast<std::int64_t>(x_.extent(1));
  }

  /// The same for X alone, where an output takes the rows.
  [[nodiscard]] bool takes(const detail::Operand<const T>& x, std::int64_t k) const {
    return k > 1 && x.column_stride != 1 && k <= static_cast<std::int64_t>(x_.extent(1));
  }

  /// product(X) on a copy of X.
  template <class ExecSpace, class Product>
  void run(const ExecSpace& exec, const detail::Operand<const T>& x, std::int64_t k,
           const Product& product) const {
    using detail::Columns;
    const auto packed_x = detail::span_of<Columns::contiguous>(x_);
    detail::pack_operand<Columns::strided>("fatvec::packing::pack", exec, x, packed_x, T{},
                                           static_cast<std::int64_t>(x_.extent(0)), k);
    product(detail::Operand<const T>{x_.data(), packed_x.row_stride});
  }

  /// product(X, beta, Y), which forms Y = beta · Y + A · X or the like, on copies. Only enqueues,
  /// like a product; one at a time, for all use the same copies.
  template <class ExecSpace, class Product>
  void run(const ExecSpace& exec, const detail::Operand<const T>& x, const T& beta,
           const detail::Operand<T>& y, std::int64_t k, const Product& product) const {
    using detail::Columns;
    const auto cols = static_cast<std::int64_t>(x_.extent(0));
    const auto packed_x = detail::span_of<Columns::contiguous>(x_);
    detail::pack_operand<Columns::strided>("fatvec::packing::pack", exec, x, packed_x, T{}, cols,
                                           k);
    const detail::Operand<const T> of_x{x_.data(), packed_x.row_stride};
    if (y_.extent(0) == 0) return product(of_x, beta, y);
    const auto packed_y = detail::span_of<Columns::strided>(y_);
    product(of_x, T{}, packed_y);
    detail::pack_operand<Columns::contiguous>("fatvec::packing::unpack", exec,
                                              {y_.data(), packed_y.row_stride}, y, beta, rows_, k);
  }

 private:
  template <class ExecSpace>
  static View allocate(const ExecSpace& exec, const std::string& label, std::int64_t rows,
                       std::int64_t k) {
    return detail::allocate<View>(exec, label, rows, k);
  }

  std::int64_t rows_ = 0;
  View x_;
  View y_;
};

}  // namespace fatvec
