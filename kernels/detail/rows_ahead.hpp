// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/host_pass.hpp>

/// Rows of X that a CPU asks for before it comes to them. Of rows that lie side by side a processor loads the next ones by
/// itself; where the columns of A are scattered, or rows of X are long, it has to be told (docs/performance.md).
namespace fatvec::detail {

/// From where on asking pays, measured on two machines: an AMD EPYC gains from single lines on, up to twice the speed; an Intel
/// Xeon, which looks further ahead by itself, lost up to 1.9 times with few columns. Others are treated like the latter.
struct Lookahead {
  std::int64_t scattered = 512;      ///< bytes of a row of X, where the columns of A are scattered
  std::int64_t pattern = 1'000'000;  ///< bytes of X an entry that rows before did not need, where they follow a pattern
};

inline Lookahead lookahead() {
#if defined(FATVEC_GNU_HOST_PASS) && defined(__x86_64__)
  if (__builtin_cpu_is("amd")) return {64, 300};
#endif
  return {};
}

/// How many rows ahead to ask for in stored rows first ... last - 1, judged by a few of them; 0: not at all. `bytes` is what a
/// row of X takes, x_rows how many there are.
template <class Rows, class Ordinal>
KOKKOS_FUNCTION std::int64_t rows_ahead(const Lookahead& worth_it, const Rows& rows, const Ordinal* entries, std::int64_t first,
                                        std::int64_t last, std::int64_t bytes, std::int64_t x_rows) {
  constexpr std::int64_t second_level_cache = 1'000'000;  // bytes
  constexpr std::int64_t entries_ahead = 40;
  constexpr int samples = 4;
  constexpr std::int64_t looked_at = 64;  // entries of a row
  if (bytes < 64 || bytes * x_rows <= second_level_cache || last - first < 8 * samples) return 0;
  std::int64_t seen = 0;  // entries,
  std::int64_t runs = 0;  // of neighbouring columns,
  std::int64_t far = 0;   // whose last one is far from all that the row before has
  for (int s = 0; s < samples; ++s) {
    const std::int64_t i = first + s * (last - first) / samples;
    const std::int64_t before = Kokkos::min(looked_at, rows.length(i));
    const std::int64_t length = Kokkos::min(looked_at, rows.length(i + 1));
    auto at = rows.walk(i + 1);
    for (std::int64_t j = 0; j < length; ++j, at.advance(1)) {
      const std::int64_t column = entries[at[0]];
      if (j + 1 < length && entries[at[1]] == column + 1) continue;
      bool near = false;
      auto other = rows.walk(i);
      for (std::int64_t o = 0; o < before && !near; ++o, other.advance(1)) {
        const std::int64_t distance = column - entries[other[0]];
        near = -32 <= distance && distance <= 32;
      }
      ++runs;
      far += near ? 0 : 1;
    }
    seen += length;
  }
  const bool scattered = 2 * far > runs;
  const bool asks = scattered ? bytes >= worth_it.scattered : runs * bytes >= worth_it.pattern * seen;
  return asks && seen > 0 ? 1 + samples * entries_ahead / seen : 0;
}

/// Asks for `bytes` of the rows of X that stored row i needs, x being where they begin in row 0: into the second-level cache,
/// whose queue of misses is longer than the first's. Of a run of neighbouring columns the last one only, for the others are
/// what rows before needed.
template <class Rows, class Ordinal, class X>
[[gnu::noinline]] KOKKOS_FUNCTION void ask_for_row([[maybe_unused]] const Rows rows, [[maybe_unused]] const Ordinal* entries,
                                                   [[maybe_unused]] std::int64_t i, [[maybe_unused]] const X* x,
                                                   [[maybe_unused]] std::int64_t row_stride,
                                                   [[maybe_unused]] std::int64_t bytes) {
#if defined(FATVEC_GNU_HOST_PASS)
  asm volatile("");  // GCC drops calls of a function that does nothing but prefetch
  const std::int64_t length = rows.length(i);
  auto at = rows.walk(i);
  for (std::int64_t j = 0; j < length; ++j, at.advance(1)) {
    const std::int64_t column = entries[at[0]];
    if (j + 1 < length && entries[at[1]] == column + 1) continue;
    const auto* const from = reinterpret_cast<const char*>(x + column * row_stride);
    for (std::int64_t b = 0; b < bytes; b += 64) __builtin_prefetch(from + b, 0, 2);
  }
#endif
}

}  // namespace fatvec::detail
