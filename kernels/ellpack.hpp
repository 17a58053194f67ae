// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/ellpack.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/slot_kernel.hpp>

namespace fatvec {

/// ELLPACK, a row per work-item, in whichever storage order the matrix has; stops at the row's
/// length, not at the padding.
struct EllpackRow : detail::SlotKernel<EllpackRow, EllMatrix> {
  static constexpr const char* name = "ellpack-row";
  static constexpr const char* label = "fatvec::EllpackRow";
};

/// ELLPACK by the kernel that every format and backend shares.
struct EllpackPortable : detail::PortableKernel<EllpackPortable, EllMatrix> {
  static constexpr const char* name = "ellpack-portable";
  static constexpr const char* label = "fatvec::EllpackPortable";
};

/// The kernel of EllMatrix, in any layout.
template <class Scalar, class Ordinal, class Device, class Offset, class Layout>
struct DefaultKernel<EllMatrix<Scalar, Ordinal, Device, Offset, Layout>> {
  using type = EllpackRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, EllpackRow)
FATVEC_EXTERN(FATVEC_LAUNCH, EllpackPortable)
