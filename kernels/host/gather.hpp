// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// Elements of X that lie anywhere, in the lanes of a vector register.
namespace fatvec::detail {

#if defined(FATVEC_HAS_GNU_VECTORS)
/// The two ways to x[columns[0]], x[columns[1]], ...: a gather, or a load for each.
struct ByInstruction {
  template <class T, int n>
  FATVEC_FORCEINLINE void operator()(Vec<T, n>& of_x, const T* x,
                                     const std::int32_t* columns) const {
    Vec<std::int32_t, n> of_lane;
    of_lane.load(columns);
    of_x.gather(x, of_lane, Mask<n>::first(n));
  }
  /// In the lanes of the mask. Others may be anything that X holds.
  template <class T, int n>
  FATVEC_FORCEINLINE void operator()(Vec<T, n>& of_x, const T* x, const std::int32_t* columns,
                                     const Mask<n>& mask) const {
    Vec<std::int32_t, n> of_lane;
    of_lane.load(columns, mask);
    of_x.gather(x, of_lane, mask);
  }
};
struct ByLoads {
  template <class T, int n>
  FATVEC_FORCEINLINE void operator()(Vec<T, n>& of_x, const T* x,
                                     const std::int32_t* columns) const {
    of_x.gather(x, columns);
  }
  /// In the lanes of the mask. Others are x[0].
  template <class T, int n>
  FATVEC_FORCEINLINE void operator()(Vec<T, n>& of_x, const T* x, const std::int32_t* columns,
                                     const Mask<n>& mask) const {
    Vec<std::int32_t, n> of_lane;
    of_lane.load(columns, mask);
    std::int32_t present[n];
    of_lane.store(present);
    of_x.gather(x, present);
  }
};

/// The least seconds of some hundred vectors of x from a core's own cache.
template <class T, class Gather>
[[gnu::noinline]] double seconds_of(const Gather& gather) {
  constexpr int n = simd_lanes<T>;
  T x[16 * n] = {};
  std::int32_t columns[16 * n];
  for (int i = 0; i < 16 * n; ++i) columns[i] = i * 5 % (16 * n);
  T kept[4 * n];
  double least = 1;
  for (int round = 0; round < 4; ++round) {
    const Kokkos::Timer timer;
    Vec<T, n> sums[4];
    for (int i = 0; i < 256; ++i)
      unroll<4>([&](int s) FATVEC_INLINE_LAMBDA {
        Vec<T, n> of_x;
        gather(of_x, x, columns + (i * 4 + s) % 16 * n);
        sums[s].add(of_x);
      });
    for (int s = 0; s < 4; ++s) sums[s].store(kept + s * n);
    asm volatile("" : : "r"(kept) : "memory");  // all lanes count
    least = std::min(least, timer.seconds());
  }
  return least;
}

/// Whether a gather is faster than a load for each lane. Measured once in a process, in
/// microseconds: on some processors it takes several times as long as on others, and updates of
/// their microcode change it. The sums are the same.
template <class T>
bool gathers_pay() {
  static const bool pay = seconds_of<T>(ByInstruction()) < seconds_of<T>(ByLoads());
  return pay;
}

#endif

}  // namespace fatvec::detail
