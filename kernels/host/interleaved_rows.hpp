// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/host/gather.hpp>
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

/// Slots that all of `rows` neighbouring rows have.
template <int rows>
FATVEC_FORCEINLINE_FUNCTION std::int32_t common_length(const std::int32_t* lengths) {
  std::int32_t least = lengths[0];
  for (int r = 1; r < rows; ++r) least = Kokkos::min(least, lengths[r]);
  return least;
}

#if defined(FATVEC_HAS_GNU_VECTORS)
template <class T, LoadsAs<T> Value>
  requires has_gathers
inline constexpr int interleaved_rows<Value, T, std::int32_t> = simd_lanes<T>;

template <class T>
struct InterleavedRows {
  static constexpr int rows = simd_lanes<T>;
  using Lengths = Vec<std::int32_t, rows>;

  /// sums[w][r] = row r · column w of X, for `count` neighbouring rows, which fill at most `groups`
  /// vectors; the first slots of row r are at `slot` + r. A slot of all of them is read before the
  /// next. Slots behind a row's end are not read, nor is X there.
  template <int width, int groups, class Walk, class Value>
  static void multiply(const std::int32_t* row_lengths, std::int64_t count, Walk slot,
                       const std::int32_t* entries, const Value* values, const T* x,
                       std::int64_t column_stride, T (&sums)[width][groups * rows]) {
    Lengths length[groups];
    Vec<T, rows> sum[groups][width];
    for (int g = 0; g < groups; ++g) {
      const std::int64_t left = std::clamp<std::int64_t>(count - g * rows, 0, rows);
      length[g].load(row_lengths + g * rows, Mask<rows>::first(left));
    }
    // A mask costs as much as a load: first what all rows have.
    const bool full = count == groups * rows;
    const std::int32_t common = full ? common_length<groups * rows>(row_lengths) : 0;
    const auto add_common = [&](auto gather) FATVEC_INLINE_LAMBDA {
      for (std::int32_t j = 0; j < common; ++j, slot.advance(1))
        each<groups>([&](auto g) {
          const Value* const from = values + slot[0] + g * rows;
          const std::int32_t* const column = entries + slot[0] + g * rows;
          prefetch_entries(from, column);
          Vec<T, rows> value;
          Vec<T, rows> of_x;
          value.load(from);
          unroll<width>([&](int w) {
            gather(of_x, x + w * column_stride, column);
            sum[g][w].add_product(value, of_x);
          });
        });
    };
    if (gathers_pay<T>())
      add_common(ByInstruction());
    else
      add_common(ByLoads());
    std::int32_t j = common;
    for (bool any = true; any; ++j, slot.advance(1)) {
      any = false;
      each<groups>([&](auto g) {
        const auto present = Mask<rows>::greater(length[g].data, j);
        if (!present.any()) return;
        any = true;
        const Value* const from = values + slot[0] + g * rows;
        const std::int32_t* const column = entries + slot[0] + g * rows;
        prefetch_entries(from, column);
        Vec<T, rows> value;
        Vec<T, rows> of_x;
        Lengths columns;
        value.load(from, present);
        columns.load(column, present);
        unroll<width>([&](int w) {
          of_x.gather(x + w * column_stride, columns, present);
          sum[g][w].add_product(value, of_x);
        });
      });
    }
    each<groups>(
        [&](auto g) { unroll<width>([&](int w) { sum[g][w].store(sums[w] + g * rows); }); });
  }
};
#endif

}  // namespace fatvec::detail
