// SPDX-License-Identifier: Apache-2.0
#include <fatvec/io/symmetric_file.hpp>

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <fatvec/formats/assemble.hpp>
#include <fatvec/io/detail/header.hpp>
#include <fatvec/io/detail/stored_matrix.hpp>

namespace fatvec::io {
namespace {

using fatvec::detail::concat;

void require_text(const std::filesystem::path& path) {
  const detail::FileKind kind = detail::kind_of(path);
  if (kind != detail::FileKind::text && kind != detail::FileKind::compressed)
    throw InputError(concat(path.string(),
                            ": one triangle is read of Matrix Market files alone. Read the whole "
                            "matrix by read_matrix(), and store it by symmetric()."));
}

void require_symmetric(const std::filesystem::path& path, const MatrixMarketHeader& header) {
  if (header.coordinate && header.symmetry == Symmetry::symmetric) return;
  throw InputError(concat(path.string(), ": the file is '", detail::describe(header),
                          "', not 'coordinate ... symmetric'. Read the whole matrix by "
                          "read_matrix(); symmetric() stores one triangle where it is symmetric."));
}

}  // namespace

template <class Scalar>
SymmetricFile<Scalar> read_symmetric(const std::filesystem::path& path,
                                     const ReadOptions& options) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::io::read_symmetric");
  require_text(path);
  ReadOptions of_triangle = options;
  of_triangle.mirrors = false;
  of_triangle.accept = [&](const MatrixMarketHeader& header) {
    require_symmetric(path, header);
    if (options.accept) options.accept(header);
  };
  MatrixMarketHeader header;
  const auto coo = read_matrix_market<Scalar>(path, &header, of_triangle);
  using Host = Kokkos::DefaultHostExecutionSpace;
  AssemblyReport report;
  const auto triangle = csr_from_coo<Host, std::int32_t>(coo, &report, options.memory_limit);
  using Matrix = SymmetricMatrix<Scalar, std::int32_t, Host>;
  return {Matrix::from_triangle(Host(), triangle, {.memory_limit = options.memory_limit}),
          detail::describe(header), report.duplicates};
}

template SymmetricFile<float> read_symmetric(const std::filesystem::path&, const ReadOptions&);
template SymmetricFile<double> read_symmetric(const std::filesystem::path&, const ReadOptions&);

}  // namespace fatvec::io
