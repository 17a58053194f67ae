// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/jad.hpp>
#include <fatvec/kernels/detail/row_product.hpp>

namespace fatvec {

/// JAD, a stored row per work-item (seed 003, algorithm 2): the threads of a warp read neighbours
/// in each diagonal, coalesced.
struct JadRow : detail::RowKernel<JadRow> {
  static constexpr const char* name = "jad-row";
  static constexpr const char* label = "fatvec::JadRow";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = JadMatrix<Scalar, Ordinal, Device, Offset>;
};

}  // namespace fatvec
