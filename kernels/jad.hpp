// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/jad.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/slot_kernel.hpp>

namespace fatvec {

/// JAD, a stored row per work-item (Stec and Stpiczyński, algorithm 2): the threads of a warp read
/// neighbours in each diagonal, coalesced.
struct JadRow : detail::SlotKernel<JadRow, JadMatrix> {
  static constexpr const char* name = "jad-row";
  static constexpr const char* label = "fatvec::JadRow";
};

/// JAD by the kernel that every format and backend shares.
struct JadPortable : detail::PortableKernel<JadPortable, JadMatrix> {
  static constexpr const char* name = "jad-portable";
  static constexpr const char* label = "fatvec::JadPortable";
};

/// The kernel of JadMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<JadMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = JadRow;
};

/// pJAD, a stored row per work-item (Stec and Stpiczyński, algorithm 3); stops at the row's length,
/// not at the block's.
struct PjadRow : detail::SlotKernel<PjadRow, PjadMatrix> {
  static constexpr const char* name = "pjad-row";
  static constexpr const char* label = "fatvec::PjadRow";
};

/// pJAD by the kernel that every format and backend shares.
struct PjadPortable : detail::PortableKernel<PjadPortable, PjadMatrix> {
  static constexpr const char* name = "pjad-portable";
  static constexpr const char* label = "fatvec::PjadPortable";
};

/// The kernel of PjadMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<PjadMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = PjadRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, JadRow)
FATVEC_EXTERN(FATVEC_LAUNCH, PjadRow)
FATVEC_EXTERN(FATVEC_LAUNCH, JadPortable)
FATVEC_EXTERN(FATVEC_LAUNCH, PjadPortable)
