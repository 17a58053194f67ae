// SPDX-License-Identifier: Apache-2.0
#include <fatvec/generate/generate.hpp>

#include "common.hpp"

namespace examples {

Matrix generated(const std::string& spec) {
  const auto a = fatvec::generate::generate(fatvec::generate::parse_spec(spec));
  require_near_entries(spec, a.nnz());
  // With 32-bit offsets, for which fatvec::kernels is compiled, in place of the generators' 64.
  const Kokkos::View<std::int32_t*, Kokkos::HostSpace> row_map("row_map", a.row_map.extent(0));
  for (std::size_t i = 0; i < row_map.extent(0); ++i)
    row_map(i) = static_cast<std::int32_t>(a.row_map(i));
  return fatvec::mirror<Exec>(
      fatvec::CsrMatrix<double, std::int32_t, Kokkos::DefaultHostExecutionSpace>(
          a.rows(), a.cols(), row_map, a.entries, a.values));
}

Rows generated_rows(const std::string& spec) {
  const Matrix matrix = generated(spec);
  return {matrix, matrix.rows(), 0};
}

Prepared with_values(const Exec& exec, const Rows& rows, const Matrix::Scalars& values) {
  const Matrix& a = rows.matrix;
  return fatvec::prepare(exec, Matrix(a.rows(), a.cols(), a.row_map, a.entries, values), 1);
}

}  // namespace examples
