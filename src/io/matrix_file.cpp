// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <limits>

#include <fatvec/core/memory.hpp>
#include <fatvec/core/output_file.hpp>
#include <fatvec/formats/assemble.hpp>
#include <fatvec/io/detail/header.hpp>
#include <fatvec/io/detail/piece.hpp>
#include <fatvec/io/detail/stored_matrix.hpp>
#include <fatvec/io/detail/stored_writers.hpp>
#include <fatvec/io/matrix_file.hpp>

namespace fatvec::io {
namespace {

using fatvec::detail::concat;
using MatrixSpace = Kokkos::DefaultHostExecutionSpace;
using detail::StoredMatrix;

template <class Scalar>
MatrixFile<Scalar> assembled(const Coo<Scalar, std::int32_t>& coo, std::string description,
                             const ReadOptions& options) {
  AssemblyReport report;
  auto csr = csr_from_coo<MatrixSpace, std::int32_t>(coo, &report, options.memory_limit);
  return {std::move(csr), std::move(description), report.duplicates};
}

/// Refuses what Scalar or 32 bits cannot hold, what the caller does not want, and what does not
/// fit.
template <class Scalar>
void require_readable(const detail::BinaryFile& file, const StoredMatrix& stored,
                      const ReadOptions& options) {
  const MatrixMarketHeader header = stored.header();
  if (header.field == Field::complex && !detail::is_complex<Scalar>)
    throw file.error(concat("the matrix is complex (", stored.description(),
                            "), and a real scalar type cannot hold it; with the library, read it "
                            "as complex<double>."));
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  if (header.rows > largest || header.cols > largest)
    throw file.error(concat("the matrix is ", header.rows, " x ", header.cols,
                            "; fatvec reads at most ", largest,
                            " rows and columns (32-bit indices)."));
  if (options.accept) options.accept(header);
  const auto entries = static_cast<double>(header.entries);
  const bool is_csr = stored.layout == StoredMatrix::Layout::csr;
  constexpr double mirrored = 2 * (sizeof(Scalar) + 2 * sizeof(std::int32_t));
  const double bytes = (static_cast<double>(stored.slabs()) + 1) * sizeof(std::int32_t) +
                       entries * (sizeof(Scalar) + (is_csr ? 1 : 2) * sizeof(std::int32_t)) +
                       (stored.symmetry == Symmetry::general ? 0 : entries * mirrored);
  fatvec::detail::require_fits<Kokkos::HostSpace>(
      "what is made of the file", {entries, bytes}, options.memory_limit,
      concat(header.rows, " x ", header.cols, ", ", header.entries, " entries in the file"));
  fatvec::detail::checked_count<std::int32_t>(entries, "entries");
}

/// Whether the columns of each row ascend, each once.
template <class Csr>
bool is_assembled(const Csr& csr) {
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce(
      "fatvec::io::is_assembled", fatvec::detail::Range<MatrixSpace>(MatrixSpace(), 0, csr.rows()),
      [=](std::int64_t i, std::int64_t& found) {
        for (auto n = csr.row_map(i) + 1; n < csr.row_map(i + 1); ++n)
          found += csr.entries(n) <= csr.entries(n - 1);
      },
      wrong);
  return wrong == 0;
}

template <class Scalar>
MatrixFile<Scalar> read_stored(const std::filesystem::path& path, detail::FileKind kind,
                               const ReadOptions& options) {
  const detail::BinaryFile file(path);
  const StoredMatrix stored = open_stored(file, kind);
  require_readable<Scalar>(file, stored, options);
  detail::SlabReader<Scalar, std::int32_t, std::int32_t> reader(file, stored, 0, stored.slabs(),
                                                                options);
  const auto slabs = reader.read();
  if (stored.layout == StoredMatrix::Layout::csr && stored.symmetry == Symmetry::general) {
    HostMatrix<Scalar> csr(static_cast<std::int32_t>(stored.rows),
                           static_cast<std::int32_t>(stored.cols), slabs.offsets, slabs.minor,
                           slabs.values);
    if (is_assembled(csr)) return {std::move(csr), stored.description(), 0};
  }
  return assembled(reader.coo(slabs), stored.description(), options);
}

}  // namespace

template <class Scalar>
MatrixFile<Scalar> read_matrix(const std::filesystem::path& path, const ReadOptions& options) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::io::read_matrix");
  const detail::FileKind kind = detail::kind_of(path);
  if (kind != detail::FileKind::text && kind != detail::FileKind::compressed)
    return read_stored<Scalar>(path, kind, options);
  MatrixMarketHeader header;
  const auto coo = read_matrix_market<Scalar>(path, &header, options);
  return assembled(coo, detail::describe(header), options);
}

FileFormat format_of_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  if (name.ends_with(".mtx") || name.ends_with(".mtx.gz")) return FileFormat::matrix_market;
  if (name.ends_with(".npz")) return FileFormat::npz;
  if (name.ends_with(".petsc")) return FileFormat::petsc;
  if (name.ends_with(".bsp.h5")) return FileFormat::binsparse;
  throw UsageError(concat(path.string(), ": the name's ending says which format to write: .mtx, ",
                          ".mtx.gz (Matrix Market), .npz (SciPy), .petsc (PETSc binary) or ",
                          ".bsp.h5 (Binsparse)."));
}

template <class Scalar>
void write_matrix(const std::filesystem::path& path, const HostMatrix<Scalar>& matrix,
                  const WriteOptions& options) {
  if (matrix.row_map.extent(0) == 0) {  // a matrix without rows; files have its one offset
    const typename HostMatrix<Scalar>::Offsets begin("fatvec::csr::row_map", 1);
    return write_matrix(path, HostMatrix<Scalar>(0, matrix.cols(), begin, {}, {}), options);
  }
  const FileFormat format = format_of_name(path);
  if (format == FileFormat::matrix_market) {
    write_matrix_market(path, matrix, options.comment, options.progress);
    return;
  }
  const Kokkos::Profiling::ScopedRegion region("fatvec::io::write_matrix");
  fatvec::detail::OutputFile file(path);
  if (format == FileFormat::npz)
    detail::write_npz(file, matrix, options);
  else if (format == FileFormat::binsparse)
    detail::write_binsparse(file, matrix, options);
  else
    detail::write_petsc(file, matrix, options);
  file.commit();
}

#define FATVEC_INSTANTIATE(Scalar) \
  template MatrixFile<Scalar> read_matrix<Scalar>(const std::filesystem::path&, const ReadOptions&);
FATVEC_INSTANTIATE(float)
FATVEC_INSTANTIATE(double)
FATVEC_INSTANTIATE(Kokkos::complex<float>)
FATVEC_INSTANTIATE(Kokkos::complex<double>)
#undef FATVEC_INSTANTIATE
template void write_matrix<float>(const std::filesystem::path&, const HostMatrix<float>&,
                                  const WriteOptions&);
template void write_matrix<double>(const std::filesystem::path&, const HostMatrix<double>&,
                                   const WriteOptions&);

}  // namespace fatvec::io
