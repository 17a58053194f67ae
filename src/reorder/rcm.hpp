// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/formats/transpose.hpp>
#include <fatvec/reorder/cuthill_mckee.hpp>
#include <fatvec/reorder/permute.hpp>

namespace fatvec {

/// The reverse Cuthill–McKee order of the pattern of A + Aᵀ (Cuthill and McKee 1969): neighbours in
/// the graph come near one another, so that rows of X are read again while they are in a cache. For
/// permuted(), and PlanOptions::order. Serial, on a host, to which a device's pattern is copied;
/// takes A's memory twice. Blocks. Throws ShapeError where A is not square.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
Permutation<Ordinal, Device> rcm(const ExecSpace& exec,
                                 const CsrMatrix<Scalar, Ordinal, Device, Offset>& a) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::rcm");
  if (a.rows() != a.cols())
    throw ShapeError(detail::concat("rcm: A is ", a.rows(), " x ", a.cols(),
                                    "; only a square matrix has one order of rows and columns."));
  const auto across = apply(exec, Op::transpose, a);
  exec.fence("fatvec::rcm");
  const auto row_map = detail::host_copy(a.row_map);
  const auto entries = detail::host_copy(a.entries);
  const auto row_map_across = detail::host_copy(across.row_map);
  const auto entries_across = detail::host_copy(across.entries);
  detail::PatternGraph<Offset, Ordinal> graph{a.rows(), row_map.data(), entries.data()};
  const bool symmetric =
      std::equal(row_map.data(), row_map.data() + row_map.extent(0), row_map_across.data()) &&
      std::equal(entries.data(), entries.data() + a.nnz(), entries_across.data());
  if (!symmetric) {
    graph.row_map_across = row_map_across.data();
    graph.entries_across = entries_across.data();
  }
  const std::vector<Ordinal> order =
      detail::allocated([&] { return detail::CuthillMcKee<Offset, Ordinal>(graph).run(); });
  const auto place = detail::allocate<Permutation<Ordinal, Device>>(
      exec, "fatvec::rcm::place", static_cast<std::size_t>(a.rows()));
  const auto on_host = detail::allocated(
      [&] { return Kokkos::create_mirror_view(Kokkos::WithoutInitializing, place); });
  for (std::size_t p = 0; p < order.size(); ++p)
    on_host(static_cast<std::size_t>(order[p])) = static_cast<Ordinal>(order.size() - 1 - p);
  Kokkos::deep_copy(place, on_host);
  return place;
}

}  // namespace fatvec
