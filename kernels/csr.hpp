// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/csr.hpp>
#include <fatvec/kernels/host/row_kernel.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// CSR, a row (CPU: a block of rows with its share of the nonzeros) per work-item, k columns in
/// registers.
using CsrRow = RowKernelOf<CsrMatrix>;
/// CSR by the kernel that every format and backend shares.
using CsrPortable = Portable<CsrMatrix>;

/// The kernel of CsrMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<CsrMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = CsrRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, CsrRow)
FATVEC_EXTERN(FATVEC_LAUNCH, CsrPortable)
FATVEC_EXTERN(FATVEC_LAUNCH_FUSED, CsrRow)
