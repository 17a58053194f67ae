// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/row_grid.hpp>
#include <fatvec/formats/detail/rows.hpp>

/// Windows of 8 rows and their tiles of 4 columns (formats/bittcf.hpp): how they are made of a CSR
/// matrix, and how read.
namespace fatvec::detail {

inline constexpr int window_rows = RowGrid::places;
inline constexpr int tile_columns = 4;

KOKKOS_INLINE_FUNCTION int set_bits(std::uint32_t bits) {
  return Kokkos::Experimental::popcount_builtin(bits);
}
/// The arrays of the format, for kernels.
template <class Ordinal, class Offset, class Value>
struct TileAccess {
  using ordinal_type = Ordinal;
  const Offset* window_offsets;
  const Offset* value_offsets;
  const Ordinal* permutation;
  const Ordinal* columns;
  const std::uint32_t* masks;
  const Value* values;

  /// Of A, the row in place i; -1: none.
  KOKKOS_FUNCTION std::int64_t row(std::int64_t i) const { return permutation[i]; }

  /// Its entries.
  KOKKOS_FUNCTION std::int64_t length(std::int64_t i) const {
    std::int64_t length = 0;
    for_each_entry(i, [&](const auto&, auto) { ++length; });
    return length;
  }

  /// visit(place of the value, place of the column) for each entry of the row in place i, which
  /// windows have 8 of, by ascending columns.
  template <class Visit>
  KOKKOS_INLINE_FUNCTION void for_each_place(std::int64_t i, const Visit& visit) const {
    const std::int64_t window = i / window_rows;
    const auto place = static_cast<int>(i % window_rows);
    std::int64_t of_tile = value_offsets[window];
    const std::int64_t end = window_offsets[window + 1];
    for (std::int64_t tile = window_offsets[window]; tile < end; ++tile) {
      const std::uint32_t mask = masks[tile];
      const std::uint32_t mine = mask >> (tile_columns * place) & ((1U << tile_columns) - 1);
      if (mine != 0) {
        std::int64_t at = of_tile + set_bits(mask & ((1U << (tile_columns * place)) - 1));
        for (int c = 0; c < tile_columns; ++c)
          if (mine >> c & 1) visit(at++, tile * tile_columns + c);
      }
      of_tile += set_bits(mask);
    }
  }
  /// visit(value, column) for each of them.
  template <int = 1, class Visit>
  KOKKOS_INLINE_FUNCTION void for_each_entry(std::int64_t i, const Visit& visit) const {
    for_each_place(
        i, [&](std::int64_t value, std::int64_t column) { visit(values[value], columns[column]); });
  }
};

/// Cuts the entries of a window's rows, which are sorted by column, into tiles.
template <class Csr>
struct WindowTiles {
  typename Csr::ConstOffsets row_map;
  typename Csr::Ordinals entries;
  RowGrid grid;

  struct Tile {
    std::uint32_t mask = 0;
    typename Csr::ordinal_type
        column[tile_columns];  ///< ascending; where there are fewer, the last one again
  };

  template <class Visit>
  KOKKOS_FUNCTION void for_each(std::int64_t window, const Visit& visit) const {
    using Ordinal = typename Csr::ordinal_type;
    constexpr Ordinal none = Kokkos::Experimental::finite_max_v<Ordinal>;  // no column is as large
    Tile tile;
    std::int64_t next[window_rows];  // loops are unrolled, so that all of this is in registers
    std::int64_t end[window_rows];
    Ordinal column[window_rows];  // of each row's next entry
    each_row([&](int r) {
      const std::int64_t row = grid.row(window, r);
      next[r] = row < 0 ? 0 : static_cast<std::int64_t>(row_map(row));
      end[r] = row < 0 ? 0 : static_cast<std::int64_t>(row_map(row + 1));
      column[r] = next[r] < end[r] ? entries(next[r]) : none;
    });
    for (;;) {
      tile.mask = 0;
      int found = 0;
      for (; found < tile_columns; ++found) {
        Ordinal leftmost = none;
        each_row([&](int r) { leftmost = Kokkos::min(leftmost, column[r]); });
        if (leftmost == none) break;
        tile.column[found] = leftmost;
        each_row([&](int r) {  // of a repeated column the rest comes in another column of the tile
          if (column[r] != leftmost) return;
          tile.mask |= 1U << (tile_columns * r + found);
          ++next[r];
          column[r] = next[r] < end[r] ? entries(next[r]) : none;
        });
      }
      if (found == 0) return;
      for (int c = found; c < tile_columns; ++c) tile.column[c] = tile.column[found - 1];
      visit(tile);
      if (found < tile_columns) return;
    }
  }

  /// Tiles of a window.
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t window) const {
    std::int64_t count = 0;
    for_each(window, [&](const Tile&) { ++count; });
    return count;
  }

 private:
  template <class Visit>
  KOKKOS_FUNCTION static void each_row(const Visit& visit) {
    FATVEC_UNROLL
    for (int r = 0; r < window_rows; ++r) visit(r);
  }
};

/// Of some shapes of windows: sums the tiles of `samples` windows of each, every one anywhere in
/// its share of them.
template <class Csr>
struct SampleTiles {
  static constexpr int most_shapes = 4;
  using value_type = double[];  ///< of each shape; Kokkos' names
  using size_type = unsigned;
  typename Csr::ConstOffsets row_map;
  typename Csr::Ordinals entries;
  Kokkos::Array<RowGrid, most_shapes> shapes;
  unsigned value_count;  ///< shapes
  std::int64_t samples;

  KOKKOS_FUNCTION void operator()(std::int64_t n, value_type sums) const {
    const std::int64_t shape = n / samples;
    const WindowTiles<Csr> tiles{row_map, entries, shapes[shape]};
    const std::int64_t boxes = tiles.grid.boxes();
    const std::int64_t sample = n % samples;
    const std::int64_t share = Kokkos::max(boxes / samples, std::int64_t{1});
    const std::int64_t window = sample * boxes / samples + hashed(sample) % share;
    if (boxes > 0) sums[shape] += static_cast<double>(tiles(window));
  }
};

/// The tiles of all windows of each shape, told from at most `most` windows of it: as many of every
/// shape as the one with the fewest has.
template <class ExecSpace, class Csr>
std::vector<double> sampled_tiles(const ExecSpace& exec, const Csr& sorted,
                                  const std::vector<RowGrid>& shapes, std::int64_t most) {
  const auto count = static_cast<unsigned>(shapes.size());
  std::vector<double> tiles(count);
  std::int64_t samples = most;
  for (const RowGrid& grid : shapes) samples = std::min(samples, grid.boxes());
  SampleTiles<Csr> sample{sorted.row_map, sorted.entries, {}, count, samples};
  std::copy(shapes.begin(), shapes.end(), sample.shapes.data());
  Kokkos::parallel_reduce(
      "fatvec::BitTcfMatrix::sample", Range<ExecSpace>(exec, 0, samples * count), sample,
      Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(tiles.data(), count));
  exec.fence("fatvec::BitTcfMatrix::sample");
  for (unsigned n = 0; n < count && samples > 0; ++n)
    tiles[n] *= static_cast<double>(shapes[n].boxes()) / static_cast<double>(samples);
  return tiles;
}

template <class Csr>
struct StoreTileCounts {
  WindowTiles<Csr> tiles;
  typename Csr::Offsets tile_counts;
  typename Csr::Offsets value_counts;

  KOKKOS_FUNCTION void operator()(std::int64_t window) const {
    std::int64_t values = 0;
    for (int r = 0; r < window_rows; ++r) {
      const std::int64_t row = tiles.grid.row(window, r);
      if (row >= 0) values += tiles.row_map(row + 1) - tiles.row_map(row);
    }
    tile_counts(window) = static_cast<typename Csr::offset_type>(tiles(window));
    value_counts(window) = static_cast<typename Csr::offset_type>(values);
  }
};

/// Columns and masks, a window a work-item.
template <class Csr, class Tiled>
struct FillTiles {
  WindowTiles<Csr> tiles;
  Tiled to;

  KOKKOS_FUNCTION void operator()(std::int64_t window) const {
    using Ordinal = typename Csr::ordinal_type;
    for (int r = 0; r < window_rows; ++r)
      to.permutation(window * window_rows + r) = static_cast<Ordinal>(tiles.grid.row(window, r));
    std::int64_t at = to.window_offsets(window);
    tiles.for_each(window, [&](const auto& tile) {
      for (int c = 0; c < tile_columns; ++c) to.entries(at * tile_columns + c) = tile.column[c];
      to.masks(at++) = tile.mask;
    });
  }
};

/// Values, by the masks: a row a work-item, so that neighbours write what lies side by side.
template <class Csr, class Access>
struct FillTileValues {
  Csr csr;
  Access tiles;
  typename Csr::Scalars values;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const std::int64_t row = tiles.row(place);
    if (row < 0) return;
    std::int64_t from = csr.row_map(row);
    tiles.for_each_place(place,
                         [&](std::int64_t at, std::int64_t) { values(at) = csr.values(from++); });
  }
};

}  // namespace fatvec::detail
