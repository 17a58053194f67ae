// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>

#include <fatvec/core/memory.hpp>

namespace fatvec {

/// Coordinate format on the host: how matrices enter and leave the library. Entry n says A(row[n],
/// col[n]) += value[n]; any order, duplicates add up. Indices are 0-based and within rows × cols,
/// which csr_from_coo checks.
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
  /// Entries that the caller fills. Throws CapacityError where there is no memory for them.
  Coo(Ordinal rows_, Ordinal cols_, std::size_t entries)
      : rows(rows_),
        cols(cols_),
        row(array<Ordinal>("fatvec::Coo::row", entries)),
        col(array<Ordinal>("fatvec::Coo::col", entries)),
        value(array<Scalar>("fatvec::Coo::value", entries)) {}

  [[nodiscard]] std::size_t entries() const { return value.extent(0); }

 private:
  template <class T>
  static Array<T> array(const std::string& label, std::size_t length) {
    return detail::allocated(
        [&] { return Array<T>(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), length); });
  }
};

}  // namespace fatvec
