// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/dispatch/symmetric.hpp>

namespace fatvec::product {

std::unique_ptr<Product> prepare_symmetric(std::string_view, const Case&) {
  throw UsageError(
      "symmetric storage is multiplied by a kernel for CPUs, and this build has portable kernels "
      "alone (FATVEC_SPECIALISED=OFF). Leave --symmetric out.");
}

}  // namespace fatvec::product
