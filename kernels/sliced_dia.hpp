// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/sliced_dia.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/shared/masked_rows.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// Sliced diagonals by the kernel that every format and backend shares: the threads of a slice
/// read the same first columns and masks, and neighbouring values and rows of X.
using SlicedDiaPortable = Portable<SlicedDiaMatrix>;

/// The kernel of SlicedDiaMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<SlicedDiaMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = SlicedDiaPortable;
};

}  // namespace fatvec
