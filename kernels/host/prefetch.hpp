// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/core/system.hpp>
#include <fatvec/kernels/shared/prefetch_entries.hpp>

/// Software prefetching of rows of X. A processor prefetches rows that lie side by side by itself,
/// but not where the columns of A are scattered, or rows of X are long (docs/performance.md).
namespace fatvec::host {

/// Bytes of X beyond which its rows are prefetched where the last cache does not keep them: one
/// number for the whole process. Half of that cache, the rest being for A and Y which stream
/// through it, until measure_machine() has measured from where on prefetching pays.
inline std::atomic<std::int64_t>& prefetched_beyond() {
  const auto half_of_cache = [] {
    const auto bytes = static_cast<std::int64_t>(detail::last_level_cache_bytes() / 2);
    return bytes > 0 ? bytes : 16'000'000;
  };
  static std::atomic<std::int64_t> bytes = half_of_cache();
  return bytes;
}

/// Bytes of a thread's part of A that caches keep from product to product: its share of half the
/// last one, which other processes use, too, or two second-level caches. Not measured: it decides
/// which loop forms the sums.
inline std::atomic<double>& cached_entries() {
  static std::atomic<double> bytes =
      std::max(2 * detail::second_level_cache_bytes(),
               detail::last_level_cache_bytes() / 2 / detail::processors());
  return bytes;
}

}  // namespace fatvec::host

namespace fatvec::detail {

/// Entries between the one that is multiplied and the one whose row of X, of `bytes`, is
/// prefetched.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t prefetch_distance(std::int64_t bytes) {
  return bytes < 256 ? 80 : 40;
}

/// Whether caches keep a thread's entries of A, of one vector its core's own cache, and all of X,
/// both in bytes: then nothing needs to be prefetched.
inline bool caches_keep(double entries, double x, std::int64_t k) {
  static const double own_cache = 2 * second_level_cache_bytes();
  static const double part_of_last_cache = last_level_cache_bytes() / 8;
  const double kept = host::cached_entries();
  return entries <= (k == 1 ? std::min(kept, own_cache) : kept) && x <= part_of_last_cache;
}

/// The sizes of a product, and what a cache holds.
struct PrefetchWork {
  std::int64_t rows;       ///< of A, as stored
  std::int64_t x_rows;     ///< of X
  std::int64_t bytes;      ///< of a row of X
  std::int64_t cached;     ///< bytes of X that are not prefetched
  std::int64_t block = 1;  ///< rows of X that an entry of A multiplies, each prefetched apart
};

/// Rows of A between prefetching a row of X and using it, for stored rows first ... last - 1,
/// judged by a sample of them; 0: no prefetching. Near the diagonal nothing is prefetched: of a
/// banded matrix the last cache keeps the rows of X that are in use.
template <class Rows, class Ordinal>
KOKKOS_FUNCTION std::int64_t prefetch_row_distance(const Rows& rows, const Ordinal* entries,
                                                   std::int64_t first, std::int64_t last,
                                                   const PrefetchWork& work) {
  constexpr std::int64_t window =
      250'000;  // bytes of X around what the row before had that a core's cache still has
  constexpr std::int64_t enough = 64;  // entries looked at
  constexpr std::int64_t samples = 24;
  constexpr std::int64_t looked_at = 64;  // entries of a row
  constexpr std::int64_t line = 64;
  // Bytes of X that come from memory for each entry, and streams of them, from which on a
  // processor's own prefetching is late. (Rows at a border have a stream less.)
  constexpr std::int64_t much = 24;
  constexpr double streams = 2.5;
  if (work.bytes * work.x_rows <= work.cached || last - first <= samples) return 0;
  const std::int64_t near_by = Kokkos::max<std::int64_t>(32, window / work.bytes);
  const std::int64_t columns = work.x_rows / work.block;
  const std::int64_t band = Kokkos::min(work.cached / work.bytes / work.block, columns / 8);
  std::int64_t seen = 0;     // entries,
  std::int64_t runs = 0;     // of neighbouring columns,
  std::int64_t far = 0;      // whose last one is far from all that the row before has,
  std::int64_t follows = 0;  // or is one behind a column of it
  std::int64_t looks = 0;
  for (; looks < samples && (looks < 4 || seen < enough); ++looks) {
    // In an order that is spread over the block wherever it ends.
    const std::int64_t i = first + (looks * 7 % samples) * (last - first - 1) / samples;
    const std::int64_t before = Kokkos::min(looked_at, rows.length(i));
    const std::int64_t length = Kokkos::min(looked_at, rows.length(i + 1));
    const std::int64_t diagonal = rows.row(i + 1) * columns / work.rows;
    auto at = rows.walk(i + 1);
    for (std::int64_t j = 0; before > 0 && j < length; ++j, at.advance(1)) {
      const std::int64_t column = entries[at[0]];
      if (j + 1 < length && entries[at[1]] == column + 1) continue;
      bool near = -band <= column - diagonal && column - diagonal <= band;
      bool behind = false;
      auto other = rows.walk(i);
      for (std::int64_t o = 0; o < before && !(near && behind); ++o, other.advance(1)) {
        const std::int64_t distance = column - entries[other[0]];
        near = near || (-near_by <= distance && distance <= near_by);
        behind = behind || distance == 1;
      }
      ++runs;
      far += near ? 0 : 1;
      follows += behind ? 1 : 0;
    }
    seen += length;
  }
  const bool scattered = 20 * far > runs;
  const bool streamed = 2 * follows > runs &&
                        static_cast<double>(runs) >= streams * static_cast<double>(looks) &&
                        work.bytes * looks >= much * seen * work.block;
  const bool pays = (scattered && (work.block == 1 || work.bytes >= line)) || streamed;
  return pays && seen > 0 ? 1 + looks * prefetch_distance(work.bytes) / seen : 0;
}

/// Prefetches `bytes` of the rows of X that the next `length` slots of a walk need, x being where
/// they begin in row 0: into the second-level cache, whose queue of misses is longer than the
/// first's. Where rows are cache lines, only the last of a run of neighbouring columns: rows before
/// needed the others. Not inlined: rows without prefetching keep their registers.
template <class Walk, class Ordinal, class X>
[[gnu::noinline]] KOKKOS_FUNCTION void prefetch_rows([[maybe_unused]] Walk at,
                                                     [[maybe_unused]] std::int64_t length,
                                                     [[maybe_unused]] const Ordinal* entries,
                                                     [[maybe_unused]] const X* x,
                                                     [[maybe_unused]] std::int64_t row_stride,
                                                     [[maybe_unused]] std::int64_t bytes) {
#if defined(FATVEC_HAS_GNU_VECTORS)
  asm volatile("");  // GCC drops calls of a function that does nothing but prefetch
  constexpr std::int64_t line = 64;
  const bool straddles = bytes % line != 0 && line % bytes != 0;
  for (std::int64_t j = 0; j < length; ++j, at.advance(1)) {
    const std::int64_t column = entries[at[0]];
    if (bytes >= line && j + 1 < length && entries[at[1]] == column + 1) continue;
    const auto* const from = reinterpret_cast<const char*>(x + column * row_stride);
    for (std::int64_t b = 0; b < bytes; b += line) __builtin_prefetch(from + b, 0, 2);
    if (straddles)
      __builtin_prefetch(from + bytes - 1, 0,
                         3);  // the line that its end may be in: the second level was too late
  }
#endif
}

/// Prefetches a row of X that is shorter than a cache line, and may end in the next one.
template <int bytes, class X>
FATVEC_FORCEINLINE_FUNCTION void prefetch_row([[maybe_unused]] const X* row) {
#if defined(FATVEC_HAS_GNU_VECTORS)
  const auto* const from = reinterpret_cast<const char*>(row);
  __builtin_prefetch(from, 0, 2);
  if constexpr (64 % bytes != 0) __builtin_prefetch(from + bytes - 1, 0, 2);
#endif
}

}  // namespace fatvec::detail
