// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// Column tiles of host kernels: the columns whose sums are in registers, their number known to the
/// compiler.
namespace fatvec::detail {

/// A tile of 1 ... `vectors` vectors; the last one is masked to `columns` at run time.
template <int vectors, int lanes>
struct MaskedTile {
  static constexpr int value = vectors * lanes;            ///< at most,
  static constexpr int least = (vectors - 1) * lanes + 1;  ///< and at least
  int columns;
  KOKKOS_FUNCTION constexpr operator int() const { return columns; }  // NOLINT: as above
};

/// Widest tile of a CPU work-item: 32 doubles fill 8 of AVX2's 16 registers. Without unit stride
/// each column is a stream of its own, and 8 streams are what the first-level TLB serves.
template <Columns columns>
inline constexpr int widest_tile = columns == Columns::contiguous ? 32 : 8;

/// Whether sweep_columns covers k columns with a single tile.
template <Columns columns, int lanes>
KOKKOS_INLINE_FUNCTION bool fits_one_tile(std::int64_t k) {
  return k <= 8 || ((lanes > 0 || k == 16 || k == 32) && k <= widest_tile<columns>);
}

/// visit(Width<left>{}, c) where `left` is one of the widths; returns whether it is.
template <int... widths, class Visit>
KOKKOS_INLINE_FUNCTION bool visit_exactly(std::int64_t left, std::int64_t c, const Visit& visit) {
  return ((left == widths && (visit(Width<widths>{}, c), true)) || ...);
}

/// visit(MaskedTile<...>{left}, c) for 1 ... most · lanes columns that are left.
template <int most, int lanes, class Visit>
KOKKOS_INLINE_FUNCTION void visit_masked(std::int64_t left, std::int64_t c, const Visit& visit) {
  if constexpr (most > 1)
    if (left <= (most - 1) * lanes) return visit_masked<most - 1, lanes>(left, c, visit);
  visit(MaskedTile<most, lanes>{static_cast<int>(left)}, c);
}

/// Covers columns 0 ... k - 1 with tiles: visit(Width<w>, first column), widest first, the
/// remainder exactly. Where vectors of `lanes` can be masked, the remainder is a single tile,
/// masked unless a Width is its own.
template <Columns columns, int lanes, class Visit>
KOKKOS_INLINE_FUNCTION void sweep_columns(std::int64_t k, const Visit& visit) {
  constexpr int widest = widest_tile<columns>;
  std::int64_t c = 0;
  for (; c + widest <= k; c += widest) visit(Width<widest>{}, c);
  if (c == k) return;
  if constexpr (lanes > 0) {
    if (!visit_exactly<16, 8, 4, 3, 2, 1>(k - c, c, visit))
      visit_masked<widest / lanes, lanes>(k - c, c, visit);
  } else {
    const auto visit_bit = [&](auto width) {
      if (((k - c) & width) == 0) return;
      visit(width, c);
      c += width;
    };
    if constexpr (widest > 16) visit_bit(Width<16>{});
    if constexpr (widest > 8) visit_bit(Width<8>{});
    visit_exactly<7, 6, 5, 4, 3, 2, 1>(k - c, c, visit);
  }
}

/// Covers columns c ... k - 1 with tiles of falling powers of two: fewer widths to compile.
template <int widest, class Visit>
KOKKOS_INLINE_FUNCTION void sweep_halves(std::int64_t k, const Visit& visit, std::int64_t c = 0) {
  for (; c + widest <= k; c += widest) visit(Width<widest>{}, c);
  if constexpr (widest > 1) sweep_halves<widest / 2>(k, visit, c);
}

}  // namespace fatvec::detail
