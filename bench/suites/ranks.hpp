// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite.hpp"

namespace fatvec::bench {

/// As many rows a rank, however many ranks: the grid grows along its last axis.
inline Suite weak_suite() {
  return {
      .name = "weak",
      .description = "mpirun -n N: a grid a rank; the time should stay",
      .matrices = {{.full = "gen:stencil27:115x115x115", .tiny = "gen:stencil27:6x6x4"}},
      .sweeps = {{product::Layout::row, {1, 8, 32}}},
      .max_seconds = 5,
      .scaling = Scaling::weak,
  };
}

/// The same matrix, however many ranks.
inline Suite strong_suite() {
  return {
      .name = "strong",
      .description = "mpirun -n N: one grid over all ranks; the time should fall",
      .matrices = {{.full = "gen:stencil27:160x160x160", .tiny = "gen:stencil27:6x6x8"}},
      .sweeps = {{product::Layout::row, {1, 8, 32}}},
      .max_seconds = 5,
      .scaling = Scaling::strong,
  };
}

}  // namespace fatvec::bench
