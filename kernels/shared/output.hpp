// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/instantiate.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/shared/tile.hpp>

namespace fatvec {

/// What becomes of a row's sums, as a small value that kernels copy. store(i, c, sums) gets columns
/// c, c + 1, ... of row i of A · X. Each element of A · X comes once per product, complete, also of
/// rows without entries; in no order, and from many threads at a time. A kernel may ask for tiles
/// of any width. The halo part of a distributed product completes the sums of its rows before they
/// are stored; only that of the ordinary output adds to Y instead (src/distributed/halo.hpp).
///
/// docs/extending.md writes one for a residual.
template <class O, class T>
concept Output = requires(const O& output, std::int64_t i, std::int64_t c, const T (&one)[1],
                          const T (&four)[4]) {
  output.store(i, c, one);
  output.store(i, c, four);
};

namespace detail {

/// Y(i, c) = beta · Y(i, c) + alpha · sum; beta = 0 overwrites Y, even NaN. Y's strides are
/// run-time values, for Y is touched once per row and tile.
template <class T>
struct ScaledSum {
  T alpha;
  T beta;
  MultiVectorSpan<T, Columns::strided> y;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool overwrites() const { return beta == T{}; }

  /// What an element of Y becomes.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION T combined(const T& old, const T& sum) const {
    return overwrites() ? alpha * sum : beta * old + alpha * sum;
  }

  template <int width>
  KOKKOS_INLINE_FUNCTION void store(std::int64_t i, std::int64_t c, const T (&sum)[width]) const {
    T* const to = &y(i, c);
    constexpr int n = vector_width<T>(width);
    using Vector = typename VectorOf<T, n>::type;
    if constexpr (n == 1) {
      store_one_by_one(to, y.column_stride, sum);
    } else if constexpr (vectors_are_aligned) {  // a device
      static_assert(width % n == 0);
      if (y.column_stride != 1 || reinterpret_cast<std::uintptr_t>(to) % sizeof(Vector) != 0)
        return store_one_by_one(to, y.column_stride, sum);
      for (int p = 0; p < width / n; ++p) {
        Vector result{};
        if (!overwrites()) result = reinterpret_cast<const Vector*>(to)[p];
        for (int e = 0; e < n; ++e) result.data[e] = combined(result.data[e], sum[p * n + e]);
        reinterpret_cast<Vector*>(to)[p] = result;
      }
    } else {  // a CPU
      if (y.column_stride != 1) return store_apart<width>(to, Tile<T, width>(sum, 1));
      int w = 0;
      for (; w + n <= width; w += n) {
        auto& old = *reinterpret_cast<Vector*>(to + w);
        const Vector scaled = alpha * *reinterpret_cast<const Vector*>(sum + w);
        old = overwrites() ? scaled : beta * old + scaled;
      }
      for (; w < width; ++w) to[w] = combined(to[w], sum[w]);
    }
  }

 private:
  template <int width>
  KOKKOS_INLINE_FUNCTION void store_one_by_one(T* to, std::int64_t step,
                                               const T (&sum)[width]) const {
    const bool overwrite = overwrites();
    for (int w = 0; w < width; ++w)
      to[w * step] = overwrite ? alpha * sum[w] : beta * to[w * step] + alpha * sum[w];
  }
  /// Not inlined, and with a copy of the sums: GCC would take their vectors to pieces, or store
  /// them, before it asks whether it must.
  template <int width>
  [[gnu::noinline]] KOKKOS_FUNCTION void store_apart(T* to, const Tile<T, width>& sums) const {
    T sum[width];
    sums.copy_to(sum);
    store_one_by_one(to, y.column_stride, sum);
  }
};

/// Y = beta · Y, an element a work-item.
template <class T>
struct ScaleOutput {
  ScaledSum<T> output;
  std::int64_t rows;
  std::int64_t columns;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const bool by_rows = output.y.column_stride < output.y.row_stride;
    T& y = by_rows ? output.y(n / columns, n % columns) : output.y(n % rows, n / rows);
    y = output.overwrites() ? T{} : output.beta * y;
  }
};

/// A product with alpha = 0: neither A nor X is read, whatever they hold.
template <class ExecSpace, class T>
void scale_output(const ExecSpace& exec, const ScaledSum<T>& output, std::int64_t rows,
                  std::int64_t columns) {
  if (output.beta == T{1}) return;
  Kokkos::parallel_for("fatvec::spmm::scale", Range<ExecSpace>(exec, 0, rows * columns),
                       ScaleOutput<T>{output, rows, columns});
}

/// Whether an output is the ordinary one, for which kernels are compiled once and may write Y in
/// ways of their own.
template <class Output>
inline constexpr bool is_scaled_sum = false;
template <class T>
inline constexpr bool is_scaled_sum<ScaledSum<T>> = true;

}  // namespace detail
}  // namespace fatvec

#define FATVEC_SCALE_OUTPUT(how, Space, Scalar)   \
  how template void fatvec::detail::scale_output( \
      const Space&, const fatvec::detail::ScaledSum<Scalar>&, std::int64_t, std::int64_t);
FATVEC_EXTERN_FOR_SCALARS(FATVEC_SCALE_OUTPUT)
