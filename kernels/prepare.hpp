// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include <fatvec/core/execution.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/shared/row_segments.hpp>
#include <fatvec/kernels/shared/slots.hpp>

namespace fatvec {

/// A matrix and what launches of its products want to know of it: spmm() takes it as it takes the
/// matrix.
template <SparseFormat Matrix>
struct Prepared : Matrix {
  /// Of its long rows, for GPUs.
  detail::RowSegments<typename Matrix::ordinal_type, typename Matrix::device_type> segments;

  Prepared() = default;
  /// Nothing is known yet. The arrays are shared.
  explicit Prepared(Matrix matrix) : Matrix(std::move(matrix)) {}
};

/// A kernel of a format multiplies it prepared, too.
template <class Matrix>
struct DefaultKernel<Prepared<Matrix>> : DefaultKernel<Matrix> {};

namespace detail {

template <class Matrix>
const Matrix& slots_of(const Prepared<Matrix>& a) {
  return a;
}
template <HasSlots Matrix>
auto slots_of(const Prepared<Matrix>& a) {
  auto slots = slots_of(static_cast<const Matrix&>(a));
  slots.segments = a.segments;
  return slots;
}

/// The rows of a matrix, given by its slots, that are far longer than the mean.
template <class ExecSpace, class Rows, class Scalar, class Ordinal, class Device>
RowSegments<Ordinal, Device> find_segments(const ExecSpace& exec,
                                           const Slots<Rows, Scalar, Ordinal, Device>& a) {
  const std::int64_t longest =
      Rows::contiguous ? longest_whole_row(a.count, a.nnz) : longest_walked_row(a.count, a.nnz);
  return RowSegments<Ordinal, Device>::find(exec, a.access, a.count, longest);
}

/// prepare() for kernels of devices.
template <class ExecSpace, class Matrix>
Prepared<Matrix> with_segments(const ExecSpace& exec, const Matrix& matrix) {
  Prepared<Matrix> prepared(matrix);
  if constexpr (HasSlots<Matrix>) {
    const auto slots = slots_of(matrix);
    if (slots.block.size == 1) prepared.segments = find_segments(exec, slots);
  }
  return prepared;
}

}  // namespace detail

/// Looks for rows that are far longer than the mean, in one pass over their lengths, or up to
/// three, and splits them into segments. GPUs then share each of them among many threads, without
/// looking for it in every product. Allocates a hundredth of the bytes of their entries, and
/// blocks. CPUs want to know nothing, and neither do blocks of BSR and windows of BitTCF.
///
/// @param exec    where the products will run
/// @param matrix  in any format; its arrays are shared, and its pattern is to stay
///
/// The sums of segments meet in Y by atomic additions: the last bits of such rows may differ from
/// run to run. For the same bits every time, multiply the matrix itself.
template <class ExecSpace, SparseFormat Matrix>
Prepared<Matrix> prepare(const ExecSpace& exec, const Matrix& matrix) {
  if constexpr (detail::is_host<ExecSpace>)
    return Prepared<Matrix>(matrix);
  else
    return detail::with_segments(exec, matrix);
}

}  // namespace fatvec
