// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/formats/csr.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/slot_kernel.hpp>

namespace fatvec {

/// CSR, a row (CPU: a block of rows with its share of the nonzeros) per work-item, k columns in
/// registers.
struct CsrRow : detail::SlotKernel<CsrRow, CsrMatrix, portable::DevicePolicy> {
  static constexpr const char* name = "csr-row";
  static constexpr const char* label = "fatvec::CsrRow";
};

/// CSR by the kernel that every format and backend shares.
struct CsrPortable : detail::PortableKernel<CsrPortable, CsrMatrix, portable::DevicePolicy> {
  static constexpr const char* name = "csr-portable";
  static constexpr const char* label = "fatvec::CsrPortable";
};

/// The kernel of CsrMatrix.
template <class Scalar, class Ordinal, class Device, class Offset>
struct DefaultKernel<CsrMatrix<Scalar, Ordinal, Device, Offset>> {
  using type = CsrRow;
};

}  // namespace fatvec

FATVEC_EXTERN(FATVEC_LAUNCH, CsrRow)
FATVEC_EXTERN(FATVEC_LAUNCH, CsrPortable)
