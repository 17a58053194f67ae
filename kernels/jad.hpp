// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/jad.hpp>
#include <fatvec/kernels/host/row_kernel.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// JAD, a stored row per work-item (Stec and Stpiczyński, algorithm 2): the threads of a warp read
/// neighbours in each diagonal, coalesced.
using JadRow = RowKernelOf<JadMatrix>;
/// JAD by the kernel that every format and backend shares.
using JadPortable = Portable<JadMatrix>;

/// The kernel of JadMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<JadMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = JadRow;
};

/// pJAD, a stored row per work-item (Stec and Stpiczyński, algorithm 3); stops at the row's length,
/// not at the block's.
using PjadRow = RowKernelOf<PjadMatrix>;
/// pJAD by the kernel that every format and backend shares.
using PjadPortable = Portable<PjadMatrix>;

/// The kernel of PjadMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<PjadMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = PjadRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, JadRow)
FATVEC_EXTERN(FATVEC_LAUNCH, JadPortable)
FATVEC_EXTERN(FATVEC_LAUNCH, PjadRow)
FATVEC_EXTERN(FATVEC_LAUNCH, PjadPortable)
FATVEC_EXTERN(FATVEC_LAUNCH_FUSED, PjadRow)
FATVEC_EXTERN(FATVEC_LAUNCH_FUSED, JadRow)
