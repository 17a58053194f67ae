// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/macros.hpp>

/// Rows of X that a CPU asks for before it comes to them. Of rows that lie side by side a processor
/// loads the next ones by itself; where the columns of A are scattered, or rows of X are long, it
/// has to be told (docs/performance.md).
namespace fatvec::detail {

/// From where on asking pays, measured on two machines: an AMD EPYC gains from two columns on, up
/// to three times the speed; an Intel Xeon, which looks further ahead by itself, from two lines on.
/// Others are treated like the latter.
struct Lookahead {
  std::int64_t scattered = 128;      ///< bytes of a row of X, where the columns of A are scattered
  std::int64_t pattern = 1'000'000;  ///< bytes of X an entry that rows before did not need, where
                                     ///< they follow a pattern

  /// For blocks, whose rows of X are asked for one by one: less than a line of each is not worth
  /// it.
  [[nodiscard]] Lookahead of_lines() const { return {scattered < 64 ? 64 : scattered, pattern}; }
};

inline Lookahead lookahead() {
#if defined(FATVEC_GNU_HOST_PASS) && defined(__x86_64__)
  if (__builtin_cpu_is("amd")) return {1, 300};
#endif
  return {};
}

/// Entries between the one that is multiplied and the one whose row of X, of so many bytes, is
/// asked for.
KOKKOS_INLINE_FUNCTION constexpr std::int64_t entries_ahead(std::int64_t bytes) {
  return bytes < 256 ? 80 : 40;
}

/// Bytes of X that are not asked for, since a core's part of the last cache has them: beyond so
/// many asking gains something, and where a row of A is a call of ask_for() something more than
/// that costs.
inline constexpr std::int64_t at_hand = 3'500'000;
inline constexpr std::int64_t at_hand_by_rows = 10'000'000;

/// How many rows ahead to ask for in stored rows first ... last - 1, judged by a few of them; 0:
/// not at all. `bytes` is what a row of X takes, x_rows how many there are; of no more than `had`
/// bytes of X none are asked for.
template <class Rows, class Ordinal>
KOKKOS_FUNCTION std::int64_t rows_ahead(const Lookahead& worth_it, const Rows& rows,
                                        const Ordinal* entries, std::int64_t first,
                                        std::int64_t last, std::int64_t bytes, std::int64_t x_rows,
                                        std::int64_t had = at_hand_by_rows) {
  constexpr std::int64_t window =
      250'000;  // bytes of X around what the row before had that a core's cache still has
  constexpr std::int64_t enough = 64;  // entries looked at
  constexpr std::int64_t samples = 24;
  constexpr std::int64_t looked_at = 64;  // entries of a row
  if (bytes * x_rows <= had || last - first <= samples) return 0;
  const std::int64_t near_by = Kokkos::max<std::int64_t>(32, window / bytes);
  std::int64_t seen = 0;  // entries,
  std::int64_t runs = 0;  // of neighbouring columns,
  std::int64_t far = 0;   // whose last one is far from all that the row before has
  std::int64_t looks = 0;
  for (; looks < samples && (looks < 4 || seen < enough); ++looks) {
    // In an order that is spread over the block wherever it ends.
    const std::int64_t i = first + (looks * 7 % samples) * (last - first - 1) / samples;
    const std::int64_t before = Kokkos::min(looked_at, rows.length(i));
    const std::int64_t length = Kokkos::min(looked_at, rows.length(i + 1));
    auto at = rows.walk(i + 1);
    for (std::int64_t j = 0; before > 0 && j < length; ++j, at.advance(1)) {
      const std::int64_t column = entries[at[0]];
      if (j + 1 < length && entries[at[1]] == column + 1) continue;
      bool near = false;
      auto other = rows.walk(i);
      for (std::int64_t o = 0; o < before && !near; ++o, other.advance(1)) {
        const std::int64_t distance = column - entries[other[0]];
        near = -near_by <= distance && distance <= near_by;
      }
      ++runs;
      far += near ? 0 : 1;
    }
    seen += length;
  }
  const bool scattered = 20 * far > runs;
  const bool asks =
      (scattered && bytes >= worth_it.scattered) || runs * bytes >= worth_it.pattern * seen;
  return asks && seen > 0 ? 1 + looks * entries_ahead(bytes) / seen : 0;
}

/// Asks for `bytes` of the rows of X that the next `length` slots of a walk need, x being where
/// they begin in row 0: into the second-level cache, whose queue of misses is longer than the
/// first's. Of a run of neighbouring columns the last one only where rows are lines, for the others
/// are what rows before needed. Not inlined: rows that do not ask keep their registers.
template <class Walk, class Ordinal, class X>
[[gnu::noinline]] KOKKOS_FUNCTION void ask_for([[maybe_unused]] Walk at,
                                               [[maybe_unused]] std::int64_t length,
                                               [[maybe_unused]] const Ordinal* entries,
                                               [[maybe_unused]] const X* x,
                                               [[maybe_unused]] std::int64_t row_stride,
                                               [[maybe_unused]] std::int64_t bytes) {
#if defined(FATVEC_GNU_HOST_PASS)
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

/// Asks for a row of X that is shorter than a line, and may end in the next one.
template <int bytes, class X>
FATVEC_FORCEINLINE_FUNCTION void ask_for_row([[maybe_unused]] const X* row) {
#if defined(FATVEC_GNU_HOST_PASS)
  const auto* const from = reinterpret_cast<const char*>(row);
  __builtin_prefetch(from, 0, 2);
  if constexpr (64 % bytes != 0) __builtin_prefetch(from + bytes - 1, 0, 2);
#endif
}

}  // namespace fatvec::detail
