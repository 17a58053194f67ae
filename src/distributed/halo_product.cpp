// SPDX-License-Identifier: Apache-2.0
#include <fatvec/distributed/halo_product.hpp>

FATVEC_INSTANCES(FATVEC_HALO, )
