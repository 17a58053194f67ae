// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include <fatvec/formats/detail/diagonal_access.hpp>

#include "raw/openmp/sums.hpp"
#include "raw/operands.hpp"

/// Formats of slices, for RowTiles, which takes the rows of a slice at once where a register has a
/// lane for each:
///   fills_registers()             whether that is so
///   slice_sums(first, x)          one column: the sums of the slice that begins with row `first`
///   target(i)                     the matrix's row of stored row i, where rows are permuted
///   for_each_slot(first, visit)   a slot at a time, where slots have masks
namespace fatvec::bench::raw {

using RegisterSums = VectorSums<vector_lanes>;

/// present(columns): a bit for each row that has a column, which padding has not.
/// add_gathered(...), add_neighbours(...): sums += values times x[columns[r]], or x[r], of the rows
/// r whose bit is set. Of the others X is not read: it may hold Inf, or end before.
#if defined(__AVX512F__)
inline unsigned present(const std::int32_t* columns) {
  return ~static_cast<unsigned>(
      _mm256_movemask_ps(_mm256_loadu_ps(reinterpret_cast<const float*>(columns))));
}
inline void add_gathered(RegisterSums& sums, const double* values, unsigned mask,
                         const std::int32_t* columns, const double* x) {
  const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns));
  sums.sum[0] += _mm512_loadu_pd(values) * _mm512_mask_i32gather_pd(_mm512_setzero_pd(),
                                                                    static_cast<__mmask8>(mask),
                                                                    from, x, sizeof(double));
}
inline void add_neighbours(RegisterSums& sums, const double* values, unsigned mask,
                           const double* x) {
  sums.sum[0] += _mm512_loadu_pd(values) * _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), x);
}
#elif defined(__AVX2__)
inline unsigned present(const std::int32_t* columns) {
  return ~static_cast<unsigned>(
      _mm_movemask_ps(_mm_loadu_ps(reinterpret_cast<const float*>(columns))));
}
inline __m256i lanes_of(unsigned mask) {
  const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
  return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask), bits), bits);
}
inline void add_gathered(RegisterSums& sums, const double* values, unsigned mask,
                         const std::int32_t* columns, const double* x) {
  const __m128i from = _mm_loadu_si128(reinterpret_cast<const __m128i*>(columns));
  sums.sum[0] += _mm256_loadu_pd(values) *
                 _mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, from,
                                          _mm256_castsi256_pd(lanes_of(mask)), sizeof(double));
}
inline void add_neighbours(RegisterSums& sums, const double* values, unsigned mask,
                           const double* x) {
  sums.sum[0] += _mm256_loadu_pd(values) * _mm256_maskload_pd(x, lanes_of(mask));
}
#else
inline unsigned present(const std::int32_t* columns) {
  unsigned mask = 0;
  for (int r = 0; r < vector_lanes; ++r) mask |= static_cast<unsigned>(columns[r] >= 0) << r;
  return mask;
}
inline void add_gathered(RegisterSums& sums, const double* values, unsigned mask,
                         const std::int32_t* columns, const double* x) {
  for (int r = 0; r < vector_lanes; ++r)
    if (mask >> r & 1) sums.sum[0][r] += values[r] * x[columns[r]];
}
inline void add_neighbours(RegisterSums& sums, const double* values, unsigned mask,
                           const double* x) {
  for (int r = 0; r < vector_lanes; ++r)
    if (mask >> r & 1) sums.sum[0][r] += values[r] * x[r];
}
#endif

/// SELL is column-major HLL of sorted rows. Private, for it has no choice of storage.
class SellRows : HllRows<StorageOrder::column_major> {
  using Hll = HllRows<StorageOrder::column_major>;

 public:
  template <class Matrix>
  explicit SellRows(const Matrix& sell) : Hll(sell), permutation_(sell.permutation.data()) {}

  using Hll::count;
  using Hll::entries_before;
  using Hll::unit;

  template <class Visit>
  void walk(std::int64_t first, std::int64_t last, const Visit& visit) const {
    Hll::walk(first, last, [&](std::int64_t i, const auto& row) { visit(permutation_[i], row); });
  }

  [[nodiscard]] bool fills_registers() const { return hack_size_ == vector_lanes; }
  [[nodiscard]] std::int64_t target(std::int64_t i) const { return permutation_[i]; }
  [[nodiscard]] RegisterSums slice_sums(std::int64_t first, const double* x) const {
    RegisterSums sums;
    const std::int64_t end = offsets_[first / vector_lanes + 1];
    for (std::int64_t n = offsets_[first / vector_lanes]; n < end; n += vector_lanes)
      add_gathered(sums, values_ + n, present(columns_ + n), columns_ + n, x);
    return sums;
  }

 private:
  const std::int32_t* __restrict permutation_;
};

/// A row of sliced diagonals has an entry in the slots of its slice whose mask says so.
struct DiagonalRow {
  const fatvec::detail::SlicedDiagonal<std::int32_t>* __restrict slots;
  const std::int32_t* __restrict columns;  ///< of the slots behind those of diagonals
  const double* __restrict values;
  std::int64_t diagonals;
  std::int64_t length;  ///< slots in all
  std::int64_t step;
  int place;  ///< of the row in its slice

  /// visit(value, column) for each entry.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::int64_t n = 0; n < diagonals; ++n)
      if (slots[n].mask >> place & 1) visit(values[n * step], slots[n].first_column + place);
    for (std::int64_t n = diagonals; n < length; ++n)
      if (slots[n].mask >> place & 1) visit(values[n * step], columns[(n - diagonals) * step]);
  }
};

/// Sliced diagonals; units are slices.
class DiagonalRows {
  struct Neighbours {
    std::int32_t first;
    std::int32_t operator()(int r) const { return first + r; }
  };
  struct Gathered {
    const std::int32_t* columns;
    std::int32_t operator()(int r) const { return columns[r]; }
  };

 public:
  template <class Matrix>
  explicit DiagonalRows(const Matrix& dia)
      : offsets_(dia.slot_offsets.data()),
        rest_offsets_(dia.rest_offsets.data()),
        slots_(dia.diagonals.data()),
        columns_(dia.entries.data()),
        values_(dia.values.data()),
        rows_(dia.rows()),
        slice_size_(dia.slice_size()) {}

  [[nodiscard]] std::int64_t count() const { return rows_; }
  [[nodiscard]] std::int64_t unit() const { return slice_size_; }
  [[nodiscard]] std::int64_t entries_before(std::int64_t slice) const {
    return offsets_[slice] * slice_size_;
  }

  template <class Visit>
  void walk(std::int64_t first, std::int64_t last, const Visit& visit) const {
    for (std::int64_t i = first, slice = first / slice_size_; i < last; ++slice) {
      const std::int64_t begin = offsets_[slice];
      const std::int64_t length = offsets_[slice + 1] - begin;
      const std::int64_t rest = rest_offsets_[slice];
      const std::int64_t diagonals = length - (rest_offsets_[slice + 1] - rest);
      const std::int64_t start = slice * slice_size_;
      for (const std::int64_t end = std::min(last, start + slice_size_); i < end; ++i) {
        const std::int64_t r = i - start;
        visit(i, DiagonalRow{slots_ + begin, columns_ + rest * slice_size_ + r,
                             values_ + begin * slice_size_ + r, diagonals, length, slice_size_,
                             static_cast<int>(r)});
      }
    }
  }

  [[nodiscard]] bool fills_registers() const { return slice_size_ == vector_lanes; }
  [[nodiscard]] RegisterSums slice_sums(std::int64_t first, const double* x) const {
    RegisterSums sums;
    for_each_slot(first, [&](std::uint32_t mask, const double* values, auto column) {
      if constexpr (requires { column.columns; })
        add_gathered(sums, values, mask, column.columns, x);
      else
        add_neighbours(sums, values, mask, x + column.first);
    });
    return sums;
  }
  /// visit(mask, values, column) for the slots of the slice that begins with row `first`, row r of
  /// which has the entry values[r] in column(r).
  template <class Visit>
  [[gnu::always_inline]] inline void for_each_slot(std::int64_t first, const Visit& visit) const {
    const std::int64_t slice = first / slice_size_;
    const std::int64_t end = offsets_[slice + 1];
    const std::int64_t rest = end - (rest_offsets_[slice + 1] - rest_offsets_[slice]);
    std::int64_t n = offsets_[slice];
    for (; n < rest; ++n)
      visit(slots_[n].mask, values_ + n * slice_size_, Neighbours{slots_[n].first_column});
    const std::int32_t* columns = columns_ + rest_offsets_[slice] * slice_size_;
    for (; n < end; ++n, columns += slice_size_)
      visit(slots_[n].mask, values_ + n * slice_size_, Gathered{columns});
  }

 private:
  const std::int32_t* __restrict offsets_;
  const std::int32_t* __restrict rest_offsets_;
  const fatvec::detail::SlicedDiagonal<std::int32_t>* __restrict slots_;
  const std::int32_t* __restrict columns_;
  const double* __restrict values_;
  std::int64_t rows_;
  std::int64_t slice_size_;
};

}  // namespace fatvec::bench::raw
