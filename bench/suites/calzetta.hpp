// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite.hpp"

namespace fatvec::bench {

/// M. Calzetta and A. Lori, "Prodotto SpMV con vettore denso", 2025: products with one vector. The
/// text of their slides names no matrix; the list is that of their program
/// (github.com/MatteoCalzetta/scpa_matrix, include/matrix.h), which is balayre's in another order.
inline Suite calzetta_suite() {
  return {
      .name = "calzetta",
      .description = "Calzetta and Lori 2025: the same 30 matrices, one vector",
      .matrices = collection({"adder_dcop_32", "af23560",         "af_1_k101", "amazon0302",
                              "bcsstk17",      "cage4",           "cant",      "cavity10",
                              "cop20k_A",      "Cube_Coup_dt0",   "dc1",       "FEM_3D_thermal1",
                              "lung2",         "mac_econ_fwd500", "mcfe",      "mhd4800a",
                              "mhda416",       "ML_Laplace",      "nlpkkt80",  "olafu",
                              "olm1000",       "PR02R",           "raefsky2",  "rdist2",
                              "roadNet-PA",    "thermal1",        "thermal2",  "thermomech_TK",
                              "webbase-1M",    "west2021"}),
      .sweeps = {{product::Layout::row, {1}}},
  };
}

}  // namespace fatvec::bench
