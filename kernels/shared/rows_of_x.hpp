// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/error.hpp>
#include <fatvec/core/macros.hpp>

namespace fatvec::detail {

/// The rows of X from some column on. Bytes and 32-bit factors, so that finding a row takes a GPU
/// one instruction.
template <class T>
struct RowsOfX {
  const char* first;
  std::uint32_t row_bytes;

  RowsOfX() = default;
  template <class X>
  KOKKOS_FUNCTION RowsOfX(const X& x, int column)
      : first(reinterpret_cast<const char*>(x.data + column * x.step())),
        row_bytes(static_cast<std::uint32_t>(x.row_stride * static_cast<std::int64_t>(sizeof(T)))) {
  }

  template <class Ordinal>
  FATVEC_FORCEINLINE_FUNCTION const T* operator[](Ordinal row) const {
    const std::uint64_t offset =
        static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<Ordinal>>(row)) * row_bytes;
    return reinterpret_cast<const T*>(first + offset);
  }
};

/// Throws CapacityError where the bytes of a row of X do not fit in 32 bits.
template <class X>
void require_near_rows(const char* label, const X& x) {
  if (x.row_stride * static_cast<std::int64_t>(sizeof(*x.data)) > UINT32_MAX)
    throw CapacityError(concat(label, ": the rows of X are ", x.row_stride,
                               " elements apart, which is 4 GB or more."));
}

}  // namespace fatvec::detail
