// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <type_traits>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/host/output.hpp>
#include <fatvec/kernels/host/partition.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/partial_sums.hpp>
#include <fatvec/kernels/shared/prefetch_entries.hpp>
#include <fatvec/kernels/shared/static_for.hpp>
#include <fatvec/kernels/shared/tile.hpp>

/// Sliced diagonals in a CPU's vector registers.
namespace fatvec::detail {

/// Whether a slice of as many rows as a register has lanes can be multiplied so.
template <class Value, class T, class Ordinal>
inline constexpr bool has_diagonal_kernel = false;
template <class Access, class T, class Output, int width>
struct DiagonalKernel;

#if defined(FATVEC_HAS_GNU_VECTORS)
template <class T, LoadsAs<T> Value>
  requires has_gathers
inline constexpr bool has_diagonal_kernel<Value, T, std::int32_t> = true;

/// A slice has as many rows as a register has lanes. With width == 0 rows of X have any number of
/// elements, and a slice is multiplied tile by tile: a row of X for each row that has the slot.
/// Otherwise they have `width` elements, so that what a diagonal needs of X lies side by side and
/// fills as many registers: one masked load for each, where other formats gather.
template <class Access, class T, class Output, int width>
struct DiagonalKernel {
  static constexpr int lanes = simd_lanes<T>;
  static constexpr std::uint32_t all_rows = (1U << lanes) - 1;
  /// Values that are prefetched ahead: as many bytes where they are of a smaller type than T.
  static constexpr int ahead = prefetched_ahead * sizeof(T) / sizeof(*Access::values);
  Access a;
  std::int64_t rows;
  MultiVectorSpan<const T, Columns::contiguous> x;
  HostOutput<T, Output> to;
  std::int64_t k;
  RowPartition partition;  ///< of slices
  bool in_one_row;         ///< elements of neighbouring rows of Y are neighbours, too

  /// How partition counts slots.
  struct SlotsOfSlices {
    Access a;
    [[nodiscard]] std::int64_t slots_before(std::int64_t s) const { return a.slot_offsets[s]; }
  };

  void operator()(std::int64_t part) const {
    DiagonalKernel local = *this;  // of *this the compiler must think that Y changes it
    local.to.begin(part);
    const SlotsOfSlices slots{a};
    const std::int64_t last = partition.begin(part + 1, slots);
    for (std::int64_t s = partition.begin(part, slots); s < last; ++s)
      if constexpr (width > 0)
        local.multiply_slice(s);
      else
        local.multiply_slice_by_tiles(s);
    to.finish();
  }

  /// All columns of a slice: all its rows at once where the columns make one tile that leaves
  /// registers, otherwise a few rows after the others, for rows of X are better read whole.
  FATVEC_FORCEINLINE void multiply_slice_by_tiles(std::int64_t s) const {
    constexpr int one_tile = simd_registers / 2;
    constexpr int few = simd_registers / 16;
    if (k == one_tile) return multiply_tile<one_tile, lanes>(s, 0, 0);
    for (int first = 0; first < lanes; first += few)
      multiply_columns<widest_tile<T>, few>(s, first, 0);
  }

  /// Columns c ... k - 1 of some rows.
  template <int w, int at_once>
  FATVEC_FORCEINLINE void multiply_columns(std::int64_t s, int first, std::int64_t c) const {
    for (; c + w <= k; c += w) multiply_tile<w, at_once>(s, first, c);
    if constexpr (w > 1)
      if (c < k) multiply_columns<w / 2, at_once>(s, first, c);
  }

  /// Of `at_once` rows from the slice's row `first` on, slot by slot.
  template <int w, int at_once>
  FATVEC_FORCEINLINE void multiply_tile(std::int64_t s, int first, std::int64_t c) const {
    using Sums = Tile<T, w>;
    constexpr std::uint32_t all = (1U << at_once) - 1;
    Sums sums[at_once];
    const auto add = [&](std::int64_t n, const auto& column) FATVEC_INLINE_LAMBDA {
      const std::uint32_t mask = a.diagonals[n].mask >> first & all;
      const auto* const values = a.values + n * lanes + first;
      const auto add_row = [&](int r) FATVEC_INLINE_LAMBDA {
        sums[r].add_product(values[r], Sums(&x(column(first + r), c), 1));
      };
      if (mask == all) return unroll<at_once>(add_row);
      unroll<at_once>([&](int r) FATVEC_INLINE_LAMBDA {
        if (mask >> r & 1) add_row(r);
      });
    };
    const std::int64_t end = a.slot_offsets[s + 1];
    const std::int64_t first_rest = end - a.rest(s);
    std::int64_t n = a.slot_offsets[s];
    for (; n < first_rest; ++n) {
      const std::int64_t first_column = a.diagonals[n].first_column;
      add(n, [=](int r) { return first_column + r; });
    }
    const std::int32_t* columns = a.entries + a.rest_offsets[s] * std::int64_t{lanes};
    for (; n < end; ++n, columns += lanes) add(n, [=](int r) { return columns[r]; });
    const std::int64_t row = s * lanes + first;
    const auto count = static_cast<int>(Kokkos::min<std::int64_t>(at_once, rows - row));
    for (int r = 0; r < count; ++r) {
      alignas(64) T of_row[w];
      sums[r].copy_to(of_row);
      to.template store<true>(row + r, c, of_row);
    }
  }

  FATVEC_FORCEINLINE void multiply_slice(std::int64_t s) const {
    const std::int64_t end = a.slot_offsets[s + 1];
    const std::int64_t rest = a.rest(s);
    Vec<T, lanes> sum[width];
    for (std::int64_t n = a.slot_offsets[s]; n < end - rest; ++n) {
      const std::uint32_t mask = a.diagonals[n].mask;
      const T* const of_x = x.data + std::int64_t{a.diagonals[n].first_column} * width;
      FATVEC_PREFETCH(a.values + n * lanes + ahead);
      Vec<T, lanes> values;
      values.load(a.values + n * lanes);  // absent ones, too: they may be anything
      Vec<T, lanes> x_values;
      if (mask == all_rows) {
        each<width>([&]<int p>(Width<p>) FATVEC_INLINE_LAMBDA {
          x_values.load(of_x + p * lanes);
          sum[p].add_product(values.template repeated<width, p>(), x_values);
        });
      } else {
        each<width>([&]<int p>(Width<p>) FATVEC_INLINE_LAMBDA {
          const auto present = Mask<lanes>::template of_bits<width, p>(mask);
          x_values.load(of_x + p * lanes, present);
          sum[p].add_product(values.template repeated<width, p>(), x_values, present);
        });
      }
    }
    alignas(64) T sums[lanes * width];
    for (int p = 0; p < width; ++p) sum[p].store(sums + p * lanes);
    if (rest > 0) add_rest(s, end - rest, end, sums);
    const std::int64_t first = s * lanes;
    if constexpr (is_scaled_sum<Output>)
      if (in_one_row && first + lanes <= rows) return to.template store<true>(first, 0, sums);
    const auto count = static_cast<int>(Kokkos::min<std::int64_t>(lanes, rows - first));
    for (int r = 0; r < count; ++r) {
      alignas(64) T of_row[width];
      for (int c = 0; c < width; ++c) of_row[c] = sums[r * width + c];
      to.template store<true>(first + r, 0, of_row);
    }
  }

  /// Slots that have a column for each row.
  [[gnu::noinline]] void add_rest(std::int64_t s, std::int64_t first, std::int64_t end,
                                  T (&sums)[lanes * width]) const {
    const std::int32_t* columns = a.entries + a.rest_offsets[s] * std::int64_t{lanes};
    if constexpr (width == 1) {
      Vec<T, lanes> sum;
      sum.load(sums);
      for (std::int64_t n = first; n < end; ++n, columns += lanes) {
        const auto present = Mask<lanes>::of_bits(a.diagonals[n].mask);
        Vec<T, lanes> values;
        Vec<T, lanes> x_values;
        Vec<std::int32_t, lanes> of_rows;
        values.load(a.values + n * lanes, present);
        of_rows.load(columns, present);
        x_values.gather(x.data, of_rows, present);
        sum.add_product(values, x_values);
      }
      sum.store(sums);
    } else {
      for (std::int64_t n = first; n < end; ++n, columns += lanes)
        for (std::uint32_t left = a.diagonals[n].mask; left != 0; left &= left - 1) {
          const int r = std::countr_zero(left);
          const T value = a.values[n * lanes + r];
          const T* const of_x = x.data + std::int64_t{columns[r]} * width;
          for (int c = 0; c < width; ++c) sums[r * width + c] += value * of_x[c];
        }
    }
  }
};
#endif

/// The numbers of columns that the kernel is compiled for.
using DiagonalWidths = Widths<1, 2, 3, 4, 5, 6, 7, 8>;

/// Multiplies A by k columns, where that is possible; whether it was.
template <class ExecSpace, class M, class T, class Output>
bool multiply_diagonals([[maybe_unused]] const char* label, [[maybe_unused]] const ExecSpace& exec,
                        [[maybe_unused]] const host::Policy& policy, [[maybe_unused]] const M& a,
                        [[maybe_unused]] const MultiVectorSpan<const T, Columns::contiguous>& x,
                        [[maybe_unused]] const Output& output, [[maybe_unused]] std::int64_t k) {
  if constexpr (has_diagonal_kernel<typename M::value_type, T, typename M::ordinal_type>) {
    constexpr int lanes = simd_lanes<T>;
    if (a.slice_size() != lanes) return false;
    HostOutput<T, Output> to = HostOutput<T, Output>::of(output, a.rows(), k);
    begin_sums(to.output, 0, k);
    const std::int64_t parts =
        take_parts(to.output, parts_for(exec, policy, a.stored_entries(), k));
    bool in_one_row = false;
    if constexpr (is_scaled_sum<Output>) {
      if (k == 1) to.output.y.column_stride = 1;  // of the only one
      in_one_row = k <= 8 && to.output.y.row_stride == k && to.output.y.column_stride == 1;
      if (in_one_row) to.streams = may_stream(to.output, a.rows() * k, lanes * k);
    }
    const auto launch = [&]<int width>(Width<width>) {
      launch_parts(
          label, exec, parts,
          DiagonalKernel<typename M::Access, T, Output, width>{.a = a.row_visitor(),
                                                               .rows = a.rows(),
                                                               .x = x,
                                                               .to = to,
                                                               .k = k,
                                                               .partition = {a.slices(), parts},
                                                               .in_one_row = in_one_row});
    };
    bool narrow = false;
    if (x.row_stride == k)
      with_width(DiagonalWidths{}, k, [&]<int width>(Width<width> of_width) {
        if (width == k) launch(of_width);
        narrow = narrow || width == k;
      });
    if (!narrow) launch(Width<0>{});
    join_sums(exec, to.output);
    return true;
  } else {
    return false;
  }
}

}  // namespace fatvec::detail
