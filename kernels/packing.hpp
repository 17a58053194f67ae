// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <utility>

#include <fatvec/core/memory.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/detail/repack.hpp>

namespace fatvec {
/// Row-major copies of X and Y beside a product whose X and Y are column-major (LayoutLeft): an element of X in a row of its
/// own costs a whole sector or line of memory, k neighbours cost little more. Two passes over each, against up to six times the
/// speed of product and copies together (docs/choice.md).
template <class T, class Device>
class Packing {
 public:
  using View = Kokkos::View<T**, Kokkos::LayoutRight, typename Device::device_type>;

  Packing() = default;
  [[nodiscard]] bool empty() const { return x_.extent(0) == 0 && y_.extent(0) == 0; }
  /// For products of a rows × cols matrix with up to k columns: (rows + cols) · k elements.
  template <class ExecSpace>
  Packing(const ExecSpace& exec, std::int64_t rows, std::int64_t cols, std::int64_t k)
      : x_(prefer_huge_pages(View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "fatvec::packing::x"), cols, k))),
        y_(prefer_huge_pages(View(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "fatvec::packing::y"), rows, k))) {}

  /// Whether X and Y of this kind can be packed: columns apart in both, no more of them than there is room for.
  template <MultiVector XView, MultiVector YView>
  [[nodiscard]] bool takes(const XView& x, const YView& y) const {
    return !detail::has_contiguous_columns(x) && !detail::has_contiguous_columns(y) && x.extent(0) == x_.extent(0) &&
           y.extent(0) == y_.extent(0) && x.extent(1) <= x_.extent(1) && x.extent(1) == y.extent(1);
  }

  /// product(X, Y), which forms Y = A · X or the like, on the copies; then Y = beta · Y + that. Only enqueues, like a product;
  /// one at a time, for all use the same copies.
  template <class ExecSpace, MultiVector XView, MultiVector YView, class Product>
  void run(const ExecSpace& exec, const XView& x, const T& beta, const YView& y, const Product& product) const {
    const auto used = std::pair<std::size_t, std::size_t>(0, x.extent(1));
    const auto packed_x = Kokkos::subview(x_, Kokkos::ALL, used);
    const auto packed_y = Kokkos::subview(y_, Kokkos::ALL, used);
    detail::repack<detail::Columns::strided>("fatvec::packing::pack", exec, x, packed_x, T{});
    product(packed_x, packed_y);
    detail::repack<detail::Columns::contiguous>("fatvec::packing::unpack", exec, packed_y, y, beta);
  }

 private:
  View x_;
  View y_;
};

}  // namespace fatvec
