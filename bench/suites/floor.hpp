// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite.hpp"

namespace fatvec::bench {

/// Every kind of rows twice: some thousand, which caches hold, and more than twice what a
/// last-level cache of 32 MB holds. Meshes are the real ones where scripts/make-mesh has put them
/// into FATVEC_MATRICES.
inline Suite floor_suite() {
  return {
      .name = "floor",
      .description = "every kind of matrix, in the caches and beyond, beside hand-written loops",
      .matrices =
          {
              {.full = "gen:stencil5:71", .tiny = "gen:stencil5:18"},
              {.full = "gen:stencil5:1300", .tiny = "gen:stencil5:20"},
              {.full = "gen:stencil7:17", .tiny = "gen:stencil7:7"},
              {.full = "gen:stencil7:100", .tiny = "gen:stencil7:8"},
              {.full = "gen:stencil27:17", .tiny = "gen:stencil27:6"},
              {.full = "gen:stencil27:64", .tiny = "gen:stencil27:7"},
              {.full = "gen:stencil27:12:dof=3", .tiny = "gen:stencil27:4:dof=3"},
              {.full = "gen:stencil27:31:dof=3", .tiny = "gen:stencil27:5:dof=3"},
              {.full = "gen:uniform:5000:16", .tiny = "gen:uniform:300:16"},
              {.full = "gen:uniform:400000:16", .tiny = "gen:uniform:400:16"},
              {.full = "gen:powerlaw:5000:12", .tiny = "gen:powerlaw:300:12"},
              {.full = "gen:powerlaw:600000:12", .tiny = "gen:powerlaw:400:12"},
              {.full = "gen:twin:thermal2", .tiny = "gen:twin:thermal2:500", .real = "mesh-random"},
              {.full = "gen:twin:parabolic_fem",
               .tiny = "gen:twin:parabolic_fem:500",
               .real = "mesh-rcm"},
          },
      .sweeps = {{product::Layout::row, {1, 2, 3, 4, 8, 16, 32, 64}}},
  };
}

}  // namespace fatvec::bench
