// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/dia.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/spmm.hpp>

namespace fatvec {

/// DIA by the kernel that every format and backend shares; it has no other. Neighbouring rows read
/// neighbouring values and rows of X.
using DiaPortable = Portable<DiaMatrix>;

/// Sums over rows are formed by it, too.
template <>
struct ReducingKernel<Portable<DiaMatrix>> {
  using type = Portable<DiaMatrix>;
};

/// The kernel of DiaMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<DiaMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = DiaPortable;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, DiaPortable)
FATVEC_EXTERN(FATVEC_LAUNCH_FUSED, DiaPortable)
