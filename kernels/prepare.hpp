// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <fatvec/core/execution.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/kernels/shared/fused_workspace.hpp>
#include <fatvec/kernels/shared/row_segments.hpp>
#include <fatvec/kernels/shared/slots.hpp>

namespace fatvec {

/// A matrix and what launches of its products want to know of it: spmm() takes it as it takes the
/// matrix.
template <SparseFormat Matrix>
struct Prepared : Matrix {
  /// Of its long rows, for GPUs.
  detail::RowSegments<typename Matrix::ordinal_type, typename Matrix::device_type> segments;
  /// Of fused products of up to k columns.
  fused::Workspace<typename Matrix::execution_space> fused_workspace;

  [[nodiscard]] const auto& workspace() const { return fused_workspace; }

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

/// T, or the scalar of a matrix where it is void.
template <class T, class Scalar>
using ScalarOr = std::conditional_t<std::is_void_v<T>, std::remove_const_t<Scalar>, T>;

/// prepare() for kernels of devices.
template <class T, class ExecSpace, class Matrix>
Prepared<Matrix> with_segments(const ExecSpace& exec, const Matrix& matrix, std::int64_t k) {
  Prepared<Matrix> prepared(matrix);
  if constexpr (HasSlots<Matrix>) {
    const auto slots = slots_of(matrix);
    const std::int64_t longest = Matrix::Rows::contiguous
                                     ? longest_whole_row(slots.count, slots.nnz)
                                     : longest_walked_row(slots.count, slots.nnz);
    if (slots.block.size == 1)
      prepared.segments = prepared.segments.find(exec, slots.access, slots.count, longest);
    prepared.segments.template make_room<T>(exec, k);
  }
  return prepared;
}

}  // namespace detail

/// Looks for rows that are far longer than the mean, in one pass over their lengths, or up to
/// three, and splits them into segments. GPUs then share each of them among many threads, without
/// looking for it in every product. Allocates a hundredth of the bytes of their entries, and
/// scratch memory for k sums and k counters of each segment of 128 entries; waits for exec. CPUs
/// want to know nothing, and neither do BSR, BitTCF and sliced diagonals. Everywhere a
/// fused::Workspace for two sums of k columns is allocated, too.
///
/// @param exec    where the products will run
/// @param matrix  in any format; its arrays are shared, and its pattern is to stay
/// @param k       columns of X; products of more take their long rows in several launches
/// @tparam T      the scalar type of X and Y
///
/// The scratch memory serves one product at a time: on GPUs, products of one prepared matrix, and
/// of its copies, must not run at the same time in two instances; where they did, later products
/// are wrong, too. Sums are the same bits in every run.
template <class T = void, class ExecSpace, SparseFormat Matrix>
Prepared<Matrix> prepare(const ExecSpace& exec, const Matrix& matrix, std::int64_t k) {
  detail::require_columns("prepare", k, 0);
  auto prepared = [&] {
    if constexpr (detail::is_host<ExecSpace>)
      return Prepared<Matrix>(matrix);
    else
      return detail::with_segments<detail::ScalarOr<T, typename Matrix::value_type>>(exec, matrix,
                                                                                     k);
  }();
  prepared.fused_workspace = {exec, k};
  return prepared;
}

}  // namespace fatvec
