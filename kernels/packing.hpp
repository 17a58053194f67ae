// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <utility>

#include <fatvec/core/memory.hpp>
#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/detail/repack.hpp>

namespace fatvec {
/// Row-major copies of X and Y beside a product whose X and Y are column-major (LayoutLeft): an
/// element of X in a row of its own costs a whole sector or line of memory, k neighbours cost
/// little more. Two passes over each, against up to eight times the speed of product and copies
/// together (docs/choice.md). No copy of Y where the kernel itself writes_columns.
template <class T, class Device>
class Packing {
 public:
  using View = Kokkos::View<T**, Kokkos::LayoutRight, typename Device::device_type>;

  Packing() = default;
  [[nodiscard]] bool empty() const { return x_.extent(0) == 0 && rows_ == 0; }
  /// For products of A by Kernel with up to k columns: cols · k elements, and rows · k where Y is
  /// copied, too.
  template <class Kernel, class ExecSpace, SparseFormat Matrix>
  static Packing of(const ExecSpace& exec, const typename Kernel::Policy& policy, const Matrix& a,
                    std::int64_t k) {
    Packing packing;
    packing.rows_ = static_cast<std::size_t>(a.rows());
    packing.x_ = allocate(exec, "fatvec::packing::x", a.cols(), k);
    if (!writes_columns<Kernel, detail::is_cpu<ExecSpace>, Matrix>(policy, k))
      packing.y_ = allocate(exec, "fatvec::packing::y", a.rows(), k);
    return packing;
  }

  /// Whether X and Y of this kind can be packed: columns apart in both, no more of them than there
  /// is room for.
  template <MultiVector XView, MultiVector YView>
  [[nodiscard]] bool takes(const XView& x, const YView& y) const {
    return !detail::has_contiguous_columns(x) && !detail::has_contiguous_columns(y) &&
           x.extent(0) == x_.extent(0) && y.extent(0) == rows_ && x.extent(1) <= x_.extent(1) &&
           x.extent(1) == y.extent(1);
  }

  /// product(X, beta, Y), which forms Y = beta · Y + A · X or the like, on copies. Only enqueues,
  /// like a product; one at a time, for all use the same copies.
  template <class ExecSpace, MultiVector XView, MultiVector YView, class Product>
  void run(const ExecSpace& exec, const XView& x, const T& beta, const YView& y,
           const Product& product) const {
    const auto used = std::pair<std::size_t, std::size_t>(0, x.extent(1));
    const auto packed_x = Kokkos::subview(x_, Kokkos::ALL, used);
    detail::repack<detail::Columns::strided>("fatvec::packing::pack", exec, x, packed_x, T{});
    if (y_.extent(0) == 0) return product(packed_x, beta, y);
    const auto packed_y = Kokkos::subview(y_, Kokkos::ALL, used);
    product(packed_x, T{}, packed_y);
    detail::repack<detail::Columns::contiguous>("fatvec::packing::unpack", exec, packed_y, y, beta);
  }

 private:
  template <class ExecSpace>
  static View allocate(const ExecSpace& exec, const std::string& label, std::int64_t rows,
                       std::int64_t k) {
    return prefer_huge_pages(
        View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), rows, k));
  }

  std::size_t rows_ = 0;
  View x_;
  View y_;
};

}  // namespace fatvec
