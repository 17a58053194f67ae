// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_SIMD.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <fatvec/kernels/shared/static_for.hpp>

/// Neighbouring rows of a format that interleaves rows, in the lanes of a CPU's vector registers:
/// slot j of all of them is one load of values and one of column indices, and X is gathered. For
/// columns of X that lie densely in memory; compilers do not make gathers of such loops by
/// themselves.
namespace fatvec::detail {

namespace simd = Kokkos::Experimental;

/// Rows of a group of A's values: a vector's lanes, or 1 where Kokkos has no gathers for the types
/// or the processor.
template <class Value, class T, class Ordinal>
inline constexpr int group_rows = 1;
template <class T>
  requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
inline constexpr int group_rows<T, T, std::int32_t> = static_cast<int>(simd::simd<T>::size());

/// Whether a masked gather is faster than as many loads: AVX2's is not.
#if defined(__AVX512F__)
inline constexpr bool has_gathers = true;
#else
inline constexpr bool has_gathers = false;
#endif

template <class T, class Ordinal>
struct RowGroup {
  static constexpr int rows = group_rows<T, T, Ordinal>;
  using Values = simd::simd<T>;
  using Columns = simd::simd<std::int32_t, rows>;
  using Mask = typename Values::mask_type;

  /// sums[w][r] = row r · column w of X, for rows of the lengths given, whose first slots begin at
  /// `slot`. Slots behind a row's end are not read, nor is X there.
  template <int width, class Walk>
  static void multiply(const std::int32_t (&lengths)[rows], Walk slot, const Ordinal* entries,
                       const T* values, const T* x, std::int64_t column_stride,
                       T (&sums)[width][rows]) {
    Values sum[width];
    unroll<width>([&](int w) { sum[w] = Values(T{}); });
    const auto add = [&](const Mask& present) {
      Values value(T{});
      Columns column(0);
      simd::where(present, value).copy_from(values + slot[0], simd::simd_flag_default);
      simd::where(typename Columns::mask_type(present), column)
          .copy_from(entries + slot[0], simd::simd_flag_default);
      unroll<width>([&](int w) {
        Values gathered(T{});
        simd::where(present, gathered).gather_from(x + w * column_stride, column);
        sum[w] = Kokkos::fma(value, gathered, sum[w]);
      });
    };
    const auto [shortest, longest] = std::minmax_element(lengths, lengths + rows);
    std::int32_t j = 0;
    for (; j < *shortest; ++j, slot.advance(1)) {
      if constexpr (has_gathers) {
        add(Mask(true));
      } else {
        Values value;
        value.copy_from(values + slot[0], simd::simd_flag_default);
        const Ordinal* const column = entries + slot[0];
        unroll<width>([&](int w) {
          const T* const from = x + w * column_stride;
          const Values loaded([&](std::size_t r) { return from[column[r]]; });
          sum[w] = Kokkos::fma(value, loaded, sum[w]);
        });
      }
    }
    if (j < *longest) {
      Columns length;
      length.copy_from(lengths, simd::simd_flag_default);
      for (; j < *longest; ++j, slot.advance(1)) {
        if constexpr (std::is_constructible_v<Mask, typename Columns::mask_type>)
          add(Mask(length > Columns(j)));
        else  // float with AVX2
          add(Mask([&](std::size_t r) { return lengths[r] > j; }));
      }
    }
    unroll<width>([&](int w) { sum[w].copy_to(sums[w], simd::simd_flag_default); });
  }
};

}  // namespace fatvec::detail
