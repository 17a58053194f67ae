// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite.hpp"

namespace fatvec::bench {

/// Every row has its 20 repetitions. The first matrix exceeds a last-level cache of 32 MB as CSR,
/// the others fit into one. The four differ in what limits a product: long regular rows, short
/// regular rows, no locality in X, unequal rows.
inline Suite demo_suite() {
  return {
      .name = "demo",
      .description = "generated matrices, every contender, under two minutes on two cores",
      .matrices =
          {
              {.full = "gen:stencil27:48", .tiny = "gen:stencil27:8"},
              {.full = "gen:stencil7:36", .tiny = "gen:stencil7:10"},
              {.full = "gen:uniform:30000:10", .tiny = "gen:uniform:700:10"},
              {.full = "gen:powerlaw:24000:12", .tiny = "gen:powerlaw:2000:12"},
          },
      .sweeps = {{product::Layout::row, {1, 4, 16}}, {product::Layout::column, {4}}},
      .max_seconds = 5,
  };
}

}  // namespace fatvec::bench
