// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <fatvec/app/dispatch/product.hpp>

#include "harness/scalar.hpp"

/// What the hand-written products take out of the Views: plain pointers and distances. From here on
/// there is no Kokkos.
namespace fatvec::bench::raw::inline FATVEC_BENCH_IN {

using product::StorageOrder;

/// The entries of one row of A, `step` apart: 1 known to the compiler where the row is
/// contiguous.
template <class Step = std::integral_constant<std::int64_t, 1>>
struct Row {
  const std::int32_t* __restrict columns;
  const Scalar* __restrict values;
  std::int64_t length;
  [[no_unique_address]] Step step = {};

  [[nodiscard]] std::int32_t column(std::int64_t n) const { return columns[n * step]; }
  [[nodiscard]] Scalar value(std::int64_t n) const { return values[n * step]; }
};

/// A row of JAD: entry n is where diagonal n begins, behind the row's place within it.
struct JaggedRow {
  const std::int32_t* __restrict diagonals;
  const std::int32_t* __restrict columns;
  const Scalar* __restrict values;
  std::int64_t length;

  [[nodiscard]] std::int32_t column(std::int64_t n) const { return columns[diagonals[n]]; }
  [[nodiscard]] Scalar value(std::int64_t n) const { return values[diagonals[n]]; }
};

/// Each format walks its rows: visit(i, row) for the stored rows first ... last - 1, i being the
/// matrix's; a row ends at its length, before any padding. For a partition of the rows: how many
/// there are, how many a unit has that is not to be divided, the entries before a unit.
class CsrRows {
 public:
  template <class Matrix>
  explicit CsrRows(const Matrix& csr)
      : offsets_(csr.row_map.data()),
        columns_(csr.entries.data()),
        values_(csr.values.data()),
        rows_(csr.rows()) {}

  [[nodiscard]] std::int64_t count() const { return rows_; }
  [[nodiscard]] static std::int64_t unit() { return 1; }
  [[nodiscard]] std::int64_t entries_before(std::int64_t row) const { return offsets_[row]; }
  [[nodiscard]] const std::int32_t* columns_end() const { return columns_ + offsets_[rows_]; }

  template <class Visit>
  void walk(std::int64_t first, std::int64_t last, const Visit& visit) const {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t begin = offsets_[i];
      visit(i, Row<>{columns_ + begin, values_ + begin, offsets_[i + 1] - begin});
    }
  }

 private:
  const std::int32_t* __restrict offsets_;
  const std::int32_t* __restrict columns_;
  const Scalar* __restrict values_;
  std::int64_t rows_;
};

template <StorageOrder order>
class EllRows {
  static constexpr bool row_major = order == StorageOrder::row_major;

 public:
  static constexpr StorageOrder storage = order;
  template <class Matrix>
  explicit EllRows(const Matrix& ell)
      : lengths_(ell.row_lengths.data()),
        columns_(ell.entries.data()),
        values_(ell.values.data()),
        rows_(ell.rows()),
        width_(ell.width()) {}

  [[nodiscard]] std::int64_t count() const { return rows_; }
  [[nodiscard]] static std::int64_t unit() { return 1; }
  [[nodiscard]] std::int64_t entries_before(std::int64_t row) const { return row * width_; }

  template <class Visit>
  void walk(std::int64_t first, std::int64_t last, const Visit& visit) const {
    for (std::int64_t i = first; i < last; ++i) {
      if constexpr (row_major) {
        visit(i, Row<>{columns_ + i * width_, values_ + i * width_, lengths_[i]});
      } else {
        visit(i, Row<std::int64_t>{columns_ + i, values_ + i, lengths_[i], rows_});
      }
    }
  }

 private:
  const std::int32_t* __restrict lengths_;
  const std::int32_t* __restrict columns_;
  const Scalar* __restrict values_;
  std::int64_t rows_;
  std::int64_t width_;
};

template <StorageOrder order>
class HllRows {
  static constexpr bool row_major = order == StorageOrder::row_major;

 public:
  static constexpr StorageOrder storage = order;
  template <class Matrix>
  explicit HllRows(const Matrix& hll)
      : offsets_(hll.slice_offsets.data()),
        lengths_(hll.row_lengths.data()),
        columns_(hll.entries.data()),
        values_(hll.values.data()),
        rows_(hll.rows()),
        hack_size_(hll.slice_size()) {}

  [[nodiscard]] std::int64_t count() const { return rows_; }
  [[nodiscard]] std::int64_t unit() const { return hack_size_; }
  [[nodiscard]] std::int64_t entries_before(std::int64_t hack) const { return offsets_[hack]; }

  /// Hack by hack, so that a row costs no division.
  template <class Visit>
  void walk(std::int64_t first, std::int64_t last, const Visit& visit) const {
    for (std::int64_t i = first, hack = first / hack_size_; i < last; ++hack) {
      const std::int64_t start = hack * hack_size_;
      const std::int64_t height = std::min(hack_size_, rows_ - start);
      const std::int64_t width = (offsets_[hack + 1] - offsets_[hack]) / height;
      for (const std::int64_t end = std::min(last, start + height); i < end; ++i) {
        const std::int64_t begin = offsets_[hack] + (i - start) * (row_major ? width : 1);
        if constexpr (row_major) {
          visit(i, Row<>{columns_ + begin, values_ + begin, lengths_[i]});
        } else {
          visit(i, Row<std::int64_t>{columns_ + begin, values_ + begin, lengths_[i], height});
        }
      }
    }
  }

 protected:
  const std::int32_t* __restrict offsets_;
  const std::int32_t* __restrict lengths_;
  const std::int32_t* __restrict columns_;
  const Scalar* __restrict values_;
  std::int64_t rows_;
  std::int64_t hack_size_;
};

/// JAD and pJAD, whose blocks are the units.
class JadRows {
 public:
  template <class Matrix>
  explicit JadRows(const Matrix& jad)
      : permutation_(jad.permutation.data()),
        diagonals_(jad.diagonal_offsets.data()),
        lengths_(jad.row_lengths.data()),
        columns_(jad.entries.data()),
        values_(jad.values.data()),
        rows_(jad.rows()),
        block_size_(jad.block_size()),
        slots_(jad.stored_entries()) {}

  [[nodiscard]] std::int64_t count() const { return rows_; }
  [[nodiscard]] std::int64_t unit() const { return block_size_; }
  /// Of the diagonals that reach the block before, its rows and all before them; of the others all.
  [[nodiscard]] std::int64_t entries_before(std::int64_t block) const {
    if (block == 0) return 0;
    const std::int64_t reaching = lengths_[(block - 1) * block_size_];
    return std::min(block * block_size_, rows_) * reaching + slots_ - diagonals_[reaching];
  }

  template <class Visit>
  void walk(std::int64_t first, std::int64_t last, const Visit& visit) const {
    for (std::int64_t i = first; i < last; ++i)
      visit(permutation_[i], JaggedRow{diagonals_, columns_ + i, values_ + i, lengths_[i]});
  }

 private:
  const std::int32_t* __restrict permutation_;
  const std::int32_t* __restrict diagonals_;
  const std::int32_t* __restrict lengths_;
  const std::int32_t* __restrict columns_;
  const Scalar* __restrict values_;
  std::int64_t rows_;
  std::int64_t block_size_;
  std::int64_t slots_;
};

/// X or Y. In row layout the columns of a row are neighbours and `stride` goes from row to row; in
/// column layout vice versa.
template <bool by_rows, class T>
struct Dense {
  static constexpr bool row_layout = by_rows;
  T* __restrict data;
  std::ptrdiff_t stride;

  [[nodiscard]] T* at(std::int64_t i, std::int64_t c) const {
    return data + (row_layout ? i * stride + c : c * stride + i);
  }
  [[nodiscard]] std::ptrdiff_t column_step() const { return row_layout ? 1 : stride; }
};

template <bool row_layout, class View>
Dense<row_layout, typename View::value_type> dense(const View& view) {
  return {view.data(), static_cast<std::ptrdiff_t>(view.stride(row_layout ? 0 : 1))};
}

/// run(x, y) with both as Dense. A single column is the same in either layout; in column layout it
/// needs no multiplication by the stride.
template <class X, class Y, class Run>
void with_layout(const X& x, const Y& y, const Run& run) {
  if constexpr (std::is_same_v<typename X::array_layout, Kokkos::LayoutRight>) {
    if (x.extent(1) > 1) return run(dense<true>(x), dense<true>(y));
  }
  run(dense<false>(x), dense<false>(y));
}

}  // namespace fatvec::bench::raw::inline FATVEC_BENCH_IN
