// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

#include <fatvec/distributed/from_parts.hpp>

/// PETSc's MPIAIJ matrices as fatvec's, without a copy: both keep what multiplies a rank's own rows
/// of X apart from the rest. Includes nothing of PETSc, whose PetscInt must have 32 bits.
namespace fatvec::distributed {

/// The arrays of a SeqAIJ matrix: of MatGetRowIJ(M, 0, PETSC_FALSE, PETSC_FALSE, &rows, &i, &j,
/// &done) and MatSeqAIJGetArray(M, &a). In memory of Device.
template <class Scalar>
struct AijArrays {
  std::int32_t rows;
  std::int32_t cols;
  const std::int32_t* i;  ///< rows + 1 offsets
  const std::int32_t* j;
  Scalar* a;
  std::int32_t nnz;  ///< i[rows]

  /// As CSR, without a copy.
  template <class Device>
  [[nodiscard]] LocalCsr<Scalar, Device> csr() const {
    using Csr = LocalCsr<Scalar, Device>;
    const auto count = static_cast<std::size_t>(nnz);
    return Csr(rows, cols, typename Csr::ConstOffsets(i, static_cast<std::size_t>(rows) + 1),
               typename Csr::Ordinals(const_cast<std::int32_t*>(j), count),  // never written
               typename Csr::Scalars(a, count));
  }
};

/// The matrix of what MatMPIAIJGetSeqAIJ(A, &diagonal, &off_diagonal, &garray) gives. PETSc keeps
/// the arrays; they must outlive the matrix, their pattern must stay, and later values are seen by
/// both. Collective; errors are thrown on all ranks.
template <class Device = Kokkos::DefaultHostExecutionSpace, class Scalar>
auto from_mpiaij(const Communicator& communicator, const AijArrays<Scalar>& diagonal,
                 const AijArrays<Scalar>& off_diagonal, const std::int32_t* garray,
                 const Options& options = {}) {
  const Partition rows = Partition::of_local_rows(communicator, diagonal.rows);
  const Partition x_rows = Partition::of_local_rows(communicator, diagonal.cols);
  const auto columns = communicator.agree(
      [&] { return std::vector<std::int64_t>(garray, garray + off_diagonal.cols); });
  return from_parts(communicator, rows, x_rows, diagonal.template csr<Device>(),
                    off_diagonal.template csr<Device>(), columns, options);
}

}  // namespace fatvec::distributed
