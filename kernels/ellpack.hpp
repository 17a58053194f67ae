// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/ellpack.hpp>
#include <fatvec/kernels/host/row_kernel.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// ELLPACK, a row per work-item, in whichever storage order the matrix has; stops at the row's
/// length, not at the padding.
using EllpackRow = RowKernelOf<EllMatrix>;
/// ELLPACK by the kernel that every format and backend shares.
using EllpackPortable = Portable<EllMatrix>;

/// The kernel of EllMatrix, in either layout.
template <class Scalar, class Ordinal, class Device, class Offset, class Layout>
struct DefaultKernel<EllMatrix<Scalar, Ordinal, Device, Offset, Layout>> {
  using type = EllpackRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, EllpackRow)
FATVEC_EXTERN(FATVEC_LAUNCH, EllpackPortable)
FATVEC_EXTERN(FATVEC_LAUNCH_FUSED, EllpackRow)
