// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/sell.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/slot_kernel.hpp>

namespace fatvec {

/// SELL-C-sigma, a stored row per work-item, its sum scattered through the permutation: like HLL,
/// but the rows of a warp are of about the same length.
struct SellRow : detail::SlotKernel<SellRow, SellMatrix> {
  static constexpr const char* name = "sell-row";
  static constexpr const char* label = "fatvec::SellRow";
};

/// SELL by the kernel that every format and backend shares.
struct SellPortable : detail::PortableKernel<SellPortable, SellMatrix> {
  static constexpr const char* name = "sell-portable";
  static constexpr const char* label = "fatvec::SellPortable";
};

/// The kernel of SellMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<SellMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = SellRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, SellRow)
FATVEC_EXTERN(FATVEC_LAUNCH, SellPortable)
