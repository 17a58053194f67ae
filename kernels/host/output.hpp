// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/fused_output.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/partial_sums.hpp>

namespace fatvec::detail {

/// Whether non-temporal stores pay, for runs whose lengths are multiples of `step` elements: Y is
/// overwritten, `step` elements are whole lines, and the caches could not hold Y.
template <class Output>
bool may_stream(const Output& output, std::int64_t elements, std::int64_t step) {
  constexpr std::int64_t line = 64;
  constexpr std::int64_t size = sizeof(*output.y.data);
  const auto& y = output.y;
  return output.overwrites() && y.column_stride == 1 && step * size % line == 0 &&
         reinterpret_cast<std::uintptr_t>(y.data) % line == 0 && elements * size > streaming_bytes;
}

/// A row's values into whole lines of Y.
template <class T, int width>
FATVEC_FORCEINLINE_FUNCTION void stream_row(T* to, const T& factor, const T (&values)[width]) {
  int w = 0;
#if defined(FATVEC_HAS_GNU_VECTORS)
  if constexpr (HasRegisters<T>)
    for (; w + simd_lanes<T> <= width; w += simd_lanes<T>) {
      Vec<T, simd_lanes<T>> vector;
      vector.load(values + w);
      vector.scale(factor);
      vector.stream(to + w);
    }
#endif
  for (; w < width; ++w) to[w] = factor * values[w];
}

/// Outputs that may write Y by non-temporal stores.
template <class Output>
inline constexpr bool may_stream_to = is_scaled_sum<Output>;
template <class T>
inline constexpr bool may_stream_to<FusedOutput<T>> = true;

/// Where host kernels store: the rows of an output, from row `first` on.
template <class T, class Output>
struct HostOutput {
  Output output;
  std::int64_t first = 0;
  bool streams = false;  ///< Y is written by non-temporal stores

  static HostOutput of(const Output& output, std::int64_t rows, std::int64_t k) {
    HostOutput to{output};
    if constexpr (may_stream_to<Output>)
      to.streams = may_stream(output, rows * k, output.y.row_stride);
    return to;
  }
  /// Whole vectors of a tile that begins with one, then the rest.
  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void stream(std::int64_t i, std::int64_t c,
                                          const T (&sum)[width]) const {
    if constexpr (is_scaled_sum<Output>) {
      stream_row(&output.y(i - first, c), output.alpha, sum);
    } else {
      alignas(64) T value[width];
      const std::int64_t to = output.row_of(i);
      output.combine(to, c, sum, value);
      stream_row(&output.y(to, c), T{1}, value);
      output.add_up(to, c, value);
    }
  }
  /// Columns c ... of row i, counted from row `first` on.
  template <bool contiguous, int width>
  FATVEC_FORCEINLINE_FUNCTION void store(std::int64_t i, std::int64_t c,
                                         const T (&sum)[width]) const {
    if constexpr (!is_scaled_sum<Output> && width >= 8) {
      store_apart(i, c, sum);
    } else {
      if constexpr (is_scaled_sum<Output> && contiguous && width * sizeof(T) >= 64)
        if (streams) return stream(i, c, sum);
      output.store(i - first, c, sum);
    }
  }
  /// Not inlined: a kernel with many tiles would have as many copies of a long output.
  template <int width>
  [[gnu::noinline]] KOKKOS_FUNCTION void store_apart(std::int64_t i, std::int64_t c,
                                                     const T (&sum)[width]) const {
    if constexpr (may_stream_to<Output> && width * sizeof(T) >= 64)
      if (streams) return stream(i, c, sum);
    output.store(i - first, c, sum);
  }
  /// What a thread calls before its first store, and after its last.
  KOKKOS_INLINE_FUNCTION void begin(std::int64_t part) { begin_part(output, part); }
  KOKKOS_INLINE_FUNCTION void finish() const {
    if (streams) end_streams();
  }
};

}  // namespace fatvec::detail
