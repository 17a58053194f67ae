// SPDX-License-Identifier: Apache-2.0
// In the place of filtered_source.cpp where CMake found no libarchive.
#include <fatvec/core/error.hpp>
#include <fatvec/io/detail/byte_source.hpp>

namespace fatvec::io::detail {

std::unique_ptr<ByteSource> inflated(const std::filesystem::path& path,
                                     std::unique_ptr<ByteSource>) {
  throw InputError(fatvec::detail::concat(
      path.string(), ": is compressed by bzip2, xz or zstd, and this fatvec was built without ",
      "libarchive, which reads that. Unpack the file (bunzip2, unxz or unzstd --keep), or build ",
      "fatvec where libarchive is (apt-get install libarchive-dev)."));
}

}  // namespace fatvec::io::detail
