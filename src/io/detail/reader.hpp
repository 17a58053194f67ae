// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>

#include <fatvec/io/matrix_market.hpp>

namespace fatvec::io::detail {

/// Text per thread and step: small enough for the second-level cache together with the entries
/// parsed from it.
inline constexpr std::size_t default_piece_bytes = std::size_t{256} << 10;

/// read_matrix_market and read_multivector with the text cut into pieces of about piece_bytes
/// (tests take a few bytes).
template <class Scalar>
Coo<Scalar, std::int32_t> read_coo(const std::filesystem::path& path, MatrixMarketHeader* header,
                                   std::size_t piece_bytes, const ReadOptions& options = {});

template <class Scalar>
HostMultivector<Scalar> read_dense(const std::filesystem::path& path, std::size_t piece_bytes,
                                   const ReadOptions& options = {});

}  // namespace fatvec::io::detail
