// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include <fatvec/distributed/build.hpp>
#include <fatvec/io/detail/header.hpp>

/// The ways in which ranks share the reading of a file; read_entries() chooses.
namespace fatvec::distributed::detail {

/// The header of a Matrix Market file that can be spread: a coordinate file of real values.
io::detail::ParsedHeader spread_header(io::detail::TextBlocks& text);

/// Each rank parses a range of bytes of text that is not compressed.
template <class Scalar>
GlobalCoo<Scalar> read_text_ranges(const Communicator& communicator,
                                   const std::filesystem::path& path,
                                   std::optional<std::uint64_t> memory_limit);

/// Rank 0 inflates and parses compressed text, and sends each rank about as many entries.
template <class Scalar>
GlobalCoo<Scalar> read_text_on_one(const Communicator& communicator,
                                   const std::filesystem::path& path,
                                   std::optional<std::uint64_t> memory_limit);

/// Each rank reads its part of the arrays of a binary file; of compressed ones it inflates what is
/// before, too.
template <class Scalar>
GlobalCoo<Scalar> read_array_parts(const Communicator& communicator,
                                   const std::filesystem::path& path,
                                   std::optional<std::uint64_t> memory_limit);

}  // namespace fatvec::distributed::detail
