// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "raw/blocks.hpp"
#include "raw/openmp/sums.hpp"

namespace fatvec::bench::raw::inline FATVEC_BENCH_IN {

/// The product of consecutive block rows with a fat vector: up to 4 rows of Y by `width` columns
/// are summed in registers, so that a row of X is loaded once for 4 rows.
template <class X, class Y>
class BlockTiles {
  static constexpr bool row_layout = X::row_layout;
  using Widths = std::conditional_t<row_layout, std::integer_sequence<int, 8, 4, 2, 1>,
                                    std::integer_sequence<int, 4, 2, 1>>;
  template <int width>
  using Sums = std::conditional_t<row_layout, VectorSums<width>, ScalarSums<width>>;
  static constexpr std::int64_t sweep_rows = 16;  ///< as in RowTiles

 public:
  BlockTiles(const BlockRows& a, Scalar alpha, const X& x, Scalar beta, const Y& y, std::int64_t k)
      : a_(a), alpha_(alpha), x_(x), beta_(beta), y_(y), k_(k) {}

  void operator()(std::int64_t first, std::int64_t last) const { run(first, last, Widths{}); }

 private:
  template <int... widths>
  void run(std::int64_t first, std::int64_t last, std::integer_sequence<int, widths...>) const {
    const std::int64_t step = std::max<std::int64_t>(1, sweep_rows / a_.size);
    for (; first < last; first += step) {
      const std::int64_t end = std::min(last, first + step);
      std::int64_t c = 0;
      const auto take = [&]<int width>(std::integral_constant<int, width>) {
        for (; c + width <= k_; c += width) tile<width>(first, end, c);
      };
      (take(std::integral_constant<int, widths>{}), ...);
    }
  }

  /// Cuts the rows of a block into parts that differ by one row at most.
  template <int width>
  void tile(std::int64_t first, std::int64_t last, std::int64_t c) const {
    const BlockTiles by =
        *this;  // in registers: of *this the compiler must think that writing Y changes it
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t height = by.a_.end_row(i) - i * by.a_.size;
      const std::int64_t parts = (height + 3) / 4;
      for (std::int64_t p = 0, row = 0; p < parts; ++p) {
        const std::int64_t end = height * (p + 1) / parts;
        switch (end - row) {
          case 1:
            by.part<width, 1>(i, row, c);
            break;
          case 2:
            by.part<width, 2>(i, row, c);
            break;
          case 3:
            by.part<width, 3>(i, row, c);
            break;
          default:
            by.part<width, 4>(i, row, c);
        }
        row = end;
      }
    }
  }

  template <int width, int rows>
  void part(std::int64_t i, std::int64_t row, std::int64_t c) const {
    Sums<width> sums[rows];
    std::int64_t n = a_.offsets[i];
    const std::int64_t end = a_.offsets[i + 1];
    if constexpr (width * rows <=
                  16) {  // a sum is a chain of additions: two chains as long as there are registers
      Sums<width> odd[rows];
      for (; n + 1 < end; n += 2) {
        add_block(n, row, c, sums);
        add_block(n + 1, row, c, odd);
      }
      for (int r = 0; r < rows; ++r) sums[r].add(odd[r]);
    }
    for (; n < end; ++n) add_block(n, row, c, sums);
    for (int r = 0; r < rows; ++r)
      sums[r].finish(alpha_, beta_, y_.at(i * a_.size + row + r, c), y_.column_step());
  }

  template <class Sum, int rows>
  [[gnu::always_inline]] inline void add_block(std::int64_t n, std::int64_t row, std::int64_t c,
                                               Sum (&sums)[rows]) const {
    const Scalar* column = a_.values + n * a_.size * a_.size + row;
    const std::int64_t first = a_.columns[n] * a_.size;
    const std::int64_t end = a_.end_column(n);
    for (std::int64_t j = first; j < end; ++j, column += a_.size)
      for (int r = 0; r < rows; ++r) sums[r].add(column[r], x_.at(j, c), x_.column_step());
  }

  BlockRows a_;
  Scalar alpha_;
  X x_;
  Scalar beta_;
  Y y_;
  std::int64_t k_;
};

}  // namespace fatvec::bench::raw::inline FATVEC_BENCH_IN
