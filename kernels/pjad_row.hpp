// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/jad.hpp>
#include <fatvec/kernels/detail/row_product.hpp>

namespace fatvec {

/// pJAD, a stored row per work-item (seed 003, algorithm 3); stops at the row's length, not at the
/// block's.
struct PjadRow : detail::RowKernel<PjadRow> {
  static constexpr const char* name = "pjad-row";
  static constexpr const char* label = "fatvec::PjadRow";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = PjadMatrix<Scalar, Ordinal, Device, Offset>;
};

}  // namespace fatvec
