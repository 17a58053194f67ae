// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite.hpp"

namespace fatvec::bench {

/// Under two minutes on two cores, every row with its 20 repetitions. Each matrix exceeds a
/// last-level cache of 32 MB as CSR; the four differ in what limits a product: long regular rows,
/// short regular rows, no locality in X, unequal rows.
inline Suite demo_suite() {
  return {
      .name = "demo",
      .description = "generated matrices, every contender, under two minutes on two cores",
      .matrices =
          {
              {.full = "gen:stencil27:48", .tiny = "gen:stencil27:8"},
              {.full = "gen:stencil7:76", .tiny = "gen:stencil7:10"},
              {.full = "gen:uniform:100000:28", .tiny = "gen:uniform:700:28"},
              {.full = "gen:powerlaw:120000:24", .tiny = "gen:powerlaw:2000:24"},
          },
      .sweeps = {{product::Layout::row, {1, 4, 16}}, {product::Layout::column, {4}}},
  };
}

}  // namespace fatvec::bench
