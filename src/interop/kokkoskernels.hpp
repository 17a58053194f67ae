// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <KokkosSparse_CrsMatrix.hpp>
#include <string>

#include <fatvec/formats/csr.hpp>

/// Kokkos Kernels' matrices as fatvec's, and back, without a copy: both hold the same Views. Wants
/// Kokkos Kernels, which the rest of fatvec does not.
namespace fatvec {

/// The CSR matrix that shares all arrays of a; later changes of its values are seen by both. Values
/// are kept as they are, rows need not be sorted. Of a matrix of const values, or ordinals, so is
/// the result: spmm(), convert() and analyse() take it. A matrix without rows may have no offsets.
template <class Scalar, class Ordinal, class Device, class MemoryTraits, class Offset>
auto csr_view(const KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, MemoryTraits, Offset>& a) {
  using Csr = CsrMatrix<Scalar, Ordinal, detail::SpaceOf<Device>, Offset>;
  typename Csr::ConstOffsets row_map = a.graph.row_map;
  if (row_map.extent(0) == 0) row_map = typename Csr::Offsets("fatvec::csr::row_map", 1);
  return Csr(a.numRows(), a.numCols(), row_map, a.graph.entries, a.values);
}

/// The inverse.
template <class Scalar, class Ordinal, class Device, class Offset>
auto crs_matrix(const CsrMatrix<Scalar, Ordinal, Device, Offset>& a,
                const std::string& label = "fatvec::crs_matrix") {
  using Crs = KokkosSparse::CrsMatrix<Scalar, Ordinal, typename Device::device_type, void, Offset>;
  return Crs(label, a.cols(), a.values, typename Crs::staticcrsgraph_type(a.entries, a.row_map));
}

}  // namespace fatvec
