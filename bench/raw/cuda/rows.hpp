// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/ellpack.hpp>
#include <fatvec/formats/hll.hpp>
#include <fatvec/formats/jad.hpp>
#include <fatvec/formats/sell.hpp>

#include "harness/scalar.hpp"

/// Where the hand-written CUDA kernels find a row's entries, as plain 32-bit code for each format.
/// A row ends at its length: padding is never read.
namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN {

/// Entry j < length of a row is at position first + j · stride of the format's arrays.
struct Slots {
  std::int64_t first;
  int stride;
  int length;

  KOKKOS_FUNCTION std::int64_t at(int j) const {
    return first + static_cast<std::int64_t>(j) * stride;
  }
};

/// The same in JAD, where every diagonal begins at a place of its own.
struct JaggedSlots {
  const int* diagonals;
  int row;
  int length;

  KOKKOS_FUNCTION std::int64_t at(int j) const {
    return static_cast<std::int64_t>(diagonals[j]) + row;
  }
};

struct CsrRows {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Format = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* name = "csr";
  static constexpr bool neighbours = true;  ///< whether the entries of a row lie side by side

  const int* offsets;

  template <class Matrix>
  static CsrRows of(const Matrix& matrix) {
    return CsrRows{matrix.row_map.data()};
  }
  KOKKOS_FUNCTION Slots operator[](int row) const {
    const int first = offsets[row];
    return {first, 1, offsets[row + 1] - first};
  }
};

struct EllRows {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Format = EllMatrix<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* name = "ellpack";
  static constexpr bool neighbours = false;

  const int* lengths;
  int row_stride;
  int slot_stride;

  template <class Matrix>
  static EllRows of(const Matrix& matrix) {
    return {matrix.row_lengths.data(), static_cast<int>(matrix.entries.stride(0)),
            static_cast<int>(matrix.entries.stride(1))};
  }
  KOKKOS_FUNCTION Slots operator[](int row) const {
    return {static_cast<std::int64_t>(row) * row_stride, slot_stride, lengths[row]};
  }
};

struct HllRows {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Format = HllMatrix<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* name = "hll";
  static constexpr bool neighbours = false;

  const int* hack_offsets;
  const int* lengths;
  int rows;
  int hack_size;
  bool column_major;

  template <class Matrix>
  static HllRows of(const Matrix& matrix) {
    return {matrix.slice_offsets.data(), matrix.row_lengths.data(), matrix.rows(),
            matrix.slice_size(), detail::is_column_major<typename Matrix::array_layout>};
  }
  KOKKOS_FUNCTION Slots operator[](int row) const {
    const int hack =
        static_cast<int>(static_cast<unsigned>(row) / static_cast<unsigned>(hack_size));
    const int first_row = hack * hack_size;
    const int within = row - first_row;
    const int height = rows - first_row < hack_size ? rows - first_row : hack_size;
    const int first = hack_offsets[hack];
    if (column_major) return {first + within, height, lengths[row]};
    const int width = (hack_offsets[hack + 1] - first) / height;
    return {first + static_cast<std::int64_t>(within) * width, 1, lengths[row]};
  }
};

/// SELL is column-major HLL of sorted rows.
struct SellRows : HllRows {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Format = SellMatrix<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* name = "sell";

  const int* permutation;

  template <class Matrix>
  static SellRows of(const Matrix& matrix) {
    return {HllRows::of(matrix), matrix.permutation.data()};
  }
};

/// JAD and pJAD.
template <template <class...> class Format_>
struct JaggedRows {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Format = Format_<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* name = Format<Scalar, int, Kokkos::Cuda, int>::name;
  static constexpr bool neighbours = false;

  const int* diagonals;
  const int* lengths;
  const int* permutation;

  template <class Matrix>
  static JaggedRows of(const Matrix& matrix) {
    return {matrix.diagonal_offsets.data(), matrix.row_lengths.data(), matrix.permutation.data()};
  }
  KOKKOS_FUNCTION JaggedSlots operator[](int row) const { return {diagonals, row, lengths[row]}; }
};

/// A in one of the formats, as a kernel's argument.
template <class Rows>
struct Stored {
  Rows row;
  const int* columns;
  const Scalar* values;
  unsigned rows;
  std::int64_t nnz;

  /// The row of Y that a stored row is.
  __device__ int target(int stored) const {
    if constexpr (requires { row.permutation; })
      return row.permutation[stored];
    else
      return stored;
  }
};

template <class Rows, class Matrix>
Stored<Rows> stored(const Matrix& matrix) {
  return {Rows::of(matrix), matrix.entries.data(), matrix.values.data(),
          static_cast<unsigned>(matrix.rows()), matrix.nnz()};
}

}  // namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN
