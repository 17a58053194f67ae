// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>
#include <type_traits>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/host/output.hpp>
#include <fatvec/kernels/host/partition.hpp>
#include <fatvec/kernels/host/prefetch.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/partial_sums.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// Sliced diagonals times few dense columns, in a CPU's vector registers.
namespace fatvec::detail {

/// Whether a slice of as many rows as a register has lanes can be multiplied so.
template <class Value, class T, class Ordinal>
inline constexpr bool has_diagonal_kernel = false;
template <class Access, class T, class Output, int k>
struct DiagonalKernel;

#if defined(FATVEC_HAS_GNU_VECTORS)
template <class T, LoadsAs<T> Value>
  requires has_gathers
inline constexpr bool has_diagonal_kernel<Value, T, std::int32_t> = true;

/// A slice has as many rows as a register has lanes, and rows of X have k elements. So what a
/// diagonal needs of X lies side by side, and fills k registers: one masked load for each, where
/// other formats gather.
template <class Access, class T, class Output, int k>
struct DiagonalKernel {
  static constexpr int lanes = simd_lanes<T>;
  static constexpr std::uint32_t all_rows = (1U << lanes) - 1;
  Access a;
  std::int64_t rows;
  const T* x;  ///< row-major, without gaps
  Output output;
  RowPartition partition;  ///< of slices
  bool streams = false;    ///< Y, dense and row-major, is written by non-temporal stores

  /// How partition counts slots.
  struct SlotsOfSlices {
    Access a;
    [[nodiscard]] std::int64_t slots_before(std::int64_t s) const { return a.slot_offsets[s]; }
  };

  void operator()(std::int64_t part) const {
    DiagonalKernel local = *this;  // of *this the compiler must think that Y changes it
    begin_part(local.output, part);
    const SlotsOfSlices slots{a};
    const std::int64_t last = partition.begin(part + 1, slots);
    for (std::int64_t s = partition.begin(part, slots); s < last; ++s) local.multiply_slice(s);
    if (streams) end_streams();
  }

  FATVEC_FORCEINLINE void multiply_slice(std::int64_t s) const {
    const std::int64_t end = a.slot_offsets[s + 1];
    const std::int64_t rest = a.rest(s);
    constexpr int ahead = prefetched_ahead * sizeof(T) / sizeof(*a.values);  // as many bytes
    Vec<T, lanes> sum[k];
    for (std::int64_t n = a.slot_offsets[s]; n < end - rest; ++n) {
      const std::uint32_t mask = a.diagonals[n].mask;
      const T* const of_x = x + std::int64_t{a.diagonals[n].first_column} * k;
      FATVEC_PREFETCH(a.values + n * lanes + ahead);
      FATVEC_PREFETCH(a.diagonals + n + prefetched_ahead / lanes);
      Vec<T, lanes> values;
      Vec<T, lanes> x_values;
      if (mask == all_rows) {
        values.load(a.values + n * lanes);
        each<k>([&]<int p>(Width<p>) FATVEC_INLINE_LAMBDA {
          x_values.load(of_x + p * lanes);
          sum[p].add_product(values.template repeated<k, p>(), x_values);
        });
      } else {
        values.load(a.values + n * lanes, Mask<lanes>::of_bits(mask));
        each<k>([&]<int p>(Width<p>) FATVEC_INLINE_LAMBDA {
          x_values.load(of_x + p * lanes, Mask<lanes>::template of_bits<k, p>(mask));
          sum[p].add_product(values.template repeated<k, p>(), x_values);
        });
      }
    }
    alignas(64) T sums[lanes * k];
    for (int p = 0; p < k; ++p) sum[p].store(sums + p * lanes);
    if (rest > 0) add_rest(s, end - rest, end, sums);
    const std::int64_t first = s * lanes;
    if constexpr (is_scaled_sum<Output>)
      if (streams && first + lanes <= rows) {
        for (int p = 0; p < k; ++p) {
          sum[p].load(sums + p * lanes);
          sum[p].scale(output.alpha);
          sum[p].stream(&output.y(first, 0) + p * lanes);
        }
        return;
      }
    const auto count = static_cast<int>(Kokkos::min<std::int64_t>(lanes, rows - first));
    for (int r = 0; r < count; ++r) {
      alignas(64) T of_row[k];
      for (int c = 0; c < k; ++c) of_row[c] = sums[r * k + c];
      output.store(first + r, 0, of_row);
    }
  }

  /// Slots that have a column for each row.
  [[gnu::noinline]] void add_rest(std::int64_t s, std::int64_t first, std::int64_t end,
                                  T (&sums)[lanes * k]) const {
    const std::int32_t* columns = a.entries + a.rest_offsets[s] * std::int64_t{lanes};
    if constexpr (k == 1) {
      Vec<T, lanes> sum;
      sum.load(sums);
      for (std::int64_t n = first; n < end; ++n, columns += lanes) {
        const auto present = Mask<lanes>::of_bits(a.diagonals[n].mask);
        Vec<T, lanes> values;
        Vec<T, lanes> x_values;
        Vec<std::int32_t, lanes> of_rows;
        values.load(a.values + n * lanes, present);
        of_rows.load(columns, present);
        x_values.gather(x, of_rows, present);
        sum.add_product(values, x_values);
      }
      sum.store(sums);
    } else {
      for (std::int64_t n = first; n < end; ++n, columns += lanes)
        for (std::uint32_t left = a.diagonals[n].mask; left != 0; left &= left - 1) {
          const int r = std::countr_zero(left);
          const T value = a.values[n * lanes + r];
          const T* const of_x = x + std::int64_t{columns[r]} * k;
          for (int c = 0; c < k; ++c) sums[r * k + c] += value * of_x[c];
        }
    }
  }
};
#endif

/// The numbers of columns that the kernel is compiled for.
using DiagonalWidths = Widths<1, 2, 3, 4, 5, 6, 7, 8>;

/// Multiplies A by k dense columns, where that is possible; whether it was.
template <class ExecSpace, class M, class T, class Output>
bool multiply_diagonals([[maybe_unused]] const char* label, [[maybe_unused]] const ExecSpace& exec,
                        [[maybe_unused]] const host::Policy& policy, [[maybe_unused]] const M& a,
                        [[maybe_unused]] const MultiVectorSpan<const T, Columns::contiguous>& x,
                        [[maybe_unused]] const Output& output, [[maybe_unused]] std::int64_t k) {
  if constexpr (has_diagonal_kernel<typename M::value_type, T, typename M::ordinal_type>) {
    constexpr int lanes = simd_lanes<T>;
    if (a.slice_size() != lanes || x.row_stride != k) return false;
    bool done = false;
    with_width(DiagonalWidths{}, k, [&]<int width>(Width<width>) {
      if (width != k) return;
      done = true;
      bool streams = false;
      if constexpr (is_scaled_sum<Output>)
        streams = output.y.row_stride == k && may_stream(output, a.rows() * k, lanes * k);
      Output to = output;
      begin_sums(to, 0, k);
      const std::int64_t parts = take_parts(to, parts_for(exec, policy, a.stored_entries(), k));
      launch_parts(
          label, exec, parts,
          DiagonalKernel<typename M::Access, T, Output, width>{.a = a.row_visitor(),
                                                               .rows = a.rows(),
                                                               .x = x.data,
                                                               .output = to,
                                                               .partition = {a.slices(), parts},
                                                               .streams = streams});
      join_sums(exec, to);
    });
    return done;
  } else {
    return false;
  }
}

}  // namespace fatvec::detail
