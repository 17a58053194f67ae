// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/instantiate.hpp>
#include <fatvec/core/macros.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

namespace fatvec::detail {

/// The only place that knows alpha and beta: Y(i, c ...) = beta · Y(i, c ...) + alpha · sum. beta =
/// 0 overwrites Y, even NaN. Y's strides are run-time values, for Y is touched once per row and
/// tile.
template <class T>
struct Epilogue {
  T alpha;
  T beta;
  MultiVectorSpan<T, Columns::strided> y;

  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool overwrites() const { return beta == T{}; }
  /// The same for columns c, c + 1, ... of Y.
  [[nodiscard]] Epilogue from_column(std::int64_t c) const {
    return {alpha, beta, y.from_column(c)};
  }
  /// For sums that are added to what a launch before has stored.
  [[nodiscard]] Epilogue adding() const { return {alpha, T{1}, y}; }
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

 private:
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

/// Y = beta · Y, an element a work-item.
template <class T>
struct ScaleOutput {
  Epilogue<T> epilogue;
  std::int64_t rows;
  std::int64_t columns;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const bool by_rows = epilogue.y.column_stride < epilogue.y.row_stride;
    T& y = by_rows ? epilogue.y(n / columns, n % columns) : epilogue.y(n % rows, n / rows);
    y = epilogue.overwrites() ? T{} : epilogue.beta * y;
  }
};

/// A product with alpha = 0: neither A nor X is read, whatever they hold.
template <class ExecSpace, class T>
void scale_output(const ExecSpace& exec, const Epilogue<T>& epilogue, std::int64_t rows,
                  std::int64_t columns) {
  if (epilogue.beta == T{1}) return;
  Kokkos::parallel_for("fatvec::spmm::scale", Range<ExecSpace>(exec, 0, rows * columns),
                       ScaleOutput<T>{epilogue, rows, columns});
}

/// Adds to Y, which several work-items do for the same row.
template <class T>
struct AddingEpilogue {
  Epilogue<T> epilogue;

  template <int width>
  KOKKOS_INLINE_FUNCTION void store(std::int64_t i, std::int64_t c, const T (&sum)[width]) const {
    for (int w = 0; w < width; ++w)
      Kokkos::atomic_add(&epilogue.y(i, c + w), epilogue.alpha * sum[w]);
  }
};

}  // namespace fatvec::detail

#define FATVEC_SCALE_OUTPUT(how, Space, Scalar)   \
  how template void fatvec::detail::scale_output( \
      const Space&, const fatvec::detail::Epilogue<Scalar>&, std::int64_t, std::int64_t);
FATVEC_EXTERN_FOR_SCALARS(FATVEC_SCALE_OUTPUT)
