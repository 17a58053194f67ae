// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/host_pass.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/detail/pack.hpp>
#include <fatvec/kernels/detail/rhs_tile.hpp>

namespace fatvec::detail {

/// The only place that knows alpha and beta: Y(i, c ...) = beta · Y(i, c ...) + alpha · sum. beta =
/// 0 overwrites Y, even NaN. Y's strides are run-time values, for Y is touched once per row and
/// tile.
template <class T>
struct Epilogue {
  T alpha;
  T beta;
  MultiVectorSpan<T, Columns::strided> y;
  bool streams = false;  ///< CPU: whole lines of Y go past the caches

  /// The same, streaming where that pays: Y is overwritten, its rows are lines, and the caches
  /// could not hold it anyway.
  [[nodiscard]] Epilogue streaming(std::int64_t rows, std::int64_t k) const {
    constexpr std::int64_t line = 64;
    constexpr std::int64_t size = sizeof(T);
    Epilogue result = *this;
    result.streams = overwrites() && y.column_stride == 1 && y.row_stride * size % line == 0 &&
                     reinterpret_cast<std::uintptr_t>(y.data) % line == 0 &&
                     rows * k * size > larger_than_caches;
    return result;
  }
  /// What a thread calls after its last store.
  KOKKOS_INLINE_FUNCTION void finish() const {
#if defined(FATVEC_GNU_HOST_PASS)
    if (streams) end_stores_past_caches();
#endif
  }

  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool overwrites() const { return beta == T{}; }
  /// What an element of Y becomes.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION T combined(const T& old, const T& sum) const {
    return overwrites() ? alpha * sum : beta * old + alpha * sum;
  }

  /// Stores the first `count` columns of a tile: c, c + spacing, c + 2 · spacing, ...
  template <int width>
  KOKKOS_INLINE_FUNCTION void store(std::int64_t i, std::int64_t c, const T (&sum)[width],
                                    int count = width, std::int64_t spacing = 1) const {
    T* const to = &y(i, c);
    const std::int64_t step = spacing * y.column_stride;
    if (step == 1) {  // lets a CPU store whole vectors
      combine<width>(sum, count, [to](int w) -> T& { return to[w]; });
    } else {
      combine<width>(sum, count, [to, step](int w) -> T& { return to[w * step]; });
    }
  }

  /// The same of sums in vector registers, which stay there where the columns of Y are neighbours.
  template <class Sum>
    requires requires { Sum::vectorised; }
  FATVEC_FORCEINLINE_FUNCTION void store(std::int64_t i, std::int64_t c, const Sum& sum) const {
    if (!Sum::vectorised || y.column_stride != 1) {
      T sums[Sum::width];
      sum.store(sums);
      if constexpr (Sum::vectorised)
        return store_apart(i, c, sums, sum.columns());
      else
        return store(i, c, sums);
    }
    T* const to = &y(i, c);
    if (streams)
      sum.stream(to, alpha);
    else if (overwrites())
      sum.overwrite(to, alpha);
    else
      sum.combine(to, alpha, beta);
  }

 private:
  /// Not inlined: GCC would take vectors to pieces before it asks whether it must.
  template <int width>
  [[gnu::noinline]] KOKKOS_FUNCTION void store_apart(std::int64_t i, std::int64_t c,
                                                     const T (&sum)[width], int columns) const {
    store(i, c, sum, columns);
  }

  template <int width, class At>
  KOKKOS_INLINE_FUNCTION void combine(const T (&sum)[width], int count, const At& at) const {
    const bool overwrite = overwrites();
    if (overwrite && count == width) {
      unroll<width>([&](int w) { at(w) = alpha * sum[w]; });
    } else if (overwrite) {
      unroll<width>([&](int w) {
        if (w < count) at(w) = alpha * sum[w];
      });
    } else {
      unroll<width>([&](int w) {
        if (w < count) at(w) = beta * at(w) + alpha * sum[w];
      });
    }
  }
};

}  // namespace fatvec::detail
