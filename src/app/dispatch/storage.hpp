// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <optional>
#include <type_traits>

#include <fatvec/app/dispatch/product.hpp>

/// From a storage order, as the programs name it, to the layout of a format.
namespace fatvec::product {

/// A format in the layout of this storage order.
template <class Matrix, StorageOrder order>
using InStorage = typename Matrix::template WithLayout<
    std::conditional_t<order == StorageOrder::row_major, Kokkos::LayoutRight, Kokkos::LayoutLeft>>;

/// visit(std::type_identity<Format>) with Matrix's format in this storage order, in its own layout
/// where none is named or it has only one.
template <class Matrix, class Visit>
auto with_storage(const std::optional<StorageOrder>& storage, const Visit& visit) {
  if constexpr (requires { typename InStorage<Matrix, StorageOrder::row_major>; }) {
    if (storage == StorageOrder::row_major)
      return visit(std::type_identity<InStorage<Matrix, StorageOrder::row_major>>());
    if (storage == StorageOrder::column_major)
      return visit(std::type_identity<InStorage<Matrix, StorageOrder::column_major>>());
  }
  return visit(std::type_identity<Matrix>());
}

}  // namespace fatvec::product
