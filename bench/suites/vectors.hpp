// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/suite.hpp"

namespace fatvec::bench {

/// Gollmann's picture (2020), the time of a reduction over the length of the vector, and
/// multivectors in both layouts, the longest of which a column-wise pass must read from memory.
inline Suite vectors_suite() {
  return {
      .name = "vectors",
      .description =
          "statistics, dot products and norms of vectors and of the columns of multivectors",
      .matrices = {},
      .sweeps = {{product::Layout::row, {4, 16, 64}}, {product::Layout::column, {1, 4, 16, 64}}},
      .lengths = {1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000},
      .multivector_elements = 30'000'000,
  };
}

}  // namespace fatvec::bench
