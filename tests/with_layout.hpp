// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace fatvec::test {

/// visit(std::type_identity<Format>) with Matrix's format in LayoutRight (row-major) or LayoutLeft;
/// as it is where it has one layout only.
template <class Matrix, class Visit>
auto with_layout(bool row_major, const Visit& visit) {
  if constexpr (requires { typename Matrix::template WithLayout<Kokkos::LayoutLeft>; }) {
    if (row_major)
      return visit(std::type_identity<typename Matrix::template WithLayout<Kokkos::LayoutRight>>());
    return visit(std::type_identity<typename Matrix::template WithLayout<Kokkos::LayoutLeft>>());
  } else {
    return visit(std::type_identity<Matrix>());
  }
}

}  // namespace fatvec::test
