// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <fatvec/formats/detail/row_access.hpp>

/// How many threads and loads device kernels keep in flight.
namespace fatvec::detail {

/// Threads of a team: few, so that the last teams of a launch are soon done.
inline constexpr int lane_threads = 128;

/// What a multiprocessor has, by the architecture that Kokkos was configured for. Kokkos takes the
/// teams of a LaunchBounds for a demand, and refuses a launch that cannot have them. (On AMD GPUs
/// the bound counts waves of a SIMD unit: few.)
#if defined(KOKKOS_ENABLE_HIP)
inline constexpr int resident_threads = 512;
inline constexpr int scratch_of_multiprocessor = 64 << 10;
#elif defined(KOKKOS_ARCH_TURING75)
inline constexpr int resident_threads = 1024;
inline constexpr int scratch_of_multiprocessor = 64 << 10;
#elif defined(KOKKOS_ARCH_AMPERE86) || defined(KOKKOS_ARCH_AMPERE87) || \
    defined(KOKKOS_ARCH_ADA89) || defined(KOKKOS_ARCH_BLACKWELL120)
inline constexpr int resident_threads = 1536;
inline constexpr int scratch_of_multiprocessor = 96 << 10;
#elif defined(KOKKOS_ARCH_AMPERE80) || defined(KOKKOS_ARCH_HOPPER) || \
    defined(KOKKOS_ARCH_BLACKWELL100)
inline constexpr int resident_threads = 2048;
inline constexpr int scratch_of_multiprocessor = 160 << 10;
#else
inline constexpr int resident_threads = 2048;
inline constexpr int scratch_of_multiprocessor = 64 << 10;
#endif

/// What a thread loads before it multiplies, and the registers that this takes: latency is what a
/// row waits for, so entries are loaded several at a time, and more threads are resident where each
/// needs little. Measured on an H200 (docs/performance.md).
template <class T, class Rows, class Tile>
struct LaneTuning {
  static constexpr int bytes = Tile::width * sizeof(T);   ///< of a row of X
  static constexpr int of_slot = elements_of_slot<Rows>;  ///< rows of X for each slot
  static constexpr bool by_rows = Rows::contiguous && of_slot == 1;
  /// Neighbouring columns that cannot be loaded together, as with an odd k.
  static constexpr bool single = !Tile::adjacent && !Tile::streams && Tile::width > 1 &&
                                 bytes <= 32 && sizeof(T) <= 8;
  /// Entries, and slots, whose loads come before the first arithmetic.
  static constexpr int entries = single && by_rows ? 2
                                 : !Tile::adjacent ? (bytes <= 32 ? 4 : 2)
                                 : bytes <= 8      ? 4
                                 : bytes <= 24     ? (Rows::contiguous ? 2 : 4)
                                 : bytes <= 56     ? 2
                                                   : 1;
  static constexpr int group = of_slot == 0 ? 1 : (entries + of_slot - 1) / of_slot;
  static constexpr int loaded = group * (of_slot == 0 ? 1 : of_slot) * bytes;
  /// Teams of lane_threads threads on a multiprocessor at a time: the compiler's budget of
  /// registers. Told nothing, it saves them and loads one by one.
  static constexpr int teams = single && by_rows                               ? 10
                               : single && bytes <= 16                         ? 12
                               : !Tile::adjacent                               ? (bytes <= 32   ? 8
                                                                                  : bytes <= 48 ? 6
                                                                                                : 4)
                               : bytes <= 8 && of_slot == 1                    ? (by_rows ? 8 : 12)
                               : bytes <= 16 && by_rows && sizeof(T) <= 8      ? 16
                               : bytes <= 16 && of_slot == 1 && sizeof(T) <= 8 ? 12
                               : loaded <= 64 || (bytes <= 24 && of_slot == 1) ? 10
                               : loaded <= 128                                 ? 8
                               : loaded <= 160                                 ? 6
                                                                               : 4;
  /// Whether a RangePolicy launches it: a TeamPolicy has scratch memory, which the first-level
  /// cache then lacks, and spares registers. A whole sector of X a thread gains nothing by it.
  static constexpr bool without_teams =
      !Rows::contiguous && !Tile::streams && bytes > 16 && (single || bytes != 32);
};

}  // namespace fatvec::detail
