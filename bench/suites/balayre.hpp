// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite.hpp"

namespace fatvec::bench {

/// The matrices and numbers of columns of A. Balayre, "Small Scale Parallel Programming
/// Assignment", Cranfield 2024, table 2.1.
inline Suite balayre_suite() {
  return {
      .name = "balayre",
      .description = "Balayre 2024: 30 matrices of the SuiteSparse collection, k = 1, 2, 3, 6",
      .matrices = collection(
          {"cavity10",        "PR02R",      "nlpkkt80", "Cube_Coup_dt0", "roadNet-PA",
           "ML_Laplace",      "bcsstk17",   "mhda416",  "af_1_k101",     "thermal1",
           "thermomech_TK",   "cage4",      "cant",     "dc1",           "raefsky2",
           "rdist2",          "mcfe",       "olm1000",  "lung2",         "webbase-1M",
           "mhd4800a",        "west2021",   "thermal2", "adder_dcop_32", "mac_econ_fwd500",
           "FEM_3D_thermal1", "amazon0302", "cop20k_A", "olafu",         "af23560"}),
      .sweeps = {{product::Layout::row, {1, 2, 3, 6}}},
  };
}

}  // namespace fatvec::bench
