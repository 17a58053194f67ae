// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "raw/openmp/sums.hpp"
#include "raw/operands.hpp"

namespace fatvec::bench::raw::inline FATVEC_BENCH_IN {

/// The product of consecutive rows with a fat vector, tile by tile: `width` columns of one row of Y
/// are summed in registers, `width` being a constant, and the widest tile that still fits goes
/// first.
template <class Rows, class X, class Y>
class RowTiles {
  static constexpr bool row_layout = X::row_layout;
  /// Of 32 columns one tile holds all in row layout: 8 of 16 vector registers. In column layout
  /// every column is a stream of its own, and 8 are what prefetchers and the first-level TLB
  /// follow.
  using Widths =
      std::conditional_t<row_layout, std::integer_sequence<int, 32, 16, 8, 7, 6, 5, 4, 3, 2, 1>,
                         std::integer_sequence<int, 8, 7, 6, 5, 4, 3, 2, 1>>;
  template <int width>
  using Sums = std::conditional_t<row_layout, VectorSums<width>, ScalarSums<width>>;
  static constexpr int two_chains =
      row_layout ? line_elements
                 : 4;  ///< the widest tile that leaves registers for two sums per column
  /// Whether the sums of all rows of a slice of masks stay in registers.
  template <int width>
  static constexpr bool slice_at_once = width <= 5 || width == 8;

 public:
  /// Prefetches the rows of X of the entries that lie `prefetch_distance` entries further on
  /// (0: none), where rows are contiguous.
  RowTiles(const Rows& rows, Scalar alpha, const X& x, Scalar beta, const Y& y, std::int64_t k,
           std::int64_t prefetch_distance)
      : rows_(rows),
        alpha_(alpha),
        x_(x),
        beta_(beta),
        y_(y),
        k_(k),
        prefetch_distance_(prefetch_distance) {
    const bool lines = reinterpret_cast<std::uintptr_t>(y.data) % 64 == 0 &&
                       y.stride % line_elements == 0 && k % line_elements == 0;
    if constexpr (requires { rows.columns_end(); }) columns_end_ = rows.columns_end();
    streams_ = row_layout && beta == 0 && lines &&
               rows.count() * k > 8'000'000 / 8 * line_elements;  // more than caches hold
  }

  void operator()(std::int64_t first, std::int64_t last) const {
    if constexpr (!row_layout && requires { rows_.fills_registers(); })
      if (k_ == 1 && rows_.fills_registers()) first = whole_slices(first, last);
    run(first, last, Widths{});
#if defined(__AVX__)
    if (streams_) _mm_sfence();
#endif
  }

 private:
  /// Rows that all tiles pass over before the next ones follow: few enough for their entries to
  /// stay in the first-level cache, so that A comes from memory once whatever k. Long rows of X are
  /// better read whole.
  [[nodiscard]] std::int64_t chunk_rows() const { return row_layout && k_ >= 64 ? 1 : 16; }

  template <int... widths>
  void run(std::int64_t first, std::int64_t last, std::integer_sequence<int, widths...>) const {
    const std::int64_t step = ((k_ == widths) || ...) ? last - first : chunk_rows();
    for (; first < last; first += step) {
      const std::int64_t end = std::min(last, first + step);
      std::int64_t c = 0;
      const auto take = [&]<int width>(std::integral_constant<int, width>) {
        for (; c + width <= k_; c += width) tile<width>(first, end, c);
      };
      (take(std::integral_constant<int, widths>{}), ...);
    }
  }

  /// One column of the slices that have a row for each lane of a register. Returns the first row
  /// behind them.
  std::int64_t whole_slices(std::int64_t first, std::int64_t last) const {
    const RowTiles by = *this;
    for (; first + vector_lanes <= last; first += vector_lanes) {
      const auto sums = by.rows_.slice_sums(first, by.x_.at(0, 0));
      if constexpr (requires { by.rows_.target(first); }) {
        for (int r = 0; r < vector_lanes; ++r)
          ScalarSums<1>{{sums.sum[0][r]}}.finish(by.alpha_, by.beta_,
                                                 by.y_.at(by.rows_.target(first + r), 0), 0);
      } else {
        sums.finish(by.alpha_, by.beta_, by.y_.at(first, 0), 1);
      }
    }
    return first;
  }

  template <int width>
  void tile(std::int64_t first, std::int64_t last, std::int64_t c) const {
    const RowTiles by =
        *this;  // in registers: of *this the compiler must think that writing Y changes it
    if constexpr (slice_at_once<width> && requires { by.rows_.for_each_slot(first, 0); })
      if (by.rows_.fills_registers() && first % vector_lanes == 0)
        for (; first + vector_lanes <= last; first += vector_lanes) by.slice_tile<width>(first, c);
    by.rows_.walk(first, last, [by, c](std::int64_t i, const auto& row) {
      Sums<width> sums;
      if constexpr (std::is_same_v<decltype(row), const Row<>&>) {
        by.prefetch<width>(row, c);
        if constexpr (width == 1 && !row_layout) {
          sums.sum[0] = row_dot(row.values, row.columns, row.length, by.x_.at(0, c));
          return sums.finish(by.alpha_, by.beta_, by.y_.at(i, c), 0);
        }
      }
      if constexpr (requires { row.slots; }) {
        row.for_each([&](Scalar value, std::int32_t column) {
          sums.add(value, by.x_.at(column, c), by.x_.column_step());
        });
      } else {
        by.accumulate<width>(row, c, sums);
      }
      by.store(sums, i, c);
    });
  }

  /// The rows of a slice at once, slot by slot: as many chains of additions as rows.
  template <int width>
  void slice_tile(std::int64_t first, std::int64_t c) const {
    Sums<width> sums[vector_lanes];
    const auto add = [&]<int... r>(
                         std::uint32_t mask, const Scalar* values, auto column,
                         std::integer_sequence<int, r...>) __attribute__((always_inline)) {
      ((mask >> r & 1 ? sums[r].add(values[r], x_.at(column(r), c), x_.column_step()) : void()),
       ...);
    };
    rows_.for_each_slot(first, [&](auto... slot) __attribute__((always_inline)) {
      add(slot..., std::make_integer_sequence<int, vector_lanes>());
    });
    for (int r = 0; r < vector_lanes; ++r) store(sums[r], first + r, c);
  }

  template <class Sum>
  [[gnu::always_inline]] inline void store(const Sum& sums, std::int64_t i, std::int64_t c) const {
    if (row_layout && streams_)
      sums.stream(alpha_, y_.at(i, c));
    else
      sums.finish(alpha_, beta_, y_.at(i, c), y_.column_step());
  }

  /// Prefetches A into the first-level cache, and rows of X into the second, whose queue is longer.
  template <int width>
  [[gnu::always_inline]] inline void prefetch(const Row<>& row, std::int64_t c) const {
    for (std::int64_t n = 0; c == 0 && n < row.length; n += line_elements) {
      __builtin_prefetch(row.values + n + 16 * line_elements);
      __builtin_prefetch(row.columns + n + 16 * line_elements);
    }
    if (prefetch_distance_ == 0 || columns_end_ == nullptr) return;
    const std::int64_t known =
        std::min<std::int64_t>(row.length, columns_end_ - row.columns - prefetch_distance_);
    for (std::int64_t n = 0; n < known; ++n) {
      const auto* const from =
          reinterpret_cast<const char*>(x_.at(row.columns[n + prefetch_distance_], c));
      for (std::size_t b = 0; b < width * sizeof(Scalar); b += 64)
        __builtin_prefetch(from + b, 0, 2);
    }
  }

  /// Each sum is a chain of additions, each waiting for the last: two chains as long as there are
  /// registers.
  template <int width, class Row>
  void accumulate(const Row& row, std::int64_t c, Sums<width>& sums) const {
    const std::ptrdiff_t step = x_.column_step();
    const auto add = [&](Sums<width>& to, std::int64_t n) {
      to.add(row.value(n), x_.at(row.column(n), c), step);
    };
    std::int64_t n = 0;
    if constexpr (width <= two_chains) {
      Sums<width> odd;
      for (; n + 1 < row.length; n += 2) {
        add(sums, n);
        add(odd, n + 1);
      }
      sums.add(odd);
    }
    for (; n < row.length; ++n) add(sums, n);
  }

  Rows rows_;
  Scalar alpha_;
  X x_;
  Scalar beta_;
  Y y_;
  std::int64_t k_;
  std::int64_t prefetch_distance_;
  const std::int32_t* columns_end_ = nullptr;
  bool streams_;
};

}  // namespace fatvec::bench::raw::inline FATVEC_BENCH_IN
