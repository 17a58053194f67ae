// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <KokkosGraph_RCM.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/transpose.hpp>
#include <fatvec/reorder/permute.hpp>

namespace fatvec {
namespace detail {

/// The pattern of A + Aᵀ of a host's matrix; its values mean nothing.
template <class ExecSpace, class Csr>
Csr symmetric_pattern(const ExecSpace& exec, const Csr& a) {
  const Csr across = apply(exec, Op::transpose, a);
  const Csr sorted = apply(exec, Op::transpose, across);
  const auto row = [](const Csr& m, auto i) { return m.entries.data() + m.row_map(i); };
  const typename Csr::Offsets row_map("fatvec::rcm::row_map",
                                      static_cast<std::size_t>(a.rows()) + 1);
  const auto capacity = static_cast<std::size_t>(2 * a.nnz());
  const typename Csr::Ordinals entries("fatvec::rcm::entries", capacity);
  auto* end = entries.data();
  for (typename Csr::ordinal_type i = 0; i < a.rows(); ++i) {
    auto* const begin = end;
    end = std::set_union(row(sorted, i), row(sorted, i + 1), row(across, i), row(across, i + 1),
                         begin);
    end = std::unique(begin, end);  // duplicates of A
    row_map(i + 1) = static_cast<typename Csr::offset_type>(end - entries.data());
  }
  const auto length = static_cast<std::size_t>(end - entries.data());
  return Csr(a.rows(), a.cols(), row_map,
             Kokkos::subview(entries, std::pair(std::size_t(0), length)),
             typename Csr::Scalars("fatvec::rcm::values", length));
}

}  // namespace detail

/// The reverse Cuthill–McKee order of the pattern of A + Aᵀ (Cuthill and McKee 1969; the algorithm
/// is that of Kokkos Kernels, which this header wants): neighbours in the graph come near one
/// another, so that rows of X are read again while they are in a cache. For permuted(). A is square
/// and in a host's memory; serial; takes A's memory four times. Throws ShapeError where A is not
/// square, CapacityError where A + Aᵀ has more entries than offsets count.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
Permutation<Ordinal, Device> rcm(const ExecSpace& exec,
                                 const CsrMatrix<Scalar, Ordinal, Device, Offset>& a) {
  static_assert(detail::is_host<ExecSpace>, "rcm: A is to be in a host's memory");
  if (a.rows() != a.cols())
    throw ShapeError(detail::concat("rcm: A is ", a.rows(), " x ", a.cols(),
                                    "; only a square matrix has one order of rows and columns."));
  if (2 * a.nnz() > std::numeric_limits<Offset>::max())
    throw CapacityError(detail::concat("rcm: the pattern of A + A^T may have ", 2 * a.nnz(),
                                       " entries, more than offsets count."));
  const auto pattern = detail::symmetric_pattern(exec, a);
  return KokkosGraph::Experimental::graph_rcm<Device, typename decltype(pattern)::ConstOffsets,
                                              typename decltype(pattern)::Ordinals>(
      pattern.row_map, pattern.entries);
}

}  // namespace fatvec
