// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/core/execution.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/tiles.hpp>
#include <fatvec/kernels/device/column_tile.hpp>
#include <fatvec/kernels/device/tensor_tile.hpp>
#include <fatvec/kernels/shared/output.hpp>

namespace fatvec::device {

/// How windows of BitTCF are multiplied; zero leaves the choice to the kernel.
struct WindowPolicy {
  int column_tiles = 0;  ///< tensor cores: tiles of 8 columns of X that a warp holds, 1 to 9

  static std::vector<WindowPolicy> tuning_range() { return {{4}, {6}}; }
  [[nodiscard]] std::string to_string() const {
    return detail::concat("column_tiles:", column_tiles);
  }
  bool operator==(const WindowPolicy&) const = default;
};

}  // namespace fatvec::device

/// Products of windows of rows whose columns make tiles with bit masks (formats/bittcf.hpp).
namespace fatvec::detail {

/// A warp multiplies a window by tensor cores: all of the columns in registers, or those of a
/// sweep. What it loads of X serves 8 rows, so that neither the pipe of loads nor the second-level
/// cache has to deliver a row of X for every entry. Work-items are threads: those of a warp are
/// neighbours, and all of it works or none.
template <class Access, Columns layout, class Tiles, class Output>
struct WindowKernel {
  static constexpr int warp = 32;
  static constexpr int block_size = 128;
  /// Tiles of A whose loads come before the first multiplication, and blocks on a multiprocessor,
  /// the compiler's budget of registers: measured on an H200 (docs/performance.md).
  static constexpr int group = Tiles::tiles <= 3 || (Tiles::pairs && Tiles::tiles % 4 == 0) ? 4 : 2;
  static constexpr int blocks =
      Tiles::tiles <= 2 || Tiles::tiles == 4 ? 8 : (Tiles::tiles >= 5 && Tiles::tiles <= 7 ? 6 : 5);

  Access a;
  unsigned windows;
  MultiVectorSpan<const double, layout> x;
  Output output;
  int k;
  int sweeps;

  KOKKOS_FUNCTION void operator()(int item) const {
    const unsigned n = static_cast<unsigned>(item) / warp;
    const unsigned sweep = sweeps == 1 ? 0 : n / windows;
    multiply(n - sweep * windows, static_cast<int>(sweep) * Tiles::width,
             static_cast<int>(static_cast<unsigned>(item) % warp));
  }

 private:
  KOKKOS_INLINE_FUNCTION void multiply(unsigned window, int first_column, int lane) const {
    const int i = lane / 4;
    const int j = lane % 4;
    const int mine = first_column + i * Tiles::together;
    const RowsOfX<double> rows(x, mine);
    const std::uint32_t bit = std::uint32_t{1} << lane;
    const std::int64_t offset = a.window_offsets[window];
    const auto count = static_cast<int>(a.window_offsets[window + 1] - offset);
    const std::int64_t first = opaque(offset);
    const std::uint32_t* const masks = a.masks + first;
    const auto* const columns = a.columns + first * tile_columns + j;
    const auto* values = opaque(a.values + a.value_offsets[window]);
    double sums[Tiles::tiles][2] = {};
    for (int tile = 0; tile < count; tile += group) {
      std::uint32_t mask[group];
      typename Access::ordinal_type column[group];
      double element[group];
      unroll<group>([&](int u) {
        const int t = tile + u < count ? tile + u : count - 1;
        mask[u] = load_once(masks + t);
        column[u] = load_once(columns + t * tile_columns);
        if (tile + u >= count)
          mask[u] = 0;  // no element: there is no branch around loads and multiplications
      });
      unroll<group>([&](int u) {
        element[u] = mask[u] & bit
                         ? static_cast<double>(load_once(values + set_bits(mask[u] & (bit - 1))))
                         : 0.0;
        values += set_bits(mask[u]);
      });
      unroll<group>([&](int u) {
        double b[Tiles::tiles];
        Tiles::load(rows[column[u]], x.step(), k - mine, b);
        unroll<Tiles::tiles>([&](int t) { multiply_tiles(sums[t], element[u], b[t]); });
      });
    }
    const std::int64_t row = a.permutation[static_cast<std::int64_t>(window) * window_rows + i];
    if (row < 0) return;
    Tiles::for_each_sum(j, sums, [&](int c, double one, double next) {
      const double both[2] = {one, next};
      const double of_one[1] = {one};
      const double of_next[1] = {next};
      if constexpr (Tiles::pairs) {  // of an even number of columns
        if (c < k - first_column) output.store(row, first_column + c, both);
      } else {
        if (c < k - first_column) output.store(row, first_column + c, of_one);
        if (c + 1 < k - first_column) output.store(row, first_column + c + 1, of_next);
      }
    });
  }
};

/// Launches the tensor cores' product; no allocation, no fence. Columns of X that are apart, an odd
/// number of them, or only a few, are loaded element by element; up to 72 columns (80 where two are
/// loaded at once, 64 where they are apart) are a single sweep over A.
template <class ExecSpace, class Matrix, Columns layout, class Output>
void launch_tensor_windows(const char* label, const ExecSpace& exec, int most_tiles,
                           const Matrix& matrix, const MultiVectorSpan<const double, layout>& x,
                           const Output& output, std::int64_t k) {
  using Access = typename Matrix::Access;
  const std::int64_t windows = matrix.windows();
  require_near_rows(label, x);
  const std::int64_t all = (k + 7) / 8;
  const auto tiles_of_sweep = [&](std::int64_t most) {
    if (most_tiles > 0) most = most_tiles;
    const std::int64_t sweeps = (all + most - 1) / most;
    return (all + sweeps - 1) / sweeps;
  };
  const auto launch = [&]<int n, bool pairs>(TensorColumns<n, pairs>) {
    using Kernel = WindowKernel<Access, layout, TensorColumns<n, pairs>, Output>;
    using Threads = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>,
                                        Kokkos::LaunchBounds<Kernel::block_size, Kernel::blocks>>;
    const std::int64_t sweeps = (all + n - 1) / n;
    const std::int64_t threads = windows * sweeps * Kernel::warp;
    if (threads > std::numeric_limits<int>::max() - Kernel::block_size)
      throw CapacityError(
          concat(label, ": ", windows, " windows are more than one launch can have."));
    Kokkos::parallel_for(label, Threads(exec, 0, static_cast<int>(threads)),
                         Kernel{matrix.row_visitor(), static_cast<unsigned>(windows), x, output,
                                static_cast<int>(k), static_cast<int>(sweeps)});
  };
  if constexpr (layout == Columns::strided) {
    with_width(Widths<1, 2, 4, 8>{}, tiles_of_sweep(8),
               [&]<int n>(Width<n>) { launch(TensorColumns<n, false>{}); });
  } else if (all >= 4 && k % 2 == 0 && takes_adjacent<double>(x)) {
    with_width(Widths<4, 6, 8, 10>{}, tiles_of_sweep(10),
               [&](auto n) { launch(TensorColumns<decltype(n)::value, true>{}); });
  } else {
    with_width(Widths<1, 2, 3, 4, 5, 6, 7, 8, 9>{}, tiles_of_sweep(9),
               [&](auto n) { launch(TensorColumns<decltype(n)::value, false>{}); });
  }
}

}  // namespace fatvec::detail
