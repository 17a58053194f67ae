// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

#include <fatvec/core/instantiate.hpp>
#include <fatvec/plan/convert.hpp>
#include <fatvec/statistics/row_statistics.hpp>

namespace fatvec {

/// What the traffic model knows of a matrix: what a product reads of A in each format, and how
/// often it reads a row of X.
struct Structure {
  RowStatistics rows;
  std::size_t value_bytes = 8;  ///< of A
  std::size_t ordinal_bytes = 4;
  std::size_t offset_bytes = 4;
  std::vector<FormatFootprint> formats;  ///< of every registered format
  int block_size = 1;                    ///< BSR: the one that takes the fewest bytes
  double near_reads = 0;    ///< rows of X that are read when those a few hundred rows of A have in
                            ///< common are read once
  double middle_reads = 0;  ///< the same for some thousand rows
  double far_reads = 0;  ///< the same for some ten thousand rows: what comes from main memory where
                         ///< X exceeds the cache
};

namespace detail {

/// Distinct columns in windows of `window` consecutive rows, summed over all windows of the matrix:
/// counted in up to `samples` of them that are spread evenly, copied to the host.
template <class ExecSpace, class Csr>
double windowed_columns(const ExecSpace& exec, const Csr& csr, std::int64_t window,
                        std::int64_t samples) {
  const std::int64_t rows = csr.rows();
  const std::int64_t windows = (rows + window - 1) / window;
  const std::int64_t taken = std::min(windows, samples);
  if (taken == 0 || csr.nnz() == 0) return 0;
  exec.fence("fatvec::structure");
  std::vector<std::int64_t> seen(static_cast<std::size_t>(csr.cols()),
                                 -1);  // per column, the last window that has it
  double distinct = 0;
  double entries = 0;
  for (std::int64_t n = 0; n < taken; ++n) {
    const std::int64_t first = n * windows / taken * window;
    const std::int64_t last = std::min(first + window, rows);
    const auto offsets = host_copy(Kokkos::subview(csr.row_map, std::pair(first, last + 1)));
    const auto begin = static_cast<std::int64_t>(offsets(0));
    const auto end = static_cast<std::int64_t>(offsets(static_cast<std::size_t>(last - first)));
    const auto columns = host_copy(Kokkos::subview(csr.entries, std::pair(begin, end)));
    for (std::size_t m = 0; m < columns.extent(0); ++m) {
      auto& last_window = seen[static_cast<std::size_t>(columns(m))];
      distinct += last_window != n;
      last_window = n;
    }
    entries += static_cast<double>(end - begin);
  }
  // By entries, not by rows: what is sampled may be emptier than the rest.
  return entries == 0 ? 0 : distinct * static_cast<double>(csr.nnz()) / entries;
}

/// How often rows of X are read.
template <class ExecSpace, class Csr>
void count_reads(const ExecSpace& exec, const Csr& csr, Structure& structure) {
  structure.near_reads = windowed_columns(exec, csr, 256, 32);
  structure.middle_reads = windowed_columns(exec, csr, 4096, 8);
  structure.far_reads = std::max(windowed_columns(exec, csr, 65536, 3),
                                 static_cast<double>(structure.rows.columns_touched));
}

}  // namespace detail

/// Analyses a CSR matrix where it lives; samples of its structure come to the host. Costs the time
/// of some products, more where the footprints of sorted formats want the rows sorted.
template <class ExecSpace, class Scalar, class Ordinal, class Device, class Offset>
Structure structure_of(const ExecSpace& exec, const CsrMatrix<Scalar, Ordinal, Device, Offset>& csr,
                       const FormatOptions& options = {}) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::structure_of");
  Structure structure;
  structure.rows = row_statistics(exec, csr);
  structure.value_bytes = sizeof(Scalar);
  structure.ordinal_bytes = sizeof(Ordinal);
  structure.offset_bytes = sizeof(Offset);
  FormatOptions blocked = options;
  if (blocked.block_size == 0)
    blocked.block_size = BsrMatrix<Scalar, Ordinal, Device, Offset>::choose_block_size(exec, csr);
  structure.block_size = static_cast<int>(blocked.block_size);
  structure.formats = footprints(exec, csr, blocked);
  detail::count_reads(exec, csr, structure);
  return structure;
}

/// The structure of the same matrix with values of `value_bytes`, in slices and blocks of the same
/// sizes.
inline Structure with_value_bytes(Structure structure, std::size_t value_bytes) {
  const double fewer =
      static_cast<double>(structure.value_bytes) - static_cast<double>(value_bytes);
  for (auto& [format, footprint] : structure.formats)
    footprint.bytes -= fewer * footprint.stored_entries;
  structure.value_bytes = value_bytes;
  return structure;
}

}  // namespace fatvec

#define FATVEC_STRUCTURE_OF(how, Space, Scalar, Offset)                            \
  how template fatvec::Structure fatvec::structure_of(                             \
      const Space&, const fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>&, \
      const fatvec::FormatOptions&);
FATVEC_EXTERN(FATVEC_STRUCTURE_OF)
