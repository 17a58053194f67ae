// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/io/detail/stored_array.hpp>
#include <fatvec/io/matrix_market.hpp>

namespace fatvec::io::detail {

/// What stands before the elements of a NumPy array (numpy.lib.format, versions 1 to 3).
struct NpyHeader {
  NumberType type;
  std::size_t text_bytes = 0;  ///< of an element of text; 0: elements are numbers
  bool columns_first = false;  ///< whether the first index runs fastest
  std::vector<std::uint64_t> shape;
  std::uint64_t elements = 1;
  std::uint32_t bytes = 0;  ///< of the header
};

/// Bytes after which a header's length is known.
inline constexpr std::size_t npy_prefix = 12;

/// The length of a header that begins so; 0 where it is no NumPy array.
std::uint32_t npy_header_bytes(std::string_view prefix);

/// name: of messages. Throws InputError where the header is not understood, or has elements that
/// are neither numbers nor text (objects, structures).
NpyHeader parse_npy_header(const BinaryFile& file, const std::string& name, std::string_view text);

/// A header of numbers in the byte order of this machine; big_endian is not looked at.
std::string npy_header(const NumberType& type, const std::vector<std::uint64_t>& shape);
/// The header of one word of as many bytes.
std::string npy_text_header(std::size_t bytes);

template <class Scalar>
using StridedMultivector = Kokkos::View<const Scalar**, Kokkos::LayoutStride, Kokkos::HostSpace>;

/// read_multivector() and write_multivector() of .npy files: row by row, as numpy.save writes them,
/// or, to read, column by column.
template <class Scalar>
HostMultivector<Scalar> read_npy(const std::filesystem::path& path, const ReadOptions& options);
template <class Scalar>
void write_npy(const std::filesystem::path& path, const StridedMultivector<Scalar>& multivector);

}  // namespace fatvec::io::detail
