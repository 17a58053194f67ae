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
    const bool streams =
        epilogue.overwrites() && y.column_stride == 1 && y.row_stride * size % line == 0 &&
        reinterpret_cast<std::uintptr_t>(y.data) % line == 0 && rows * k * size > streaming_bytes;
    return {epilogue, 0, streams};
  }
  /// What a thread calls after its last store.
  KOKKOS_INLINE_FUNCTION void finish() const {
    if (streams) end_streams();
  }

  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void store(std::int64_t i, std::int64_t c,
                                         const T (&sum)[width]) const {
    Epilogue<T>::store(i - first, c, sum);
  }
  /// Sums in vector registers stay there where the columns of Y are contiguous.
  template <class Sums>
    requires requires { Sums::vectorised; }
  FATVEC_FORCEINLINE_FUNCTION void store(std::int64_t i, std::int64_t c, const Sums& sums) const {
    if constexpr (!Sums::vectorised) {
      T stored[Sums::width];
      sums.store(stored);
      Epilogue<T>::store(i - first, c, stored);
    } else {
      if (this->y.column_stride != 1) {
        T stored[Sums::width];
        sums.store(stored);
        return store_strided(i - first, c, stored, sums.columns());
      }
      T* const to = &this->y(i - first, c);
      const T alpha = this->alpha;
      const T beta = this->beta;
      if (streams)
        sums.for_each([=](int w, auto sum, const auto&... mask) FATVEC_INLINE_LAMBDA {
          sum.scale(alpha);
          if constexpr (sizeof...(mask) == 0)
            sum.stream(to + w);
          else
            sum.store(to + w, mask...);
        });
      else if (this->overwrites())
        sums.for_each([=](int w, auto sum, const auto&... mask) FATVEC_INLINE_LAMBDA {
          sum.scale(alpha);
          sum.store(to + w, mask...);
        });
      else
        sums.for_each([=](int w, auto sum, const auto&... mask) FATVEC_INLINE_LAMBDA {
          decltype(sum) y;
          y.load(to + w, mask...);
          y.scale(beta);
          y.add_product(alpha, sum);
          y.store(to + w, mask...);
        });
    }
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
