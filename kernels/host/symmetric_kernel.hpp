// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/host/partition.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/prefetch_entries.hpp>
#include <fatvec/kernels/shared/tile.hpp>

/// The product of a symmetric matrix, of which one triangle is stored, on host spaces.
namespace fatvec::detail {

/// The rows of a thread, first ... last - 1. Its entries reach the rows before `reach`, too: what
/// it adds to rows last ... reach - 1 goes to a strip of its own.
struct SymmetricShare {
  std::int64_t first;
  std::int64_t last;
  std::int64_t reach;
  std::int64_t strip;  ///< first row of its strip in the memory of all
};

/// The upper triangle: columns of a row ascending, the diagonal first where it is stored.
template <class Scalar, class Ordinal, class Offset>
struct UpperRows {
  const Offset* row_map;
  const Ordinal* entries;
  const Scalar* values;
  std::int64_t rows;

  /// How partition counts entries.
  [[nodiscard]] std::int64_t slots_before(std::int64_t i) const { return row_map[i]; }
  /// Behind the last row that entries of rows first ... end - 1 reach, at least `end`.
  [[nodiscard]] std::int64_t reach(std::int64_t first, std::int64_t end) const {
    Ordinal last = -1;
    for (std::int64_t i = first; i < end; ++i)
      if (row_map[i + 1] > row_map[i]) last = std::max(last, entries[row_map[i + 1] - 1]);
    return std::max<std::int64_t>(end, std::int64_t{last} + 1);
  }
};

/// Some columns of X, Y and the strips in a pass over the matrix.
template <class T>
struct SymmetricOperands {
  Operand<const T> x;
  ScaledSum<T> output;
  std::int64_t columns;
  T* strips;              ///< rows of `columns` elements
  std::int64_t capacity;  ///< elements for a row of them
};

/// Y = beta · Y + alpha · A · X for a thread's rows. An entry (i, j) adds to row i of Y, whose sum
/// stays in registers, and to row j. Rows of Y are scaled before the first entry reaches them; row
/// i is complete, but for the strips of threads with rows before, when its own entries are added.
/// `contiguous`: the columns of X and Y are neighbours.
template <class T, class A, bool contiguous>
struct SymmetricProduct {
  template <int width>
  using Sums = Tile<T, width, contiguous ? vector_width<T>(width) : 1>;
  using Widths =
      std::conditional_t<contiguous, std::integer_sequence<int, 16, 8, 7, 6, 5, 4, 3, 2, 1>,
                         std::integer_sequence<int, 4, 3, 2, 1>>;

  /// Rows whose part of A stays in the first-level cache while the tiles of their columns are made,
  /// and that are few enough for Y to come from memory line by line.
  static constexpr std::int64_t chunk = 16;

  /// Where products go: rows of Y, or of the strip, from `first` on.
  struct Target {
    T* data;
    std::int64_t first;
    std::int64_t row_step;
    std::int64_t column_step;
    [[nodiscard]] T* at(std::int64_t j, std::int64_t c) const {
      return data + (j - first) * row_step + c * (contiguous ? 1 : column_step);
    }
  };

  A a;
  SymmetricOperands<T> of;
  const SymmetricShare* shares;  ///< nullptr: one of all rows

  void operator()(std::int64_t part) const {
    const SymmetricShare share =
        shares != nullptr ? shares[part] : SymmetricShare{0, a.rows, a.rows, 0};
    const Target y{of.output.y.data, 0, of.output.y.row_stride, of.output.y.column_stride};
    const Target strip{of.strips + share.strip * of.capacity, share.last, of.columns, 1};
    std::int64_t ready = share.first;  // up to where rows of Y are scaled, and the strip is zero
    for (std::int64_t first = share.first; first < share.last; first += chunk) {
      const std::int64_t end = std::min(share.last, first + chunk);
      const std::int64_t reach = a.reach(first, end);
      if (reach > ready) {
        scale_rows(ready, std::min(reach, share.last));
        prefetch_behind(reach);
        if (reach > share.last)
          std::fill(strip.at(std::max(ready, share.last), 0), strip.at(reach, 0), T{});
        ready = reach;
      }
      // `last` for entries that may reach the strip; other rows need not be searched for those.
      const std::int64_t last = reach <= share.last ? a.rows : share.last;
      multiply(first, end, last, y, strip, Widths());
    }
  }

  /// The next rows of X and Y that no entry has reached yet.
  void prefetch_behind(std::int64_t reach) const {
    if constexpr (contiguous) {
      constexpr std::int64_t ahead = 1024;
      const auto* const x = reinterpret_cast<const char*>(&of.x(reach, 0)) + ahead;
      const auto* const y = reinterpret_cast<const char*>(&of.output.y(reach, 0)) + ahead;
      for (std::int64_t byte = 0; byte < chunk * of.columns * std::int64_t{sizeof(T)}; byte += 64) {
        FATVEC_PREFETCH(x + byte);
        FATVEC_PREFETCH(y + byte);
      }
    }
  }

  [[gnu::noinline]] void scale_rows(std::int64_t first, std::int64_t end) const {
    const auto y = of.output.y;
    const T beta = of.output.beta;
    const auto scale = [&](auto of_run, std::int64_t runs, std::int64_t length, std::int64_t step) {
      for (std::int64_t r = 0; r < runs; ++r) {
        T* const run = of_run(r);
        if (step == 1 && beta == T{})
          std::fill(run, run + length, T{});
        else
          for (std::int64_t n = 0; n < length; ++n)
            run[n * step] = beta == T{} ? T{} : beta * run[n * step];
      }
    };
    if (end <= first) return;
    if (y.column_stride == 1 && y.row_stride == of.columns)
      scale([&](auto) { return &y(first, 0); }, 1, (end - first) * of.columns, 1);
    else if (y.column_stride <= y.row_stride)
      scale([&](auto r) { return &y(first + r, 0); }, end - first, of.columns, y.column_stride);
    else
      scale([&](auto c) { return &y(first, c); }, of.columns, end - first, y.row_stride);
  }

  template <int... widths>
  void multiply(std::int64_t first, std::int64_t end, std::int64_t last, const Target& y,
                const Target& strip, std::integer_sequence<int, widths...>) const {
    std::int64_t c = 0;
    const auto take = [&]<int width>(std::integral_constant<int, width>) FATVEC_INLINE_LAMBDA {
      for (; c + width <= of.columns; c += width) {
        if constexpr (width == 1)
          if (of.x.row_stride == 1 && y.row_step == 1) {
            multiply_tile<1, 1>(first, end, last, c, y, strip);
            continue;
          }
        multiply_tile<width>(first, end, last, c, y, strip);
      }
    };
    (take(std::integral_constant<int, widths>()), ...);
  }

  /// Columns c ... c + width - 1 of rows first ... end - 1. What entries add to rows from `last` on
  /// goes to the strip; last = a.rows: there is none. row_step: of X and Y, if it is known.
  template <int width, int row_step = 0>
  [[gnu::noinline]] void multiply_tile(std::int64_t first, std::int64_t end, std::int64_t last,
                                       std::int64_t c, Target y, Target strip) const {
    const A rows = a;
    const T alpha = of.output.alpha;
    const std::int64_t x_step = row_step != 0 ? row_step : of.x.row_stride;
    const std::int64_t column_step = contiguous ? 1 : of.x.column_stride;
    if constexpr (row_step != 0) y.row_step = row_step;
    const T* const x = of.x.data + c * column_step;
    y.data += c * (contiguous ? 1 : y.column_step);
    strip.data += c;
    std::int64_t n = rows.row_map[first];
    for (std::int64_t i = first; i < end; ++i) {
      const std::int64_t stop = rows.row_map[i + 1];
      prefetch_entries(rows.values + n, rows.entries + n);
      const Sums<width> x_i(x + i * x_step, column_step);
      Sums<width> scaled;
      scaled.add_product(alpha, x_i);
      Sums<width> sums;
      Sums<width> odd;  // in turns with the other: an addition need not wait for the one before
      if (n < stop && rows.entries[n] == i) sums.add_product(rows.values[n++], x_i);
      const auto add_entry = [&](std::int64_t m, const Target& to,
                                 Sums<width>& sum) FATVEC_INLINE_LAMBDA {
        const std::int64_t j = rows.entries[m];
        sum.add_product(rows.values[m], Sums<width>(x + j * x_step, column_step));
        add_to(to, j, rows.values[m], scaled);
      };
      const auto add = [&](std::int64_t before, const Target& to) FATVEC_INLINE_LAMBDA {
        for (; n + 1 < before; n += 2) {
          add_entry(n, to, sums);
          add_entry(n + 1, to, odd);
        }
        if (n < before) add_entry(n++, to, sums);
      };
      if (last < rows.rows) {
        add(first_where(n, stop, [&](std::int64_t m) { return rows.entries[m] >= last; }), y);
        add(stop, strip);
      } else {
        add(stop, y);
      }
      sums += odd;
      add_to(y, i, alpha, sums);
    }
  }

  /// Row j of `to` gets value · tile.
  template <class Value, int width, int n>
  FATVEC_FORCEINLINE void add_to(const Target& to, std::int64_t j, const Value& value,
                                 const Tile<T, width, n>& tile) const {
    T* const at = to.at(j, 0);
    if constexpr (contiguous) {
      Tile<T, width, n> sum(at, 1);
      sum.add_product(value, tile);
      sum.copy_to(at);
    } else {
      for (int w = 0; w < width; ++w)
        at[w * to.column_step] += static_cast<T>(value) * tile.vector[w];
    }
  }
};

/// Adds the strips to some rows of Y, in the order of the shares.
template <class T>
struct AddStrips {
  SymmetricOperands<T> of;
  const SymmetricShare* shares;
  std::int64_t count;  ///< of shares
  std::int64_t rows;
  std::int64_t parts;

  void operator()(std::int64_t part) const {
    const std::int64_t first_row = shares[0].last;
    const std::int64_t all = rows - first_row;
    const std::int64_t begin = first_row + all * part / parts;
    const std::int64_t end = first_row + all * (part + 1) / parts;
    for (std::int64_t s = 0; s < count; ++s) {
      const SymmetricShare& share = shares[s];
      const std::int64_t last = std::min(end, share.reach);
      for (std::int64_t i = std::max(begin, share.last); i < last; ++i) {
        const T* const sums = of.strips + share.strip * of.capacity + (i - share.last) * of.columns;
        for (std::int64_t c = 0; c < of.columns; ++c) of.output.y(i, c) += sums[c];
      }
    }
  }
};

}  // namespace fatvec::detail
