// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/coo_matrix.hpp>
#include <fatvec/kernels/host/row_kernel.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// Row-sorted COO, a row (CPU: a block of rows with its share of the entries) per work-item, which
/// searches the row indices for it: each row of Y is complete before it is stored, without atomics.
using CooRow = RowKernelOf<CooMatrix>;
/// COO by the kernel that every format and backend shares.
using CooPortable = Portable<CooMatrix>;

/// The kernel of CooMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<CooMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = CooRow;
};

}  // namespace fatvec
