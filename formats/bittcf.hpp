// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/formats/detail/drain_visited.hpp>
#include <fatvec/formats/detail/padded.hpp>
#include <fatvec/formats/detail/tiles.hpp>

namespace fatvec {

/// BitTCF, the tensor cores' format with bit masks (H. Zhao et al., "Acc-SpMM", PPoPP 2025; there
/// tiles of 8 × 8): rows in windows of 8, of which the columns that hold an entry, ascending, make
/// tiles of 4. Tile t of window w, window_offsets(w) <= t < window_offsets(w + 1), has columns
/// entries(4 t) ... entries(4 t + 3), and bit 4 r + c of masks(t) says whether row r of the window
/// has an entry in its column c. Values are stored for set bits only, in the bits' order, tile
/// after tile, from value_offsets(w) on. Place r of window w is row permutation(8 w + r), or none:
/// -1.
///
/// Windows are consecutive rows, or boxes of rows where the columns of some rows tell of a grid
/// (formats/detail/row_grid.hpp) and boxes make fewer tiles: 2 × 2 × 2 points of a 27-point stencil
/// have 64 columns where 8 in a line have 90. What is gained is that a row of X serves 8 rows, not
/// one, at 8 + 20 / (entries of a tile) bytes an entry. The last tile of a window repeats its last
/// column. Tensor cores multiply every element of a tile, zeros too: an Inf or NaN in X reaches all
/// rows of a window that has the column.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
class BitTcfMatrix : public FormatTraits<Scalar, Ordinal, Device, Offset> {
  using Traits = FormatTraits<Scalar, Ordinal, Device, Offset>;

 public:
  static constexpr const char* name = "bittcf";
  using typename Traits::memory_space;
  using typename Traits::Offsets;
  using typename Traits::Ordinals;
  using typename Traits::Scalars;
  using Masks = Kokkos::View<std::uint32_t*, typename Traits::device_type>;
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;
  using Access = detail::TileAccess<Ordinal, Offset, Scalar>;

  Offsets window_offsets;  ///< windows + 1 offsets, in tiles
  Offsets value_offsets;   ///< windows + 1 offsets into values
  Ordinals permutation;    ///< 8 for each window: the matrix's rows
  Masks masks;             ///< of each tile
  Ordinals entries;        ///< 4 columns for each tile
  Scalars values;          ///< of the matrix's entries

  [[nodiscard]] Ordinal rows() const { return rows_; }
  [[nodiscard]] Ordinal cols() const { return cols_; }
  [[nodiscard]] std::int64_t windows() const {
    return static_cast<std::int64_t>(permutation.extent(0)) / detail::window_rows;
  }
  [[nodiscard]] std::int64_t tiles() const { return static_cast<std::int64_t>(masks.extent(0)); }
  [[nodiscard]] std::int64_t nnz() const { return static_cast<std::int64_t>(values.extent(0)); }
  [[nodiscard]] std::int64_t stored_entries() const { return nnz(); }
  [[nodiscard]] auto arrays() const {
    return std::array{detail::span_of_array("window_offsets", window_offsets),
                      detail::span_of_array("value_offsets", value_offsets),
                      detail::span_of_array("permutation", permutation),
                      detail::span_of_array("masks", masks),
                      detail::span_of_array("entries", entries),
                      detail::span_of_array("values", values)};
  }
  [[nodiscard]] std::uint64_t bytes() const { return detail::bytes_of_arrays(*this); }
  [[nodiscard]] Access row_visitor() const {
    return {window_offsets.data(), value_offsets.data(), permutation.data(),
            entries.data(),        masks.data(),         values.data()};
  }
  /// Places of rows in windows.
  [[nodiscard]] std::int64_t visited_rows() const { return windows() * detail::window_rows; }

  /// An estimate beyond a million entries: of a sample of windows.
  template <class ExecSpace>
  static Footprint footprint(const ExecSpace& exec, const Csr& csr, const FormatOptions& = {}) {
    const Csr sorted = detail::sorted_by_column(exec, csr);
    const detail::RowGrid grid = chosen_windows(exec, sorted);
    const std::int64_t most = sorted.nnz() > 1'000'000 ? 4096 : grid.boxes();
    return footprint_with(csr, grid.boxes(), detail::sampled_tiles(exec, sorted, {grid}, most)[0]);
  }

  /// Rows need not be sorted; the result's are. Throws CapacityError, before entries and values are
  /// allocated, where the arrays exceed options.memory_limit (default: the free memory) or Offset
  /// cannot count the tiles.
  template <class ExecSpace>
  static BitTcfMatrix from_csr(const ExecSpace& exec, const Csr& csr,
                               const FormatOptions& options = {}) {
    const Kokkos::Profiling::ScopedRegion region("fatvec::BitTcfMatrix::from_csr");
    const Csr sorted = detail::sorted_by_column(exec, csr);
    const detail::WindowTiles<Csr> tiles{sorted.row_map, sorted.entries,
                                         chosen_windows(exec, sorted)};
    const std::int64_t windows = tiles.grid.boxes();
    const detail::Range<ExecSpace> each_window(exec, 0, windows);
    BitTcfMatrix tcf;
    tcf.rows_ = csr.rows();
    tcf.cols_ = csr.cols();
    tcf.window_offsets =
        detail::allocate<Offsets>(exec, "fatvec::bittcf::window_offsets", windows + 1);
    tcf.value_offsets =
        detail::allocate<Offsets>(exec, "fatvec::bittcf::value_offsets", windows + 1);
    Kokkos::parallel_for(
        "fatvec::BitTcfMatrix::count", each_window,
        detail::StoreTileCounts<Csr>{tiles, tcf.window_offsets, tcf.value_offsets});
    const std::int64_t count =
        detail::offsets_from_lengths(exec, tcf.window_offsets, windows, tcf.window_offsets);
    detail::offsets_from_lengths(exec, tcf.value_offsets, windows, tcf.value_offsets);
    detail::require_fits<memory_space>(
        "BitTCF", footprint_with(csr, windows, static_cast<double>(count)), options.memory_limit,
        detail::concat(count, " tiles; CSR needs ", human_bytes(static_cast<double>(csr.bytes()))));
    detail::checked_count<Offset>(static_cast<double>(count), "BitTCF tiles");
    const auto extent = static_cast<std::size_t>(count);
    tcf.permutation = detail::allocate<Ordinals>(exec, "fatvec::bittcf::permutation",
                                                 windows * detail::window_rows);
    tcf.masks = detail::allocate<Masks>(exec, "fatvec::bittcf::masks", extent);
    tcf.entries =
        detail::allocate<Ordinals>(exec, "fatvec::bittcf::entries", extent * detail::tile_columns);
    tcf.values = detail::allocate<Scalars>(exec, "fatvec::bittcf::values",
                                           static_cast<std::size_t>(csr.nnz()));
    Kokkos::parallel_for("fatvec::BitTcfMatrix::fill", each_window,
                         detail::FillTiles<Csr, BitTcfMatrix>{tiles, tcf});
    Kokkos::parallel_for(
        "fatvec::BitTcfMatrix::values", detail::Range<ExecSpace>(exec, 0, tcf.visited_rows()),
        detail::FillTileValues<Csr, Access>{sorted, tcf.row_visitor(), tcf.values});
    exec.fence("fatvec::BitTcfMatrix::from_csr");  // a sorted copy goes at the end of this function
    return tcf;
  }

  /// Rows sorted by column.
  template <class ExecSpace>
  Csr to_csr(const ExecSpace& exec) const {
    return detail::drain_visited<Csr>(exec, *this);
  }

 private:
  /// The shape of windows with the fewest tiles, of those that the grid allows.
  template <class ExecSpace>
  static detail::RowGrid chosen_windows(const ExecSpace& exec, const Csr& sorted) {
    detail::RowGrid grid = detail::find_grid(exec, sorted);
    std::vector<detail::RowGrid> shapes{detail::RowGrid::in_order(sorted.rows())};
    if (grid.line >= sorted.rows()) return shapes[0];
    constexpr int boxes[][3] = {{4, 2, 1}, {2, 4, 1}, {2, 2, 2}};
    for (const auto& [x, y, z] : boxes) {
      if (z > 1 && grid.plane >= sorted.rows()) continue;
      grid.x = x;
      grid.y = y;
      grid.z = z;
      shapes.push_back(grid);
    }
    auto tiles = detail::sampled_tiles(exec, sorted, shapes, 1024);
    tiles[0] *= 0.97;  // consecutive rows unless others gain something
    return shapes[std::min_element(tiles.begin(), tiles.end()) - tiles.begin()];
  }

  static Footprint footprint_with(const Csr& csr, std::int64_t windows, double tiles) {
    const auto nnz = static_cast<double>(csr.nnz());
    const auto count = static_cast<double>(windows);
    return {nnz, 2 * (count + 1) * sizeof(Offset) + count * detail::window_rows * sizeof(Ordinal) +
                     tiles * (sizeof(std::uint32_t) + detail::tile_columns * sizeof(Ordinal)) +
                     nnz * sizeof(Scalar)};
  }

  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
};

static_assert(SparseFormat<BitTcfMatrix<double>>);

}  // namespace fatvec
