// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite.hpp"

namespace fatvec::bench {

/// C. Gollmann, "Computational Science on Many-Core Architectures, Exercise 6", 2020: the time of a
/// product over N and K, in both layouts. The matrices of the exercise have few values; these are
/// of 5-point stars on square grids, whose number of rows grows by four.
inline Suite gollmann_suite() {
  return {
      .name = "gollmann",
      .description = "Gollmann 2020: 5-point stars, N rows by K columns of X, in both layouts",
      .matrices =
          {
              {.full = "gen:stencil5:125", .tiny = "gen:stencil5:8"},
              {.full = "gen:stencil5:250", .tiny = "gen:stencil5:9"},
              {.full = "gen:stencil5:500", .tiny = "gen:stencil5:10"},
              {.full = "gen:stencil5:1000", .tiny = "gen:stencil5:11"},
          },
      .sweeps = {{product::Layout::row, {1, 2, 4, 8, 16, 32, 64, 1000}},
                 {product::Layout::column, {1, 2, 4, 8, 16, 32, 64, 1000}}},
  };
}

}  // namespace fatvec::bench
