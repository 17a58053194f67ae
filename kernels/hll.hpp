// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/hll.hpp>
#include <fatvec/kernels/row_kernel.hpp>

namespace fatvec {

/// HLL, a row per work-item: on a GPU the threads of a warp read the slots of neighbouring rows of
/// one hack, coalesced.
struct HllRow : detail::RowKernel<HllRow> {
  static constexpr const char* name = "hll-row";
  static constexpr const char* label = "fatvec::HllRow";
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Matrix = HllMatrix<Scalar, Ordinal, Device, Offset>;
};

/// The kernel of HllMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<HllMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = HllRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, HllRow)
