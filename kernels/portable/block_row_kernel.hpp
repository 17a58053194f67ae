// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/detail/blocks.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/portable/whole_row_kernel.hpp>

/// BSR on every backend, row by row.
namespace fatvec::portable {

/// The rows of the blocks of block rows. Those of a block share their columns: no row of X behind
/// the last is read. `size` of the blocks, or 0: known at run time only.
template <class S, int size>
struct BlockRows {
  using Value = typename S::value_type;
  using Ordinal = typename S::ordinal_type;
  static constexpr bool of_blocks = true;
  typename S::Rows block_rows;
  detail::BlockAccess block;
  const Ordinal* block_columns;
  const Value* values;
  Ordinal x_rows;
  std::int64_t rows;
  double mean_length;
  double mean_parts;  ///< blocks of a row

  explicit BlockRows(const S& a)
      : block_rows(a.access),
        block(a.block),
        block_columns(a.entries),
        values(a.values),
        x_rows(a.cols()),
        rows(a.rows()),
        mean_length(static_cast<double>(a.slots * a.block.size) / static_cast<double>(a.count)),
        mean_parts(static_cast<double>(a.slots) / static_cast<double>(a.count)) {}

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t count() const { return rows; }
  [[nodiscard]] KOKKOS_FUNCTION static std::int64_t matrix_row(std::int64_t i) { return i; }
  /// The blocks of a row, of which it is one row each.
  struct Row {
    const Value* values;  ///< as if block 0 were its first
    std::int64_t first;   ///< of its blocks
    std::int64_t end;
  };
  KOKKOS_FORCEINLINE_FUNCTION Row operator()(std::int64_t i) const {
    const std::int64_t block_row = i / block_size();
    return {values + (i - block_row * block_size()) * block.row_step, block_rows.begin(block_row),
            block_rows.begin(block_row + 1)};
  }
  [[nodiscard]] KOKKOS_FUNCTION int block_size() const { return size > 0 ? size : block.size; }

  template <bool host, class Tiles>
  KOKKOS_FORCEINLINE_FUNCTION typename Tiles::Tile add_up(const Row& row, const Tiles& tiles,
                                                          int lane, int lanes) const {
    using Tile = typename Tiles::Tile;
    // Columns of a block that are loaded before they are multiplied: of wide tiles of X few, for
    // want of registers (docs/lab/0056).
    constexpr int batch = size > 0 && size <= 4 ? size : sizeof(Tile) > 16 ? 2 : 4;
    Tile sums[host ? 2 : 1];  // a CPU adds to two in turns: an addition need not wait
    const auto add_block = [&](std::int64_t n) {
      const Ordinal first = block_columns[n] * block_size();
      const Value* const of_block = row.values + n * block_size() * block_size();
      if constexpr (size > 0 && size <= 4)  // without a loop inside, that over blocks is unrolled
        add_columns<batch>(of_block, first, size, tiles, sums);
      else
        for (int b = 0; b < block_size(); b += batch)
          add_columns<batch>(of_block + b * block.column_step, first + b, block_size() - b, tiles,
                             sums);
    };
    std::int64_t n = row.first + lane;
    if (lanes > 1)  // two at a time
      for (; n + lanes < row.end; n += 2 * lanes) {
        add_block(n);
        add_block(n + lanes);
      }
    for (const std::int64_t end = lanes > 1 ? Kokkos::min(n + 1, row.end) : row.end; n < end; ++n)
      add_block(n);
    if constexpr (host) sums[0] += sums[1];
    return sums[0];
  }

  /// Up to `batch` columns of a block, of the `left` that it still has, times rows first, first +
  /// 1, ... of X.
  template <int batch, class Tiles, class Tile, int parts>
  KOKKOS_FORCEINLINE_FUNCTION void add_columns(const Value* of_block, Ordinal first, int left,
                                               const Tiles& tiles, Tile (&sums)[parts]) const {
    Value value[batch] = {};
    Tile of_x[batch];
    for (int b = 0; b < batch; ++b) {
      if (b >= left || b >= x_rows - first) continue;
      value[b] = of_block[b * block.column_step];
      of_x[b] = tiles[first + b];
    }
    for (int b = 0; b < batch; ++b)
      if (b < left && b < x_rows - first) sums[b % parts].add_product(value[b], of_x[b]);
  }
};

/// Multiplies A, of blocks of this size (0: any), by X, and gives the sums to `output`.
template <bool host, int size, class ExecSpace, class S, class X, class Output>
void multiply_block_rows(const char* label, const ExecSpace& exec, const Choice& asked, const S& a,
                         const X& x, const Output& output, std::int64_t k) {
  multiply_whole_rows<host>(label, exec, asked, BlockRows<S, size>(a), x, output, k);
}

}  // namespace fatvec::portable
