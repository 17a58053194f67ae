// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

namespace fatvec {

/// Coordinate format on the host: how matrices enter and leave the library. Entry n says A(row[n],
/// col[n]) += value[n]; any order, duplicates add up. Indices are 0-based and within rows × cols
/// (whoever builds a Coo validates it).
template <class Scalar, class Ordinal = std::int32_t>
struct Coo {
  using value_type = Scalar;
  using ordinal_type = Ordinal;
  template <class T>
  using Array = Kokkos::View<T*, Kokkos::HostSpace>;

  Ordinal rows = 0;
  Ordinal cols = 0;
  Array<Ordinal> row;  ///< row index of each entry
  Array<Ordinal> col;  ///< column index of each entry
  Array<Scalar> value;

  Coo() = default;
  Coo(Ordinal rows_, Ordinal cols_, std::size_t entries)
      : rows(rows_),
        cols(cols_),
        row(Kokkos::view_alloc(Kokkos::WithoutInitializing, "fatvec::Coo::row"), entries),
        col(Kokkos::view_alloc(Kokkos::WithoutInitializing, "fatvec::Coo::col"), entries),
        value(Kokkos::view_alloc(Kokkos::WithoutInitializing, "fatvec::Coo::value"), entries) {}

  [[nodiscard]] std::size_t entries() const { return value.extent(0); }
};

}  // namespace fatvec
