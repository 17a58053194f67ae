// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/core/instantiate.hpp>
#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/statistics/detail/column_reduction.hpp>
#include <fatvec/statistics/detail/column_sums.hpp>

/// One pass over the columns of a multivector: their statistics, and dot products.
namespace fatvec {

/// Results on their way: one Value for each column, in memory of ExecSpace, and room for the
/// partial ones. Allocated once, it serves any number of reductions of multivectors with that many
/// columns, one after the other.
template <class Value, class ExecSpace>
class ColumnResults {
 public:
  using View = Kokkos::View<Value*, typename ExecSpace::memory_space>;

  /// Throws ShapeError for a number of columns below 0 or beyond max_columns.
  ColumnResults(const ExecSpace& exec, std::int64_t columns)
      : values(detail::allocate<View>(exec, "fatvec::column_results", checked(columns))),
        partial_(detail::allocate<View>(
            exec, "fatvec::column_results::partial",
            static_cast<std::size_t>(detail::most_partial_results(exec, columns)))) {}

  View values;  ///< of each column, once exec has come so far

  /// Copies the values out; waits for exec.
  [[nodiscard]] std::vector<Value> on_host(const ExecSpace& exec) const {
    std::vector<Value> host(values.extent(0));
    const Kokkos::View<Value*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> to(host.data(),
                                                                              host.size());
    Kokkos::deep_copy(exec, to, values);
    exec.fence("fatvec::column_results");
    return host;
  }
  [[nodiscard]] View partial() const { return partial_; }

 private:
  static std::size_t checked(std::int64_t columns) {
    detail::require_columns("ColumnResults", columns, 0);
    return static_cast<std::size_t>(columns);
  }

  View partial_;
};

namespace detail {

template <class ExecSpace, class Source, class Results>
void reduce_columns(const char* label, const ExecSpace& exec, const Source& source,
                    std::int64_t rows, std::int64_t columns, const Results& results) {
  if (static_cast<std::int64_t>(results.values.extent(0)) != columns)
    throw ShapeError(concat(label, ": there is room for ", results.values.extent(0),
                            " columns, the operand has ", columns, "."));
  const Kokkos::Profiling::ScopedRegion region(label);
  const auto partial = results.partial();
  run_column_reduction(label, exec, source, rows, columns, partial.data(),
                       static_cast<std::int64_t>(partial.extent(0)), results.values.data());
}

template <MultiVector X, class ExecSpace, class Value>
auto answer(const ExecSpace& exec, const ColumnResults<Value, ExecSpace>& results) {
  auto values = results.on_host(exec);
  if constexpr (X::rank() == 1)
    return values.front();
  else
    return values;
}

template <MultiVector X>
using ScalarOf = std::remove_const_t<typename X::value_type>;

template <MultiVector X>
MultiVectorSpan<const ScalarOf<X>, Columns::strided> read_only_span_of(const X& x) {
  const auto span = span_of<Columns::strided>(x);
  return {span.data, span.row_stride, span.column_stride};
}

template <class ExecSpace, class... Views>
inline constexpr bool reaches =
    (Kokkos::SpaceAccessibility<ExecSpace, typename Views::memory_space>::accessible && ...);

}  // namespace detail

/// The Kokkos reducer that joins VectorStatistics, for reductions of your own: with value.add(x) or
/// value.join(more) in them.
template <class Scalar, class Space = Kokkos::HostSpace>
using StatisticsReducer = detail::Joined<detail::StatisticsSource<Scalar>, Space>;

/// The statistics of a column of X.
template <MultiVector X>
using StatisticsOf = VectorStatistics<detail::ScalarOf<X>>;

/// What a dot product is formed and returned in: double for float and double, complex<double> for
/// complex numbers, 64 bits for integers (modulo 2^64; signed where both operands are).
template <MultiVector X, MultiVector Y = X>
using DotOf = detail::ProductSum<detail::ScalarOf<X>, detail::ScalarOf<Y>>;

/// The statistics (VectorStatistics says which, and what NaN and empty columns give) of each column
/// of x, in one pass.
///
/// @param exec     execution-space instance; the call only enqueues work on it: no fence, no
/// allocation, no transfer
/// @param x        n × k View of float, double or integers, rank 1 (k = 1) or 2, any layout,
/// strides and padding
/// @param results  a ColumnResults<StatisticsOf<X>, ExecSpace> for k columns
///
/// Sums are formed in an order that n, k, the layout and exec fix, without atomics: runs are
/// reproducible to the last bit. Throws ShapeError where results are for another number of columns.
template <class ExecSpace, MultiVector X>
void vector_statistics(const ExecSpace& exec, const X& x,
                       const ColumnResults<StatisticsOf<X>, ExecSpace>& results) {
  static_assert(detail::reaches<ExecSpace, X>, "exec cannot reach x's memory");
  const detail::StatisticsSource<detail::ScalarOf<X>> source{detail::read_only_span_of(x)};
  detail::reduce_columns("fatvec::vector_statistics", exec, source, multivector_rows(x),
                         multivector_columns(x), results);
}

/// The same; waits for the answer and returns it: a VectorStatistics for rank 1, for rank 2 a
/// std::vector with one per column. Allocates its workspace.
template <class ExecSpace, MultiVector X>
auto vector_statistics(const ExecSpace& exec, const X& x) {
  const ColumnResults<StatisticsOf<X>, ExecSpace> results(exec, multivector_columns(x));
  vector_statistics(exec, x, results);
  return detail::answer<X>(exec, results);
}

/// The dot product of each column of x with the same column of y; elements of a complex x are
/// conjugated, as in BLAS' dotc. Operands, order of summation and errors as in vector_statistics; x
/// and y need not have the same layout or precision, and may be the same. Of empty columns 0.
/// Throws ShapeError where the extents of x and y differ.
template <class ExecSpace, MultiVector X, MultiVector Y>
void dot(const ExecSpace& exec, const X& x, const Y& y,
         const ColumnResults<DotOf<X, Y>, ExecSpace>& results) {
  static_assert(detail::reaches<ExecSpace, X, Y>, "exec cannot reach x's or y's memory");
  if (multivector_rows(x) != multivector_rows(y) ||
      multivector_columns(x) != multivector_columns(y))
    throw ShapeError(detail::concat("fatvec::dot: x (", x.label(), ") is ", multivector_rows(x),
                                    " x ", multivector_columns(x), ", y (", y.label(), ") ",
                                    multivector_rows(y), " x ", multivector_columns(y), "."));
  const detail::DotSource<detail::ScalarOf<X>, detail::ScalarOf<Y>> source{
      detail::read_only_span_of(x), detail::read_only_span_of(y)};
  detail::reduce_columns("fatvec::dot", exec, source, multivector_rows(x), multivector_columns(x),
                         results);
}

/// Fails with a sentence: a View has no workspace.
template <class ExecSpace, MultiVector X, MultiVector Y, class Results>
  requires Kokkos::is_view_v<Results>
void dot(const ExecSpace&, const X&, const Y&, const Results&) {
  static_assert(sizeof(Results) == 0,
                "dot's results are ColumnResults, which have the workspace: "
                "ColumnResults<double> results(exec, k); their values are results.on_host(exec)");
}

/// The same; waits for the answer and returns it: a number for rank 1, for rank 2 a std::vector of
/// them.
template <class ExecSpace, MultiVector X, MultiVector Y>
auto dot(const ExecSpace& exec, const X& x, const Y& y) {
  const ColumnResults<DotOf<X, Y>, ExecSpace> results(exec, multivector_columns(x));
  dot(exec, x, y, results);
  return detail::answer<X>(exec, results);
}

}  // namespace fatvec

#define FATVEC_STATISTICS(how, Space, Scalar)                                                    \
  how template void fatvec::detail::reduce_columns(                                              \
      const char*, const Space&, const fatvec::detail::StatisticsSource<Scalar>&, std::int64_t,  \
      std::int64_t, const fatvec::ColumnResults<fatvec::VectorStatistics<Scalar>, Space>&);      \
  how template void fatvec::detail::reduce_columns(                                              \
      const char*, const Space&, const fatvec::detail::DotSource<Scalar, Scalar>&, std::int64_t, \
      std::int64_t,                                                                              \
      const fatvec::ColumnResults<fatvec::detail::ProductSum<Scalar, Scalar>, Space>&);
FATVEC_EXTERN_FOR_SCALARS(FATVEC_STATISTICS)
