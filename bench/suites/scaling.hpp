// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite.hpp"

namespace fatvec::bench {

/// For sweeps of threads, chunks and block sizes: four characters (long regular rows, short regular
/// ones, no locality, unequal rows), each in three sizes, a step of four to five in entries, from
/// inside a cache to well beyond one.
inline Suite scaling_suite() {
  return {
      .name = "scaling",
      .description = "generated matrices of growing size and different character, for sweeps",
      .matrices =
          {
              {.full = "gen:stencil27:24", .tiny = "gen:stencil27:6"},
              {.full = "gen:stencil27:40", .tiny = "gen:stencil27:7"},
              {.full = "gen:stencil27:64", .tiny = "gen:stencil27:8"},
              {.full = "gen:stencil5:180", .tiny = "gen:stencil5:18"},
              {.full = "gen:stencil5:400", .tiny = "gen:stencil5:20"},
              {.full = "gen:stencil5:900", .tiny = "gen:stencil5:22"},
              {.full = "gen:uniform:16000:20", .tiny = "gen:uniform:300:20"},
              {.full = "gen:uniform:70000:20", .tiny = "gen:uniform:400:20"},
              {.full = "gen:uniform:300000:20", .tiny = "gen:uniform:500:20"},
              {.full = "gen:powerlaw:40000:8", .tiny = "gen:powerlaw:400:8"},
              {.full = "gen:powerlaw:180000:8", .tiny = "gen:powerlaw:500:8"},
              {.full = "gen:powerlaw:800000:8", .tiny = "gen:powerlaw:600:8"},
          },
      .sweeps = {{product::Layout::row, {1, 4, 16}}},
  };
}

}  // namespace fatvec::bench
