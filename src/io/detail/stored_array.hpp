// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include <fatvec/core/error.hpp>

/// Arrays of numbers within binary files, which are read in ranges by many threads.
namespace fatvec::io::detail {

/// A regular file, of which any bytes can be read.
class BinaryFile {
 public:
  /// Throws InputError where the file cannot be opened.
  explicit BinaryFile(std::filesystem::path path);
  ~BinaryFile();
  BinaryFile(const BinaryFile&) = delete;
  BinaryFile& operator=(const BinaryFile&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Whether the bytes could be read; from any thread.
  [[nodiscard]] bool read(std::uint64_t offset, std::size_t bytes, char* into) const;

  /// The bytes, of a header; throws InputError where the file ends before.
  [[nodiscard]] std::string bytes(std::uint64_t offset, std::size_t count) const;

  /// "FILE: what", to be thrown.
  [[nodiscard]] InputError error(const std::string& what) const;

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

/// How a number is stored.
struct NumberType {
  enum class Kind : std::uint8_t { boolean, integer, natural, real, complex };
  Kind kind = Kind::real;
  unsigned bytes = 8;
  bool big_endian = false;

  /// "float64", as NumPy has it.
  [[nodiscard]] std::string name() const;
};

/// Reads elements of an array as they are stored; whether that went well.
using FetchElements = std::function<bool(std::uint64_t begin, std::uint64_t elements, char* into)>;

/// An array where it lies in a file.
struct StoredArray {
  std::string name;  ///< of messages: "indices.npy"
  NumberType type;
  std::uint64_t elements = 0;
  std::uint64_t offset = 0;  ///< of its first byte in the file, or of the compressed data
  FetchElements fetch{};     ///< of what a library has to read, by one thread: chunks of HDF5
  // Of a member of a zip archive:
  bool deflated = false;
  std::uint64_t packed_bytes = 0;      ///< of the compressed data
  std::uint32_t header_bytes = 0;      ///< before its first element, once inflated
  std::uint32_t header_sum = 0;        ///< CRC-32 of what is before its first element
  std::optional<std::uint32_t> sum{};  ///< CRC-32 of all of it

  [[nodiscard]] std::uint64_t bytes() const { return elements * type.bytes; }
};

/// Called now and then with the number of elements read since the last call.
using CountElements = std::function<void(std::uint64_t elements)>;

/// Reads the elements begin ... end - 1 as To. Indices are refused where they are not within [0,
/// extent): by index arrays the range of To has to be kept at least. A whole array is compared with
/// its checksum; of a compressed one everything before `end` is inflated. Throws InputError, which
/// names the file, the array and the first bad element.
template <class To>
void read_array(const BinaryFile& file, const StoredArray& array, std::uint64_t begin,
                std::uint64_t end, To* into,
                std::int64_t extent = std::numeric_limits<std::int64_t>::max(),
                const CountElements& count = {});

/// The CRC-32 of zip archives, by many threads.
std::uint32_t checksum(const char* data, std::size_t bytes);

}  // namespace fatvec::io::detail
