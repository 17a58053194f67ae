// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include <fatvec/formats/symmetric.hpp>
#include <fatvec/io/matrix_market.hpp>

namespace fatvec::io {

/// A symmetric matrix in host memory, and what is known of its file.
template <class Scalar>
struct SymmetricFile {
  SymmetricMatrix<Scalar, std::int32_t, Kokkos::DefaultHostExecutionSpace> matrix;
  std::string description;      ///< "coordinate real symmetric"
  std::int64_t duplicates = 0;  ///< entries that were added to another one of their position
};

/// Reads a symmetric Matrix Market file, plain or compressed, without making the other triangle:
/// about half of the memory that read_matrix() takes. Options as there. Scalar: float or double.
/// Throws InputError "FILE: ..." where the file is not a coordinate file of a symmetric matrix (a
/// general file may hold one: symmetric(exec, A) finds out), and for what read_matrix_market()
/// refuses; CapacityError where it does not fit.
template <class Scalar>
SymmetricFile<Scalar> read_symmetric(const std::filesystem::path& path,
                                     const ReadOptions& options = {});

}  // namespace fatvec::io
