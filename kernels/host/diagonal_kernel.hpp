// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/host/partition.hpp>
#include <fatvec/kernels/host/prefetch.hpp>
#include <fatvec/kernels/host/simd.hpp>

/// Sliced diagonals times one vector, in a CPU's vector registers.
namespace fatvec::detail {

/// Whether a slice of as many rows as a register has lanes can be multiplied so.
template <class Value, class T, class Ordinal>
inline constexpr bool has_diagonal_kernel = false;
template <class S, class T, class Output>
struct DiagonalKernel;

#if defined(FATVEC_HAS_GNU_VECTORS)
template <HasRegisters T>
  requires has_gathers
inline constexpr bool has_diagonal_kernel<T, T, std::int32_t> = true;

/// The rows of a slice are the lanes of a register. What they need of X for a diagonal lies side by
/// side: one masked load, where other formats gather. What is left over is gathered.
template <class S, class T, class Output>
struct DiagonalKernel {
  static constexpr int lanes = simd_lanes<T>;
  S a;
  const T* x;  ///< contiguous
  Output output;
  RowPartition partition;  ///< of slices

  /// How partition counts slots.
  struct SlotsOfSlices {
    typename S::Rows rows;
    [[nodiscard]] std::int64_t slots_before(std::int64_t s) const { return rows.slot_offsets[s]; }
  };

  void operator()(std::int64_t part) const {
    const DiagonalKernel local = *this;  // of *this the compiler must think that Y changes it
    const SlotsOfSlices slots{a.access};
    const std::int64_t last = partition.begin(part + 1, slots);
    for (std::int64_t s = partition.begin(part, slots); s < last; ++s) local.multiply_slice(s);
  }

  FATVEC_FORCEINLINE void multiply_slice(std::int64_t s) const {
    const auto& rows = a.access;
    const std::int64_t end = rows.slot_offsets[s + 1];
    const std::int64_t first_rest = end - rows.rest(static_cast<std::uint32_t>(s));
    Vec<T, lanes> sum;
    Vec<T, lanes> value;
    Vec<T, lanes> of_x;
    std::int64_t n = rows.slot_offsets[s];
    for (; n < first_rest; ++n) {
      prefetch_entries(a.values + n * lanes, rows.first_columns + n);
      const auto present = Mask<lanes>::of_bits(rows.masks[n]);
      value.load(a.values + n * lanes, present);
      of_x.load(x + rows.first_columns[n], present);
      sum.add_product(value, of_x);
    }
    const std::int32_t* entries = a.entries + rows.rest_offsets[s] * lanes;
    for (; n < end; ++n, entries += lanes) {
      prefetch_entries(a.values + n * lanes, entries);
      const auto present = Mask<lanes>::of_bits(rows.masks[n]);
      Vec<std::int32_t, lanes> columns;
      value.load(a.values + n * lanes, present);
      columns.load(entries, present);
      of_x.gather(x, columns, present);
      sum.add_product(value, of_x);
    }
    T sums[lanes];
    sum.store(sums);
    const std::int64_t first = s * lanes;
    const std::int64_t count = Kokkos::min<std::int64_t>(lanes, a.count - first);
    for (std::int64_t r = 0; r < count; ++r) {
      const T of_row[1] = {sums[r]};
      output.store(first + r, 0, of_row);
    }
  }
};
#endif

/// Multiplies A by one contiguous vector, where that is possible; whether it was.
template <class ExecSpace, class S, class T, class Output>
bool multiply_diagonals([[maybe_unused]] const char* label, [[maybe_unused]] const ExecSpace& exec,
                        [[maybe_unused]] const host::Policy& policy, [[maybe_unused]] const S& a,
                        [[maybe_unused]] const T* x, [[maybe_unused]] const Output& output) {
  if constexpr (has_diagonal_kernel<typename S::value_type, T, typename S::ordinal_type>) {
    using Kernel = DiagonalKernel<S, T, Output>;
    if (a.access.slice_size != Kernel::lanes) return false;
    const std::int64_t parts = parts_for(exec, policy, a.stored_entries(), 1);
    const std::int64_t slices = (a.count + Kernel::lanes - 1) / Kernel::lanes;
    launch_parts(label, exec, parts,
                 Kernel{.a = a, .x = x, .output = output, .partition = {slices, parts}});
    return true;
  } else {
    return false;
  }
}

}  // namespace fatvec::detail
