// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include <fatvec/formats/detail/padded.hpp>

/// From the formats whose entries are visited, by ascending columns, back to CSR.
namespace fatvec::detail {

template <class Csr, class Access>
struct DrainVisited {
  Access rows;
  Csr csr;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = rows.row(i);
    if (row < 0) return;
    std::int64_t m = csr.row_map(row);
    rows.for_each_entry(i, [&](const auto& value, auto column) {
      csr.entries(m) = column;
      csr.values(m++) = value;
    });
  }
};

template <class Csr, class ExecSpace, class Matrix>
Csr drain_visited(const ExecSpace& exec, const Matrix& a) {
  const auto rows = a.row_visitor();
  const Csr csr = csr_of_lengths<Csr>(exec, a.rows(), a.cols(), rows, a.visited_rows());
  Kokkos::parallel_for("fatvec::to_csr", Range<ExecSpace>(exec, 0, a.visited_rows()),
                       DrainVisited<Csr, typename Matrix::Access>{rows, csr});
  return csr;
}

}  // namespace fatvec::detail
