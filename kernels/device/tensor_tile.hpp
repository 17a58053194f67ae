// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/device/multiprocessor.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

namespace fatvec::detail {

/// Columns of X and Y for a warp, `tiles` times 8 of them. Thread 4 i + j loads of four rows of X
/// the j-th; which columns it then stores follows from multiply_tiles. With `pairs` neighbouring
/// tiles take turns by columns, so that two elements of X are loaded at once, and of Y stored where
/// they lie side by side: for an even number of columns, rows of X that begin at whole 16 bytes.
template <int tiles_, bool pairs_>
struct TensorColumns {
  static constexpr int tiles = tiles_;
  static constexpr bool pairs = pairs_;
  static constexpr int together = pairs ? 2 : 1;  ///< tiles, and elements of a load
  static constexpr int width = 8 * tiles;
  static_assert(tiles % together == 0);
  struct alignas(16) Pair {
    double data[2];
  };

  /// b(j, i) of all tiles, from the thread's first column in a row of X on; `left` columns are from
  /// there to the last.
  FATVEC_FORCEINLINE_FUNCTION static void load(const double* from, std::int64_t step, int left,
                                               double (&b)[tiles]) {
    unroll<tiles / together>([&](int t) {
      const bool inside = t * 8 * together < left;
      if constexpr (pairs) {
        const Pair loaded = inside ? *reinterpret_cast<const Pair*>(from + t * 16) : Pair{};
        b[2 * t] = loaded.data[0];
        b[2 * t + 1] = loaded.data[1];
      } else {
        b[t] = inside ? from[t * 8 * step] : 0.0;
      }
    });
  }

  /// store(column, sums of it and of its right neighbour) for what the thread has of row i, columns
  /// counted from those of the warp; j: the thread's rank modulo 4.
  template <class Store>
  FATVEC_FORCEINLINE_FUNCTION static void for_each_sum(int j, const double (&c)[tiles][2],
                                                       const Store& store) {
    unroll<tiles / together>([&](int t) {
      if constexpr (pairs) {
        store(t * 16 + 4 * j, c[2 * t][0], c[2 * t + 1][0]);
        store(t * 16 + 4 * j + 2, c[2 * t][1], c[2 * t + 1][1]);
      } else {
        store(t * 8 + 2 * j, c[t][0], c[t][1]);
      }
    });
  }
};

}  // namespace fatvec::detail
