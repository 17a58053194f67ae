// SPDX-License-Identifier: Apache-2.0
// SciPy's sparse matrices, as scipy.sparse.save_npz(..., compressed=False) writes them (npz.cpp).
#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <fatvec/io/detail/npy.hpp>
#include <fatvec/io/detail/stored_writers.hpp>

namespace fatvec::io::detail {
namespace {

/// Appends a little-endian number.
void append_number(std::string& record, std::uint64_t value, std::size_t bytes) {
  for (std::size_t n = 0; n < bytes; ++n, value >>= 8) record += static_cast<char>(value & 0xff);
}

/// Writes an archive of members that are not compressed, with Zip64 records whatever their sizes.
class ArchiveWriter {
 public:
  explicit ArchiveWriter(fatvec::detail::OutputFile& file) : file_(file) {}

  /// Adds an array: its header, and its elements as they are in memory.
  void add(const std::string& name, const std::string& header, const char* data,
           std::size_t bytes) {
    const std::uint32_t sum = static_cast<std::uint32_t>(
        crc32_combine(checksum(header.data(), header.size()), checksum(data, bytes),
                      static_cast<z_off_t>(bytes)));
    const std::uint64_t size = header.size() + bytes;
    std::string entry;  // what the local header and the directory have in common
    append_number(entry, zip64_version, 2);
    append_number(entry, 0, 2 + 2 + 2);  // no flags, not compressed, at midnight
    append_number(entry, first_day, 2);
    append_number(entry, sum, 4);
    append_number(entry, told_by_zip64, 4);
    append_number(entry, told_by_zip64, 4);
    append_number(entry, name.size(), 2);

    std::string local = "PK\x03\x04" + entry;
    append_number(local, 4 + 16, 2);
    local += name;
    append_sizes(local, size, 16);

    append_number(directory_ += "PK\x01\x02", zip64_version, 2);
    directory_ += entry;
    append_number(directory_, 4 + 24, 2);
    append_number(directory_, 0, 2 + 2 + 2 + 4);  // no comment, disk 0, no attributes
    append_number(directory_, told_by_zip64, 4);
    directory_ += name;
    append_sizes(directory_, size, 24);
    append_number(directory_, offset_, 8);

    ++members_;
    write(local);
    write(header);
    write({data, bytes});
  }

  void finish() {
    const std::uint64_t begin = offset_;
    const std::uint64_t zip64 = offset_ + directory_.size();
    const std::uint64_t bytes = directory_.size();
    append_number(directory_ += "PK\x06\x06", 44, 8);
    append_number(directory_, zip64_version, 2);
    append_number(directory_, zip64_version, 2);
    append_number(directory_, 0, 4 + 4);  // one disk
    for (const std::uint64_t value : {members_, members_, bytes, begin})
      append_number(directory_, value, 8);
    append_number(directory_ += "PK\x06\x07", 0, 4);
    append_number(directory_, zip64, 8);
    append_number(directory_, 1, 4);
    append_number(directory_ += "PK\x05\x06", 0, 2 + 2);
    append_number(directory_, members_, 2);
    append_number(directory_, members_, 2);
    append_number(directory_, told_by_zip64, 4);
    append_number(directory_, told_by_zip64, 4);
    append_number(directory_, 0, 2);
    write(directory_);
  }

 private:
  static constexpr unsigned zip64_version = 45;
  static constexpr std::uint64_t told_by_zip64 = 0xffffffff;
  static constexpr unsigned first_day = 0x21;  // 1 January 1980: the same matrix, the same bytes

  static void append_sizes(std::string& record, std::uint64_t size, unsigned length) {
    append_number(record, 1, 2);
    append_number(record, length, 2);
    append_number(record, size, 8);
    append_number(record, size, 8);
  }

  void write(std::string_view bytes) {
    file_.write(bytes);
    offset_ += bytes.size();
  }

  fatvec::detail::OutputFile& file_;
  std::string directory_;
  std::uint64_t offset_ = 0;
  std::uint64_t members_ = 0;
};

template <class T>
NumberType type_of() {
  using Kind = NumberType::Kind;
  return {std::is_floating_point_v<T> ? Kind::real : Kind::integer, sizeof(T), false};
}

template <class View>
void add_array(ArchiveWriter& archive, const char* name, const View& view) {
  using Element = typename View::non_const_value_type;
  archive.add(name, npy_header(type_of<Element>(), {view.extent(0)}),
              reinterpret_cast<const char*>(view.data()), view.extent(0) * sizeof(Element));
}

}  // namespace

template <class Scalar>
void write_npz(fatvec::detail::OutputFile& file, const HostMatrix<Scalar>& matrix,
               const WriteOptions& options) {
  ArchiveWriter archive(file);
  add_array(archive, "indices.npy", matrix.entries);
  if (options.progress)
    options.progress(1.0 * sizeof(std::int32_t) / (sizeof(std::int32_t) + sizeof(Scalar)));
  add_array(archive, "indptr.npy", matrix.row_map);
  archive.add("format.npy", npy_text_header(3), "csr", 3);
  const std::int64_t shape[] = {matrix.rows(), matrix.cols()};
  archive.add("shape.npy", npy_header(type_of<std::int64_t>(), {2}),
              reinterpret_cast<const char*>(shape), sizeof shape);
  add_array(archive, "data.npy", matrix.values);
  archive.finish();
}

template void write_npz<float>(fatvec::detail::OutputFile&, const HostMatrix<float>&,
                               const WriteOptions&);
template void write_npz<double>(fatvec::detail::OutputFile&, const HostMatrix<double>&,
                                const WriteOptions&);

}  // namespace fatvec::io::detail
