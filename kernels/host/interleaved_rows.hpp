// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/prefetch_entries.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// Neighbouring rows of a format that interleaves rows, in the lanes of a CPU's vector registers:
/// slot j of all of them is one load of values and one of column indices, and X is gathered. For
/// columns of X that are contiguous; compilers do not make gathers of such loops by themselves.
namespace fatvec::detail {

/// Rows that are multiplied together: a vector's lanes, or 1 where the types or the processor have
/// no gathers.
template <class Value, class T, class Ordinal>
inline constexpr int interleaved_rows = 1;
template <class T>
struct InterleavedRows;

#if defined(FATVEC_HAS_GNU_VECTORS)
template <HasRegisters T>
  requires has_gathers
inline constexpr int interleaved_rows<T, T, std::int32_t> = simd_lanes<T>;

template <class T>
struct InterleavedRows {
  static constexpr int rows = simd_lanes<T>;
  using Columns = Vec<std::int32_t, rows>;

  /// sums[w][r] = row r · column w of X, for `groups` vectors of neighbouring rows of the lengths
  /// given, whose first slots begin at `slot`. As long as all have entries, a slot of all of them
  /// is read before the next. Slots behind a row's end are not read, nor is X there.
  template <int width, int groups, class Walk>
  static void multiply(const std::int32_t (&lengths)[groups * rows], Walk slot,
                       const std::int32_t* entries, const T* values, const T* x,
                       std::int64_t column_stride, T (&sums)[width][groups * rows]) {
    Vec<T, rows> sum[groups][width];
    const auto add_masked = [&](auto g, const Walk& at, const Mask<rows>& present) {
      Vec<T, rows> value;
      Columns columns;
      value.load(values + at[0] + g * rows, present);
      columns.load(entries + at[0] + g * rows, present);
      unroll<width>([&](int w) {
        Vec<T, rows> of_x;
        of_x.gather(x + w * column_stride, columns, present);
        sum[g][w].add_product(value, of_x);
      });
    };
    const auto add = [&](auto g, const Walk& at) {
      prefetch_entries(values + at[0] + g * rows, entries + at[0] + g * rows);
      if constexpr (has_masks) {
        add_masked(g, at, Mask<rows>::first(rows));
      } else {  // faster than AVX2's gathers
        Vec<T, rows> value;
        value.load(values + at[0] + g * rows);
        unroll<width>([&](int w) {
          Vec<T, rows> of_x;
          of_x.gather(x + w * column_stride, entries + at[0] + g * rows);
          sum[g][w].add_product(value, of_x);
        });
      }
    };
    const auto of_all = least_and_greatest<groups * rows>(lengths);
    const std::int32_t common = of_all.first;
    for (std::int32_t j = 0; j < common; ++j, slot.advance(1))
      each<groups>([&](auto g) { add(g, slot); });
    if (common < of_all.second)
      each<groups>([&](auto g) {
        const std::int32_t* const of_group = lengths + g * rows;
        const auto [shortest, last] = least_and_greatest<rows>(of_group);
        Columns length;
        length.load(of_group);
        Walk at = slot;
        std::int32_t j = common;
        for (; j < shortest; ++j, at.advance(1)) add(g, at);
        for (; j < last; ++j, at.advance(1)) add_masked(g, at, Mask<rows>::of(length.data > j));
      });
    each<groups>(
        [&](auto g) { unroll<width>([&](int w) { sum[g][w].store(sums[w] + g * rows); }); });
  }

 private:
  /// In a loop that compilers make vectors of.
  template <int n>
  static std::pair<std::int32_t, std::int32_t> least_and_greatest(const std::int32_t* numbers) {
    std::int32_t least = numbers[0];
    std::int32_t greatest = numbers[0];
    for (int r = 1; r < n; ++r) {
      least = std::min(least, numbers[r]);
      greatest = std::max(greatest, numbers[r]);
    }
    return {least, greatest};
  }
};
#endif

}  // namespace fatvec::detail
