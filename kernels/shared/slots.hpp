// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/kernels/shared/row_segments.hpp>

namespace fatvec::detail {

/// What kernels see of a matrix whose rows are walked slot by slot: where the slots lie, and what
/// is in them. Layouts of a format differ in the numbers in `access` only, so that one
/// instantiation of a kernel serves all of them. In BSR a stored row is a row of blocks and a slot
/// is a block.
template <class Rows_, class Scalar, class Ordinal, class Device>
struct Slots {
  using Rows = Rows_;
  using value_type = Scalar;
  using ordinal_type = Ordinal;
  Rows access;  ///< formats/detail/row_access.hpp
  const Ordinal* entries;
  const Scalar* values;
  Ordinal y_rows;      ///< rows of the matrix, and of Y
  Ordinal x_rows;      ///< its columns, the rows of X
  std::int64_t count;  ///< stored rows
  std::int64_t slots;  ///< of all stored rows, padding included
  std::int64_t nnz;    ///< entries of the matrix
  BlockAccess block{1, 1, 1};
  RowSegments<Ordinal, Device> segments{};

  [[nodiscard]] Ordinal rows() const { return y_rows; }
  [[nodiscard]] Ordinal cols() const { return x_rows; }
  [[nodiscard]] std::int64_t stored_entries() const { return slots * block.size * block.size; }
};

template <class Matrix>
concept HasSlots = requires(const Matrix& a) {
  a.row_access();
  a.entries.data();
  a.values.data();
};

/// The slots of a matrix; formats that are walked in ways of their own stay what they are.
template <class Matrix>
const Matrix& slots_of(const Matrix& a) {
  return a;
}
template <HasSlots Matrix>
auto slots_of(const Matrix& a) {
  using Ordinal = typename Matrix::ordinal_type;
  using S = Slots<typename Matrix::Rows, typename Matrix::value_type, Ordinal,
                  typename Matrix::device_type>;
  S slots{.access = a.row_access(),
          .entries = a.entries.data(),
          .values = a.values.data(),
          .y_rows = a.rows(),
          .x_rows = a.cols(),
          .count = a.rows(),
          .slots = static_cast<std::int64_t>(a.entries.size()),
          .nnz = a.nnz()};
  if constexpr (requires { a.block_access(); }) {
    slots.block = a.block_access();
    slots.count = a.block_rows();
  }
  return slots;
}

template <class Matrix>
using SlotsOf = std::remove_cvref_t<decltype(slots_of(std::declval<const Matrix&>()))>;

}  // namespace fatvec::detail
