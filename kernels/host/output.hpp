// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/host/simd.hpp>
#include <fatvec/kernels/shared/output.hpp>

namespace fatvec::detail {

/// The epilogue of host kernels, whose sums are in vector registers: of rows first, first + 1, ...
/// of Y.
template <class T>
struct HostEpilogue : Epilogue<T> {
  std::int64_t first = 0;
  bool streams = false;  ///< whole lines of Y are written by non-temporal stores

  /// The epilogue of all rows, with non-temporal stores where they pay: Y is overwritten, its rows
  /// are whole lines, and the caches could not hold it.
  static HostEpilogue of(const Epilogue<T>& epilogue, std::int64_t rows, std::int64_t k) {
    constexpr std::int64_t line = 64;
    constexpr std::int64_t size = sizeof(T);
    const auto& y = epilogue.y;
    const bool streams = epilogue.overwrites() && y.column_stride == 1 &&
                         y.row_stride * size % line == 0 &&
                         reinterpret_cast<std::uintptr_t>(y.data) % line == 0 &&
                         rows * k * size > larger_than_caches;
    return {epilogue, 0, streams};
  }
  /// What a thread calls after its last store.
  KOKKOS_INLINE_FUNCTION void finish() const {
    if (streams) end_stores_past_caches();
  }

  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void store(std::int64_t i, std::int64_t c,
                                         const T (&sum)[width]) const {
    Epilogue<T>::store(i - first, c, sum);
  }
  /// Sums in vector registers stay there where the columns of Y are contiguous.
  template <class Sum>
    requires requires { Sum::vectorised; }
  FATVEC_FORCEINLINE_FUNCTION void store(std::int64_t i, std::int64_t c, const Sum& sum) const {
    if (!Sum::vectorised || this->y.column_stride != 1) {
      T sums[Sum::width];
      sum.store(sums);
      if constexpr (Sum::vectorised)
        return store_strided(i - first, c, sums, sum.columns());
      else
        return Epilogue<T>::store(i - first, c, sums);
    }
    T* const to = &this->y(i - first, c);
    if (streams)
      sum.stream(to, this->alpha);
    else if (this->overwrites())
      sum.overwrite(to, this->alpha);
    else
      sum.combine(to, this->alpha, this->beta);
  }

 private:
  /// Not inlined: GCC would take vectors to pieces before it asks whether it must.
  template <int width>
  [[gnu::noinline]] KOKKOS_FUNCTION void store_strided(std::int64_t i, std::int64_t c,
                                                       const T (&sum)[width], int columns) const {
    Epilogue<T>::store(i, c, sum, columns);
  }
};

}  // namespace fatvec::detail
