// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/core/output_file.hpp>
#include <fatvec/io/matrix_file.hpp>

namespace fatvec::io::detail {

/// Write a matrix; the file is committed by the caller.
template <class Scalar>
void write_npz(fatvec::detail::OutputFile& file, const HostMatrix<Scalar>& matrix,
               const WriteOptions& options);
template <class Scalar>
void write_petsc(fatvec::detail::OutputFile& file, const HostMatrix<Scalar>& matrix,
                 const WriteOptions& options);
template <class Scalar>
void write_binsparse(fatvec::detail::OutputFile& file, const HostMatrix<Scalar>& matrix,
                     const WriteOptions& options);

}  // namespace fatvec::io::detail
