// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <fatvec/formats/detail/diagonal_access.hpp>

#include "raw/openmp/sums.hpp"
#include "raw/operands.hpp"

/// Formats of slices, for RowTiles, which takes the rows of a slice at once where a register has a
/// lane for each:
///   fills_registers()             whether that is so
///   slice_sums(first, x)          one column: the sums of the slice that begins with row `first`
///   target(i)                     the matrix's row of stored row i, where rows are permuted
///   for_each_slot(first, visit)   a slot at a time, where slots have masks
namespace fatvec::bench::raw::inline FATVEC_BENCH_IN {

using RegisterSums = VectorSums<vector_lanes>;

/// present(columns): a bit for each row that has a column, which padding has not.
/// gathered(...), neighbours(...): values times x[columns[r]], or x[r], of the rows r whose bit is
/// set, else 0. Of the others X is not read: it may hold Inf, or end before.
#if defined(__AVX512F__)
inline unsigned present(const std::int32_t* columns) {
  if constexpr (vector_lanes == 16)
    return _mm512_cmpge_epi32_mask(_mm512_loadu_si512(columns), _mm512_setzero_si512());
  return ~static_cast<unsigned>(
      _mm256_movemask_ps(_mm256_loadu_ps(reinterpret_cast<const float*>(columns))));
}
inline __m512d gathered(const double* values, unsigned mask, const std::int32_t* columns,
                        const double* x) {
  const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns));
  return _mm512_loadu_pd(values) * _mm512_mask_i32gather_pd(_mm512_setzero_pd(),
                                                            static_cast<__mmask8>(mask), from, x,
                                                            sizeof(double));
}
inline __m512 gathered(const float* values, unsigned mask, const std::int32_t* columns,
                       const float* x) {
  return _mm512_loadu_ps(values) *
         _mm512_mask_i32gather_ps(_mm512_setzero_ps(), static_cast<__mmask16>(mask),
                                  _mm512_loadu_si512(columns), x, sizeof(float));
}
inline __m512d neighbours(const double* values, unsigned mask, const double* x) {
  return _mm512_loadu_pd(values) * _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), x);
}
inline __m512 neighbours(const float* values, unsigned mask, const float* x) {
  return _mm512_loadu_ps(values) * _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), x);
}
#elif defined(__AVX2__)
inline unsigned present(const std::int32_t* columns) {
  const auto* const signs = reinterpret_cast<const float*>(columns);
  return ~static_cast<unsigned>(vector_lanes == 8 ? _mm256_movemask_ps(_mm256_loadu_ps(signs))
                                                  : _mm_movemask_ps(_mm_loadu_ps(signs)));
}
inline __m256i lanes_of(const double*, unsigned mask) {
  const __m256i bits = _mm256_setr_epi64x(1, 2, 4, 8);
  return _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(mask), bits), bits);
}
inline __m256i lanes_of(const float*, unsigned mask) {
  const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask)), bits),
                            bits);
}
inline __m256d gathered(const double* values, unsigned mask, const std::int32_t* columns,
                        const double* x) {
  const __m128i from = _mm_loadu_si128(reinterpret_cast<const __m128i*>(columns));
  return _mm256_loadu_pd(values) * _mm256_mask_i32gather_pd(_mm256_setzero_pd(), x, from,
                                                            _mm256_castsi256_pd(lanes_of(x, mask)),
                                                            sizeof(double));
}
inline __m256 gathered(const float* values, unsigned mask, const std::int32_t* columns,
                       const float* x) {
  const __m256i from = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(columns));
  return _mm256_loadu_ps(values) * _mm256_mask_i32gather_ps(_mm256_setzero_ps(), x, from,
                                                            _mm256_castsi256_ps(lanes_of(x, mask)),
                                                            sizeof(float));
}
inline __m256d neighbours(const double* values, unsigned mask, const double* x) {
  return _mm256_loadu_pd(values) * _mm256_maskload_pd(x, lanes_of(x, mask));
}
inline __m256 neighbours(const float* values, unsigned mask, const float* x) {
  return _mm256_loadu_ps(values) * _mm256_maskload_ps(x, lanes_of(x, mask));
}
#else
using Register = std::remove_reference_t<decltype(RegisterSums().sum[0])>;
inline unsigned present(const std::int32_t* columns) {
  unsigned mask = 0;
  for (int r = 0; r < vector_lanes; ++r) mask |= static_cast<unsigned>(columns[r] >= 0) << r;
  return mask;
}
inline Register gathered(const Scalar* values, unsigned mask, const std::int32_t* columns,
                         const Scalar* x) {
  Register products{};
  for (int r = 0; r < vector_lanes; ++r)
    if (mask >> r & 1) products[r] = values[r] * x[columns[r]];
  return products;
}
inline Register neighbours(const Scalar* values, unsigned mask, const Scalar* x) {
  Register products{};
  for (int r = 0; r < vector_lanes; ++r)
    if (mask >> r & 1) products[r] = values[r] * x[r];
  return products;
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
  [[nodiscard]] RegisterSums slice_sums(std::int64_t first, const Scalar* x) const {
    RegisterSums sums;
    const std::int64_t end = offsets_[first / vector_lanes + 1];
    for (std::int64_t n = offsets_[first / vector_lanes]; n < end; n += vector_lanes)
      sums.sum[0] += gathered(values_ + n, present(columns_ + n), columns_ + n, x);
    return sums;
  }

 private:
  const std::int32_t* __restrict permutation_;
};

/// A row of sliced diagonals has an entry in the slots of its slice whose mask says so.
struct DiagonalRow {
  const fatvec::detail::SlicedDiagonal<std::int32_t>* __restrict slots;
  const std::int32_t* __restrict columns;  ///< of the slots behind those of diagonals
  const Scalar* __restrict values;
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
  [[nodiscard]] RegisterSums slice_sums(std::int64_t first, const Scalar* x) const {
    RegisterSums sums;
    for_each_slot(first, [&](std::uint32_t mask, const Scalar* values, auto column) {
      if constexpr (requires { column.columns; })
        sums.sum[0] += gathered(values, mask, column.columns, x);
      else
        sums.sum[0] += neighbours(values, mask, x + column.first);
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
  const Scalar* __restrict values_;
  std::int64_t rows_;
  std::int64_t slice_size_;
};

}  // namespace fatvec::bench::raw::inline FATVEC_BENCH_IN
