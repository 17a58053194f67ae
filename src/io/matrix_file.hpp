// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include <fatvec/formats/csr.hpp>
#include <fatvec/io/matrix_market.hpp>

/// Sparse matrices of files, whatever program wrote them:
///   - Matrix Market (<fatvec/io/matrix_market.hpp>), plain or compressed;
///   - SciPy's .npz (scipy.sparse.save_npz) of csr, csc, bsr and coo;
///   - PETSc's binary format (MatView of MATAIJ), with integers of 32 or 64 bits;
///   - Binsparse in HDF5, in builds with HDF5: CSR, CSC and COO, of one triangle, too.
/// The first bytes tell which it is, not the name. Values of bool and of integers become numbers of
/// the scalar type; a complex matrix wants a complex one. The files that are not text have to be
/// files, not pipes; those that are not compressed are read by many threads.
namespace fatvec::io {

/// A matrix in host memory.
template <class Scalar>
using HostMatrix = CsrMatrix<Scalar, std::int32_t, Kokkos::DefaultHostExecutionSpace>;

/// A matrix, and what is known of its file.
template <class Scalar>
struct MatrixFile {
  HostMatrix<Scalar> matrix;    ///< columns of a row ascending, each once
  std::string description;      ///< "coordinate real symmetric", "SciPy csr, float64"
  std::int64_t duplicates = 0;  ///< entries that were added to another one of their position
};

/// Reads a matrix. accept gets the sizes, whatever the file is; progress the share that was read.
/// Scalar: as of read_matrix_market(). Throws InputError "FILE: ..." (FILE:LINE: of text) where the
/// file is malformed, truncated or fails its checksums; CapacityError, before anything is
/// allocated, for what exceeds the memory limit, or more entries than 32-bit offsets count.
template <class Scalar>
MatrixFile<Scalar> read_matrix(const std::filesystem::path& path, const ReadOptions& options = {});

/// What write_matrix() writes.
enum class FileFormat { matrix_market, npz, petsc, binsparse };

/// What the name's ending says: .mtx or .mtx.gz, .npz, .petsc, .bsp.h5. Throws UsageError for
/// others.
FileFormat format_of_name(const std::filesystem::path& path);

/// How a file is written.
struct WriteOptions {
  std::string comment{};     ///< of Matrix Market files; may have several lines
  unsigned petsc_bits = 32;  ///< of PETSc's integers; 64 for a PETSc that was built so
  std::function<void(double done)> progress{};
};

/// Writes the matrix in the format that the name's ending says, or that is given: Matrix Market as
/// write_matrix_market(); .npz as SciPy's csr, not compressed; PETSc's binary format in double
/// precision; Binsparse's CSR. As all files of fatvec it appears when it is complete. Scalar: float
/// or double. Throws UsageError for an unknown ending, and for .bsp.h5 in builds without HDF5 or
/// where it is no regular file; Error with the system's reason.
template <class Scalar>
void write_matrix(const std::filesystem::path& path, const HostMatrix<Scalar>& matrix,
                  const WriteOptions& options = {});

}  // namespace fatvec::io
