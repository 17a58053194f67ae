// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "raw/operands.hpp"

/// BSR for the hand-written products of the CPU, in column-major storage as in Stec and
/// Stpiczyński.
namespace fatvec::bench::raw::inline FATVEC_BENCH_IN {

/// A as plain pointers; raw::Partition takes its block rows as it takes rows.
struct BlockRows {
  const std::int32_t* __restrict offsets;
  const std::int32_t* __restrict columns;
  const Scalar* __restrict values;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t size;  ///< rows and columns of a block

  template <class Matrix>
  explicit BlockRows(const Matrix& bsr)
      : offsets(bsr.row_map.data()),
        columns(bsr.entries.data()),
        values(bsr.values.data()),
        rows(bsr.rows()),
        cols(bsr.cols()),
        size(bsr.block_size()) {}

  [[nodiscard]] std::int64_t count() const { return (rows + size - 1) / size; }
  [[nodiscard]] static std::int64_t unit() { return 1; }
  [[nodiscard]] std::int64_t entries_before(std::int64_t i) const { return offsets[i]; }
  /// The matrix may end within its last blocks.
  [[nodiscard]] std::int64_t end_row(std::int64_t i) const {
    return std::min(rows, (i + 1) * size);
  }
  [[nodiscard]] std::int64_t end_column(std::int64_t n) const {
    return std::min(cols, (columns[n] + 1) * size);
  }
};

/// Algorithm 5 of Stec and Stpiczyński for one block row and columns c ... end - 1 of X: each
/// element in the order of storage times a row of X, added to a row of Y.
template <class X, class Y>
void textbook_block_row(const BlockRows& a, std::int64_t i, Scalar alpha, const X& x, Scalar beta,
                        const Y& y, std::int64_t c, std::int64_t end) {
  for (std::int64_t row = i * a.size; row < a.end_row(i); ++row)
    for (std::int64_t w = c; w < end; ++w) *y.at(row, w) = beta == 0 ? 0 : beta * *y.at(row, w);
  for (std::int64_t n = a.offsets[i]; n < a.offsets[i + 1]; ++n) {
    const Scalar* column = a.values + n * a.size * a.size;
    for (std::int64_t j = a.columns[n] * a.size; j < a.end_column(n); ++j, column += a.size) {
      for (std::int64_t row = i * a.size; row < a.end_row(i); ++row) {
        const Scalar value = alpha * column[row - i * a.size];
        for (std::int64_t w = c; w < end; ++w) *y.at(row, w) += value * *x.at(j, w);
      }
    }
  }
}

}  // namespace fatvec::bench::raw::inline FATVEC_BENCH_IN
