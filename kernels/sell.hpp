// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/sell.hpp>
#include <fatvec/kernels/host/row_kernel.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// SELL-C-sigma, a stored row per work-item, its sum scattered through the permutation: like HLL,
/// but the rows of a warp are of about the same length.
using SellRow = RowKernelOf<SellMatrix>;
/// SELL-C-sigma by the kernel that every format and backend shares.
using SellPortable = Portable<SellMatrix>;

/// The kernel of SellMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<SellMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = SellRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, SellRow)
FATVEC_EXTERN(FATVEC_LAUNCH, SellPortable)
FATVEC_EXTERN(FATVEC_LAUNCH_FUSED, SellRow)
