// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/hll.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/slot_kernel.hpp>

namespace fatvec {

/// HLL, a row per work-item: on a GPU the threads of a warp read the slots of neighbouring rows of
/// one hack, coalesced.
struct HllRow : detail::SlotKernel<HllRow, HllMatrix> {
  static constexpr const char* name = "hll-row";
  static constexpr const char* label = "fatvec::HllRow";
};

/// HLL by the kernel that every format and backend shares.
struct HllPortable : detail::PortableKernel<HllPortable, HllMatrix> {
  static constexpr const char* name = "hll-portable";
  static constexpr const char* label = "fatvec::HllPortable";
};

/// The kernel of HllMatrix, in any layout.
template <class Scalar, class Ordinal, class Device, class Offset, class Layout>
struct DefaultKernel<HllMatrix<Scalar, Ordinal, Device, Offset, Layout>> {
  using type = HllRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, HllRow)
FATVEC_EXTERN(FATVEC_LAUNCH, HllPortable)
