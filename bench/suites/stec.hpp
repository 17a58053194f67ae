// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite.hpp"

namespace fatvec::bench {

/// The matrices of K. Stec and P. Stpiczynski, "Performance of Portable Sparse Matrix-Vector
/// Product Implemented Using OpenACC", table I: products with one vector. cryg10000 and cfd1 are
/// spelled cry10000 and cfdl there; fidapm37 is in the Matrix Market, the others are in the
/// SuiteSparse collection.
inline Suite stec_suite() {
  return {
      .name = "stec",
      .description = "Stec and Stpiczynski: 25 matrices, one vector",
      .matrices =
          collection({"cryg10000",       "poisson3Da",    "af23560",   "g7jac140", "fidapm37",
                      "bcsstk36",        "majorbasis",    "bbmat",     "cfd1",     "ASIC_680ks",
                      "FEM_3D_thermal2", "parabolic_fem", "ecology2",  "pre2",     "boneS01",
                      "torso1",          "thermal2",      "atmosmodl", "bmw3_2",   "af_shell8",
                      "cage14",          "nd24k",         "inline_1",  "ldoor",    "cage15"}),
      .sweeps = {{product::Layout::row, {1}}},
  };
}

}  // namespace fatvec::bench
