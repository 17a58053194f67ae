// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/kernels/host/accumulator.hpp>
#include <fatvec/kernels/host/column_tiles.hpp>
#include <fatvec/kernels/host/interleaved_rows.hpp>
#include <fatvec/kernels/host/output.hpp>
#include <fatvec/kernels/host/partition.hpp>
#include <fatvec/kernels/host/prefetch.hpp>
#include <fatvec/kernels/host/sparse_dot.hpp>
#include <fatvec/kernels/host/transposed_store.hpp>
#include <fatvec/kernels/shared/slots.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// The row-parallel product of host spaces, written once for every format that can walk the slots
/// of a row (formats/detail/row_access.hpp). Rows are stored rows; the matrix's row is wanted for Y
/// only.
namespace fatvec::detail {

/// A work-item is a block of consecutive rows, blocks being of about equal numbers of slots.
/// Columns beyond one tile sweep over chunks of rows so small that a chunk's part of A stays in the
/// first-level cache: A comes from memory once, whatever k. From 56 columns on a chunk is one row:
/// the rows of X are read whole then, in streams that are long enough for the processor to load
/// ahead (docs/performance.md).
template <Columns columns>
struct BlockSweep {
  std::int64_t rows;
  std::int64_t blocks;
  std::int64_t k;
  Lookahead lookahead;
  std::int64_t granularity = 1;  ///< blocks begin with multiples of so many rows
  bool turns_rows = false;  ///< Y is column-major: rows are turned over into it, from whole lines
                            ///< of its columns on

  template <class T>
  void turn_rows_into(const Epilogue<T>& epilogue) {
    turns_rows = TurnedRows<T>::suits(epilogue, k);
    if (turns_rows) granularity = TurnedRows<T>::line;
  }

  /// Rows first ... last - 1 of a block.
  template <int lanes, class Tile>
  KOKKOS_FUNCTION void visit(std::int64_t first, std::int64_t last, const Tile& tile) const {
    std::int64_t end = 0;
    for (; first < last; first = end) {
      end = fits_one_tile<columns, lanes>(k) || last - first < chunk() ? last : first + chunk();
      sweep_columns<columns, lanes>(
          k, [&](auto width, std::int64_t c) { tile(width, first, end, c); });
    }
  }

  /// Rows of a chunk.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t chunk() const {
    return columns == Columns::contiguous && k >= 56 ? 1 : 16;
  }

  /// First row of a block: where slots and rows before it reach the block's share (a row costs
  /// something even when empty).
  template <class Rows>
  KOKKOS_FUNCTION std::int64_t cut(std::int64_t block, const Rows& access) const {
    const double share =
        static_cast<double>(access.slots_before(rows) + rows) / static_cast<double>(blocks);
    const auto target = static_cast<std::int64_t>(share * static_cast<double>(block));
    if (block == blocks) return rows;
    std::int64_t low = 0;
    std::int64_t high = rows;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (access.slots_before(middle) + middle < target)
        low = middle + 1;
      else
        high = middle;
    }
    return Kokkos::min(rows, (low + granularity - 1) / granularity * granularity);
  }
};

template <class T, class Matrix, class V, Columns columns>
struct RowProduct {
  typename Matrix::Rows rows;
  const typename Matrix::ordinal_type* entries;
  const typename Matrix::value_type* values;
  std::int64_t cols;
  MultiVectorSpan<V, columns> x;
  HostEpilogue<T> epilogue;
  BlockSweep<columns> sweep;
  std::int64_t slots = 0;  ///< of all rows
  std::int64_t ahead = 0;  ///< rows of A between asking for a row of X and using it, in this block;
                           ///< 0: it is not asked for

  /// Whether rows can be formed apart from Y and turned over into its columns.
  static constexpr bool turns =
      columns == Columns::contiguous && in_matrix_order<typename Matrix::Rows>;
  /// Whether rows side by side go into vectors: where X is a dense column, or several.
  static constexpr int group =
      Matrix::Rows::contiguous
          ? 1
          : group_rows<typename Matrix::value_type, T, typename Matrix::ordinal_type>;
  /// Whether the loop over a row's entries asks for X by itself: with so few columns a call for
  /// each row costs too much.
  static constexpr bool asks_by_entries(std::int64_t width) {
    return columns == Columns::contiguous && Matrix::Rows::contiguous && width < 8 &&
           width * sizeof(V) < 64;
  }
  /// Whether it does so for one column in vectors.
  static constexpr bool asks_in_vectors =
      asks_by_entries(1) && has_asking_dot<T, typename Matrix::value_type,
                                           typename Matrix::ordinal_type, std::remove_const_t<V>>;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const std::int64_t start = sweep.cut(block, rows);
    const std::int64_t last = sweep.cut(block + 1, rows);
    RowProduct of_block = *this;
    of_block.slots = rows.slots_before(sweep.rows);
    if constexpr (columns == Columns::contiguous) {
      of_block.ahead =
          rows_ahead(sweep.lookahead, rows, entries, start, last, sweep.k * std::int64_t{sizeof(V)},
                     cols, asks_by_entries(sweep.k) ? at_hand : at_hand_by_rows);
      if constexpr (turns)
        if (sweep.turns_rows) return of_block.turn_rows(start, last);
    }
    of_block.multiply(start, last);
    epilogue.finish();
  }

  /// Into a column-major Y.
  [[gnu::noinline]] KOKKOS_FUNCTION void turn_rows(std::int64_t start, std::int64_t last) const {
    TurnedRows<T>::run(epilogue, sweep.rows, sweep.k, start, last, 1,
                       [&](std::int64_t first, std::int64_t end, std::int64_t c, std::int64_t k,
                           const HostEpilogue<T>& to) {
                         RowProduct some = *this;
                         some.x.data += c;
                         some.sweep.k = k;
                         some.epilogue = to;
                         some.multiply(first, end);
                       });
  }

  [[gnu::noinline]] KOKKOS_FUNCTION void multiply(std::int64_t start, std::int64_t last) const {
    const RowProduct local =
        *this;  // in registers: of *this the compiler must think that writing Y changes it
    const auto of_tile = [&](auto width, std::int64_t first, std::int64_t end, std::int64_t c) {
      using Tile = decltype(width);
      if constexpr (Tile::value == 1)
        if (x.row_stride == 1 && rows.in_one_piece() && (ahead == 0 || asks_in_vectors))
          return dense_column(first, end, c);
      if constexpr (Tile::least < 8)
        few_columns(width, first, end, c);
      else
        local.multiply_rows(width, first, end, c);
    };
    sweep.template visit<maskable_lanes<T, columns>>(start, last, of_tile);
  }

  /// Not inlined where rows cost little, for a loop over them that has all registers to itself.
  template <class Tile>
  [[gnu::noinline]] KOKKOS_FUNCTION void few_columns(Tile width, std::int64_t first,
                                                     std::int64_t end, std::int64_t c) const {
    const RowProduct local = *this;
    if constexpr (asks_by_entries(Tile::value))
      if (ahead > 0) return local.template multiply_rows<true>(width, first, end, c);
    local.multiply_rows(width, first, end, c);
  }

  template <bool asks = false, class Tile>
  FATVEC_FORCEINLINE_FUNCTION void multiply_rows(Tile width, std::int64_t first, std::int64_t end,
                                                 std::int64_t c) const {
    std::int64_t i = first;
    if constexpr (group > 1 &&
                  Tile::value <=
                      (columns == Columns::strided ? 2 : 1)) {  // gathers of more columns lose
      if (x.row_stride == 1 && !rows.in_one_piece()) {
        while (i < end) {
          const std::int64_t side_by_side = std::min(end - i, rows.interleaved(i));
          const std::int64_t grouped = i + side_by_side / group * group;
          for (; i < grouped; i += group) multiply_group<Tile::value>(i, c);
          for (const std::int64_t last = i + side_by_side % group; i < last; ++i)
            multiply_row(width, i, rows.walk(i), c);
        }
      }
    }
    for_each_row(rows, i, end, [&](std::int64_t row, const auto& slots) FATVEC_INLINE_LAMBDA {
      multiply_row<asks>(width, row, slots, c);
    });
  }

  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void multiply_group(std::int64_t i, std::int64_t c) const {
    std::int32_t lengths[group];
    unroll<group>([&](int r) { lengths[r] = static_cast<std::int32_t>(rows.length(i + r)); });
    T sums[width][group];
    RowGroup<T, typename Matrix::ordinal_type>::template multiply<width>(
        lengths, rows.walk(i), entries, values, &x(0, c), x.step(), sums);
    unroll<group>([&](int r) {
      T of_row[width];
      unroll<width>([&](int w) { of_row[w] = sums[w][r]; });
      epilogue.store(rows.row(i + r), c, of_row);
    });
  }

  /// Rows whose entries lie side by side, with a dense column of X.
  KOKKOS_FUNCTION void dense_column(std::int64_t first, std::int64_t end, std::int64_t c) const {
    if constexpr (asks_in_vectors)
      if (ahead > 0) return multiply_dense<true>(first, end, c);
    multiply_dense<false>(first, end, c);
  }
  template <bool asks>
  [[gnu::noinline]] KOKKOS_FUNCTION void multiply_dense(std::int64_t first, std::int64_t end,
                                                        std::int64_t c) const {
    const RowProduct local = *this;
    const auto* const from = &local.x(0, c);
    for_each_row(
        local.rows, first, end, [&](std::int64_t i, const auto& slots) FATVEC_INLINE_LAMBDA {
          const std::int64_t begin = slots[0];
          const std::int64_t length = local.rows.length(i);
          T sum[1];
          if constexpr (asks) {
            const auto* const later = local.entries + local.later_slots(begin, length, sizeof(V));
            sum[0] =
                sparse_dot_asking(length, local.entries + begin, local.values + begin, from, later);
          } else {
            sum[0] = sparse_dot<T>(length, local.entries + begin, local.values + begin, from);
          }
          local.epilogue.store(local.rows.row(i), c, sum);
        });
  }

  /// Where as many slots begin as a row has from `begin` on, whose rows of X are to be asked for
  /// with it: at the end of A once more the last ones.
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t later_slots(std::int64_t begin, std::int64_t length,
                                                         std::int64_t bytes) const {
    return Kokkos::min(begin + entries_ahead(bytes), slots - length);
  }

  /// Asks for the rows of X of slots that come later: where rows lie one behind the other so many
  /// entries, however long rows are; else those of row i + ahead.
  template <class Walk>
  FATVEC_FORCEINLINE_FUNCTION void ask_ahead(std::int64_t i, Walk slot, std::int64_t c,
                                             std::int64_t bytes) const {
    if (rows.in_one_piece()) {
      const std::int64_t later = slot[0] + entries_ahead(bytes);
      ask_for(FixedWalk<1>{later}, Kokkos::min(rows.length(i), slots - later), entries, &x(0, c),
              x.row_stride, bytes);
    } else if (i + ahead < sweep.rows) {
      ask_for(rows.walk(i + ahead), rows.length(i + ahead), entries, &x(0, c), x.row_stride, bytes);
    }
  }

  /// Asks: for the rows of X of as many entries, so many behind this row's.
  template <bool asks = false, class Tile, class Walk>
  FATVEC_FORCEINLINE_FUNCTION void multiply_row(Tile width, std::int64_t i, Walk slot,
                                                std::int64_t c) const {
    // One sum is a chain of additions, each waiting for the last: even and odd entries apart while
    // a tile leaves registers.
    constexpr bool two_chains = Tile::least <= 8;
    auto sum = sums_of<T, columns>(width);
    const std::int64_t length = rows.length(i);
    if (rows.in_one_piece() && c == 0)
      for (std::int64_t n = 0; n < length; n += 8)
        load_ahead(values + slot[0] + n, entries + slot[0] + n);
    constexpr std::int64_t bytes = Tile::value * std::int64_t{sizeof(V)};
    [[maybe_unused]] const typename Matrix::ordinal_type* later = nullptr;
    if constexpr (asks)
      later = entries + later_slots(slot[0], length, bytes);
    else if (columns == Columns::contiguous && ahead > 0)
      ask_ahead(i, slot, c, width * std::int64_t{sizeof(V)});
    std::int64_t j = 0;
    if constexpr (two_chains) {
      auto odd = sum;
      for (; j + 1 < length; j += 2, slot.advance(2)) {
        if constexpr (asks) {
          ask_for_row<bytes>(&x(later[j], c));
          ask_for_row<bytes>(&x(later[j + 1], c));
        }
        sum.add_scaled(values[slot[0]], &x(entries[slot[0]], c), x.step());
        odd.add_scaled(values[slot[1]], &x(entries[slot[1]], c), x.step());
      }
      sum.add(odd);
    }
    for (; j < length; ++j, slot.advance(1)) {
      if constexpr (asks) ask_for_row<bytes>(&x(later[j], c));
      sum.add_scaled(values[slot[0]], &x(entries[slot[0]], c), x.step());
    }
    epilogue.store(rows.row(i), c, sum);
  }
};

/// Launches the row-parallel product of a format on a host space; no allocation, no fence.
template <class ExecSpace, class Matrix, class T, class V, Columns columns>
void run_row_product(const char* label, const ExecSpace& exec, const host::Policy& policy,
                     const Matrix& matrix, const MultiVectorSpan<V, columns>& x,
                     const Epilogue<T>& epilogue, std::int64_t k) {
  using Product = RowProduct<T, Matrix, V, columns>;
  BlockSweep<columns> sweep{matrix.rows(), blocks_for(exec, policy, matrix.stored_entries(), k), k,
                            lookahead()};
  if (Product::turns) sweep.turn_rows_into(epilogue);
  run_blocks(label, exec, sweep.blocks,
             Product{.rows = matrix.access,
                     .entries = matrix.entries,
                     .values = matrix.values,
                     .cols = matrix.cols(),
                     .x = x,
                     .epilogue = HostEpilogue<T>::of(epilogue, matrix.rows(), k),
                     .sweep = sweep});
}

}  // namespace fatvec::detail
