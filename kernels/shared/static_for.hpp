// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>

#include <fatvec/core/macros.hpp>

/// Numbers that are known to the compiler, and loops over them without a loop.
namespace fatvec::detail {

/// A number of columns that is known to the compiler. (std::integral_constant's conversion is no
/// device function to nvcc.)
template <int width>
struct Width {
  static constexpr int value = width;
  KOKKOS_FUNCTION constexpr operator int() const {
    return width;
  }  // NOLINT: it is meant to stand for the number
};

/// f(0) ... f(n - 1), unrolled: an array of n indexed in f lives in registers. GCC vectorises the
/// plain loop before it unrolls it, which it does not do for a fold expression.
template <int n, class F>
FATVEC_FORCEINLINE_FUNCTION void unroll(const F& f) {
  FATVEC_UNROLL
  for (int w = 0; w < n; ++w) f(w);
}

template <class F, int... w>
FATVEC_FORCEINLINE_FUNCTION void each_of(const F& f, std::integer_sequence<int, w...>) {
  (f(Width<w>{}), ...);
}

/// f(Width<0>{}) ... f(Width<n - 1>{}), without a loop: arrays of structures, or of vectors, live
/// in registers only where every index is a constant from the beginning.
template <int n, class F>
FATVEC_FORCEINLINE_FUNCTION void each(const F& f) {
  each_of(f, std::make_integer_sequence<int, n>{});
}

/// What with_width() chooses from, ascending.
template <int... widths>
using Widths = std::integer_sequence<int, widths...>;

/// Calls run(Width<w>) for the smallest of the widths that is at least `wanted`, or the largest.
template <int... widths, class Run>
void with_width(Widths<widths...>, std::int64_t wanted, const Run& run) {
  bool done = false;
  const std::int64_t reachable = std::min<std::int64_t>(wanted, std::max({widths...}));
  ((done = done || (reachable <= widths && (run(Width<widths>{}), true))), ...);
}

}  // namespace fatvec::detail
