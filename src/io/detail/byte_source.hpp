// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace fatvec::io::detail {

/// The bytes of an input file in order, decompressed.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `into`; fewer than `bytes` come back only at the end or where the input fails (then
  /// failure() says why).
  virtual std::size_t read(char* into, std::size_t bytes) = 0;

  /// More bytes than this cannot come (compressed input: by zlib's best ratio); bounds what a lying
  /// size line makes us allocate.
  [[nodiscard]] virtual std::uint64_t most_bytes() const = 0;

  /// Empty while all is well. Kept rather than thrown, so that a bad line before the failure is
  /// reported first.
  [[nodiscard]] const std::string& failure() const { return failure_; }

 protected:
  std::string failure_;
};

/// Opens a file or a pipe, plain or compressed. Throws InputError where that fails, or where the
/// compression wants a library that this build has not.
std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path);

/// What bzip2, xz or zstd compressed; raw: from its first byte. Throws InputError in builds without
/// libarchive.
std::unique_ptr<ByteSource> inflated(const std::filesystem::path& path,
                                     std::unique_ptr<ByteSource> raw);

}  // namespace fatvec::io::detail
