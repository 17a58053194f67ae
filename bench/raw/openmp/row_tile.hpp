// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "raw/openmp/sums.hpp"
#include "raw/operands.hpp"

namespace fatvec::bench::raw {

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
      row_layout ? 8 : 4;  ///< the widest tile that leaves registers for two sums per column

 public:
  /// Prefetches the rows of X of the entries that lie `prefetch_distance` entries further on
  /// (0: none), where rows are contiguous.
  RowTiles(const Rows& rows, double alpha, const X& x, double beta, const Y& y, std::int64_t k,
           std::int64_t prefetch_distance)
      : rows_(rows),
        alpha_(alpha),
        x_(x),
        beta_(beta),
        y_(y),
        k_(k),
        prefetch_distance_(prefetch_distance) {
    const bool lines =
        reinterpret_cast<std::uintptr_t>(y.data) % 64 == 0 && y.stride % 8 == 0 && k % 8 == 0;
    if constexpr (requires { rows.columns_end(); }) columns_end_ = rows.columns_end();
    streams_ =
        row_layout && beta == 0 && lines && rows.count() * k > 8'000'000;  // more than caches hold
  }

  void operator()(std::int64_t first, std::int64_t last) const {
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

  template <int width>
  void tile(std::int64_t first, std::int64_t last, std::int64_t c) const {
    const RowTiles by =
        *this;  // in registers: of *this the compiler must think that writing Y changes it
    by.rows_.walk(first, last, [by, c](std::int64_t i, const auto& row) {
      Sums<width> sums;
      if constexpr (std::is_same_v<decltype(row), const Row<>&>) {
        by.prefetch<width>(row, c);
        if constexpr (width == 1 && !row_layout) {
          sums.sum[0] = row_dot(row.values, row.columns, row.length, by.x_.at(0, c));
          return sums.finish(by.alpha_, by.beta_, by.y_.at(i, c), 0);
        }
      }
      by.accumulate<width>(row, c, sums);
      if (row_layout && by.streams_)
        sums.stream(by.alpha_, by.y_.at(i, c));
      else
        sums.finish(by.alpha_, by.beta_, by.y_.at(i, c), by.y_.column_step());
    });
  }

  /// Prefetches A into the first-level cache, and rows of X into the second, whose queue is longer.
  template <int width>
  [[gnu::always_inline]] inline void prefetch(const Row<>& row, std::int64_t c) const {
    for (std::int64_t n = 0; c == 0 && n < row.length; n += 8) {
      __builtin_prefetch(row.values + n + 128);
      __builtin_prefetch(row.columns + n + 128);
    }
    if (prefetch_distance_ == 0 || columns_end_ == nullptr) return;
    const std::int64_t known =
        std::min<std::int64_t>(row.length, columns_end_ - row.columns - prefetch_distance_);
    for (std::int64_t n = 0; n < known; ++n) {
      const auto* const from =
          reinterpret_cast<const char*>(x_.at(row.columns[n + prefetch_distance_], c));
      for (std::size_t b = 0; b < width * sizeof(double); b += 64)
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
  double alpha_;
  X x_;
  double beta_;
  Y y_;
  std::int64_t k_;
  std::int64_t prefetch_distance_;
  const std::int32_t* columns_end_ = nullptr;
  bool streams_;
};

}  // namespace fatvec::bench::raw
