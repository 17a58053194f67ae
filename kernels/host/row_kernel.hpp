// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/row_access.hpp>
#include <fatvec/kernels/host/accumulator.hpp>
#include <fatvec/kernels/host/interleaved_rows.hpp>
#include <fatvec/kernels/host/output.hpp>
#include <fatvec/kernels/host/partition.hpp>
#include <fatvec/kernels/host/prefetch.hpp>
#include <fatvec/kernels/host/sparse_dot.hpp>
#include <fatvec/kernels/host/transposed_store.hpp>
#include <fatvec/kernels/shared/slots.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// The row-parallel product of host spaces, for every format whose rows are walked slot by slot
/// (formats/detail/row_access.hpp). Rows are stored rows; the matrix's row is needed for Y only.
namespace fatvec::detail {

/// The partition of rows and the way through a part. Columns beyond one tile sweep over chunks of
/// rows so small that a chunk's part of A stays in the first-level cache: A comes from memory once,
/// whatever k. With many columns a chunk is one row: rows of X are read whole then, in streams that
/// are long enough for the processor to prefetch (docs/performance.md).
template <Columns columns>
struct RowSweep {
  RowPartition partition;
  std::int64_t k;
  host::PrefetchTuning prefetch = host::prefetch_tuning(maker_of_processor());
  bool transposes_y = false;  ///< Y is column-major, and rows are transposed into it

  template <class T>
  void store_transposed(const Epilogue<T>& epilogue) {
    transposes_y = TransposedStore<T>::applies_to(epilogue, k);
    if (transposes_y) partition.granularity = TransposedStore<T>::line;
  }

  /// tile(width, first row, last row, first column) for rows first ... last - 1 of a part
  template <int lanes, class Tile>
  KOKKOS_FUNCTION void visit(std::int64_t first, std::int64_t last, const Tile& tile) const {
    const std::int64_t chunk = columns == Columns::contiguous && k >= 56 ? 1 : 16;
    std::int64_t end = 0;
    for (; first < last; first = end) {
      end = fits_one_tile<columns, lanes>(k) || last - first < chunk ? last : first + chunk;
      sweep_columns<columns, lanes>(
          k, [&](auto width, std::int64_t c) { tile(width, first, end, c); });
    }
  }
};

template <class T, class Matrix, Columns columns>
struct HostRowKernel {
  typename Matrix::Rows rows;
  const typename Matrix::ordinal_type* entries;
  const typename Matrix::value_type* values;
  std::int64_t cols;
  MultiVectorSpan<const T, columns> x;
  HostEpilogue<T> epilogue;
  RowSweep<columns> sweep;
  std::int64_t slots = 0;     ///< of all rows
  std::int64_t distance = 0;  ///< rows of A between prefetching a row of X and using it, in this
                              ///< part; 0: no prefetching

  static constexpr bool can_transpose_y =
      columns == Columns::contiguous && in_matrix_order<typename Matrix::Rows>;
  /// Rows side by side that go into vectors, where X is a dense column, or several.
  static constexpr int group =
      Matrix::Rows::contiguous
          ? 1
          : interleaved_rows<typename Matrix::value_type, T, typename Matrix::ordinal_type>;
  /// Groups whose slots are read in turns: caches and processors like neighbouring lines. Slices
  /// mostly have 32 rows.
  static constexpr int at_once = group > 8 ? 2 : 4;
  /// Whether the loop over a row's entries prefetches X by itself: with few columns a call for each
  /// row costs too much.
  KOKKOS_FUNCTION static constexpr bool prefetches_by_entry(std::int64_t width) {
    return columns == Columns::contiguous && Matrix::Rows::contiguous && width < 8 &&
           width * sizeof(T) < 64;
  }
  /// Whether one column is multiplied in vectors.
  static constexpr bool dots_in_vectors =
      HasRegisters<T> && std::is_same_v<typename Matrix::value_type, T>;

  KOKKOS_FUNCTION void operator()(std::int64_t part) const {
    const std::int64_t first = sweep.partition.begin(part, rows);
    const std::int64_t last = sweep.partition.begin(part + 1, rows);
    HostRowKernel of_part = *this;
    of_part.slots = rows.slots_before(sweep.partition.rows);
    if constexpr (columns == Columns::contiguous) {
      PrefetchWork work{
          .rows = sweep.partition.rows, .x_rows = cols, .bytes = sweep.k * std::int64_t{sizeof(T)}};
      if (prefetches_by_entry(sweep.k)) work.resident = work.near = cache_resident_bytes;
      if (prefetches_by_entry(sweep.k) && sweep.k == 1 && dots_in_vectors)
        work.resident = cache_resident_bytes_of_column;
      of_part.distance = prefetch_row_distance(sweep.prefetch, rows, entries, first, last, work);
      if constexpr (can_transpose_y)
        if (sweep.transposes_y) return of_part.multiply_transposed(first, last);
    }
    of_part.multiply(first, last);
    epilogue.finish();
  }

  /// Into a column-major Y.
  [[gnu::noinline]] KOKKOS_FUNCTION void multiply_transposed(std::int64_t start,
                                                             std::int64_t last) const {
    TransposedStore<T>::run(epilogue, sweep.partition.rows, sweep.k, start, last, 1,
                            [&](std::int64_t first, std::int64_t end, std::int64_t c,
                                std::int64_t k, const HostEpilogue<T>& to) {
                              HostRowKernel some = *this;
                              some.x.data += c;
                              some.sweep.k = k;
                              some.epilogue = to;
                              some.multiply(first, end);
                            });
  }

  [[gnu::noinline]] KOKKOS_FUNCTION void multiply(std::int64_t start, std::int64_t last) const {
    const HostRowKernel local =
        *this;  // in registers: of *this the compiler must think that writing Y changes it
    const auto of_tile = [&](auto width, std::int64_t first, std::int64_t end, std::int64_t c) {
      using Tile = decltype(width);
      if constexpr (Tile::value == 1)
        if (x.row_stride == 1 && rows.is_contiguous() && distance == 0)
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
    const HostRowKernel local = *this;
    if constexpr (prefetches_by_entry(Tile::value))
      if (distance > 0) return local.template multiply_rows<true>(width, first, end, c);
    local.multiply_rows(width, first, end, c);
  }

  template <bool prefetches = false, class Tile>
  FATVEC_FORCEINLINE_FUNCTION void multiply_rows(Tile width, std::int64_t first, std::int64_t end,
                                                 std::int64_t c) const {
    std::int64_t i = first;
    if constexpr (group > 1 &&
                  Tile::value <=
                      (columns == Columns::strided ? 2 : 1)) {  // gathers of more columns lose
      if (x.row_stride == 1 && !rows.is_contiguous()) {
        while (i < end) {
          const std::int64_t side_by_side = std::min(end - i, rows.interleaved(i));
          const std::int64_t grouped = i + side_by_side / group * group;
          for (; i + at_once * group <= grouped; i += at_once * group)
            multiply_groups<Tile::value, at_once>(i, c);
          for (; i < grouped; i += group) multiply_groups<Tile::value, 1>(i, c);
          for (const std::int64_t last = i + side_by_side % group; i < last; ++i)
            multiply_row(width, i, rows.walk(i), c);
        }
      }
    }
    for_each_row(rows, i, end, [&](std::int64_t row, const auto& slots) FATVEC_INLINE_LAMBDA {
      multiply_row<prefetches>(width, row, slots, c);
    });
  }

  template <int width, int groups>
  FATVEC_FORCEINLINE_FUNCTION void multiply_groups(std::int64_t i, std::int64_t c) const {
    constexpr int together = groups * group;
    std::int32_t lengths[together];
    unroll<together>([&](int r) { lengths[r] = static_cast<std::int32_t>(rows.length(i + r)); });
    T sums[width][together];
    InterleavedRows<T>::template multiply<width, groups>(lengths, rows.walk(i), entries, values,
                                                         &x(0, c), x.step(), sums);
    unroll<together>([&](int r) {
      T of_row[width];
      unroll<width>([&](int w) { of_row[w] = sums[w][r]; });
      epilogue.store(rows.row(i + r), c, of_row);
    });
  }

  /// Rows whose entries lie side by side, with a dense column of X.
  [[gnu::noinline]] KOKKOS_FUNCTION void dense_column(std::int64_t first, std::int64_t end,
                                                      std::int64_t c) const {
    const HostRowKernel local = *this;
    const auto* const from = &local.x(0, c);
    for_each_row(local.rows, first, end,
                 [&](std::int64_t i, const auto& slots) FATVEC_INLINE_LAMBDA {
                   const std::int64_t begin = slots[0];
                   const T sum[1] = {sparse_dot<T>(local.rows.length(i), local.entries + begin,
                                                   local.values + begin, from)};
                   local.epilogue.store(local.rows.row(i), c, sum);
                 });
  }

  /// Prefetches the rows of X of later slots: where rows lie one behind the other, those of the
  /// entries prefetch_distance() ahead, else those of row i + distance.
  template <class Walk>
  FATVEC_FORCEINLINE_FUNCTION void prefetch_ahead(std::int64_t i, Walk slot, std::int64_t c,
                                                  std::int64_t bytes) const {
    if (rows.is_contiguous()) {
      const std::int64_t later = slot[0] + prefetch_distance(bytes);
      prefetch_rows(FixedWalk<1>{later}, Kokkos::min(rows.length(i), slots - later), entries,
                    &x(0, c), x.row_stride, bytes);
    } else if (i + distance < sweep.partition.rows) {
      prefetch_rows(rows.walk(i + distance), rows.length(i + distance), entries, &x(0, c),
                    x.row_stride, bytes);
    }
  }

  /// If it prefetches: the rows of X of the entries prefetch_distance() ahead, at the end of A once
  /// more of the last ones.
  template <bool prefetches = false, class Tile, class Walk>
  FATVEC_FORCEINLINE_FUNCTION void multiply_row(Tile width, std::int64_t i, Walk slot,
                                                std::int64_t c) const {
    // One sum is a chain of additions, each waiting for the last: even and odd entries apart while
    // a tile leaves registers.
    constexpr bool two_chains = Tile::least <= 8;
    auto sum = sums_of<T, columns>(width);
    const std::int64_t length = rows.length(i);
    if (rows.is_contiguous() && c == 0)
      for (std::int64_t n = 0; n < length; n += 8)
        prefetch_entries(values + slot[0] + n, entries + slot[0] + n);
    constexpr std::int64_t bytes = Tile::value * std::int64_t{sizeof(T)};
    [[maybe_unused]] const typename Matrix::ordinal_type* later = nullptr;
    if constexpr (prefetches)
      later = entries + Kokkos::min(slot[0] + prefetch_distance(bytes), slots - length);
    else if (columns == Columns::contiguous && distance > 0)
      prefetch_ahead(i, slot, c, width * std::int64_t{sizeof(T)});
    std::int64_t j = 0;
    if constexpr (two_chains) {
      auto odd = sum;
      for (; j + 1 < length; j += 2, slot.advance(2)) {
        if constexpr (prefetches) {
          prefetch_row<bytes>(&x(later[j], c));
          prefetch_row<bytes>(&x(later[j + 1], c));
        }
        sum.add_scaled(values[slot[0]], &x(entries[slot[0]], c), x.step());
        odd.add_scaled(values[slot[1]], &x(entries[slot[1]], c), x.step());
      }
      sum.add(odd);
    }
    for (; j < length; ++j, slot.advance(1)) {
      if constexpr (prefetches) prefetch_row<bytes>(&x(later[j], c));
      sum.add_scaled(values[slot[0]], &x(entries[slot[0]], c), x.step());
    }
    epilogue.store(rows.row(i), c, sum);
  }
};

}  // namespace fatvec::detail
