// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/hll.hpp>
#include <fatvec/kernels/host/row_kernel.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// HLL, a row per work-item: on a GPU the threads of a warp read the slots of neighbouring rows of
/// one hack, coalesced.
using HllRow = RowKernelOf<HllMatrix>;
/// HLL by the kernel that every format and backend shares.
using HllPortable = Portable<HllMatrix>;

/// The kernel of HllMatrix, in either layout.
template <class Scalar, class Ordinal, class Device, class Offset, class Layout>
struct DefaultKernel<HllMatrix<Scalar, Ordinal, Device, Offset, Layout>> {
  using type = HllRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, HllRow)
FATVEC_EXTERN(FATVEC_LAUNCH, HllPortable)
FATVEC_EXTERN(FATVEC_LAUNCH_FUSED, HllRow)
