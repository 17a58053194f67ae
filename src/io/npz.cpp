// SPDX-License-Identifier: Apache-2.0
// SciPy's sparse matrices: a zip archive of NumPy arrays, as scipy.sparse.save_npz writes them. The
// archive is read by its directory (PKWARE's APPNOTE.TXT, with Zip64), and not by a library, since
// those hand out streams: here many threads and ranks read parts of members that are not
// compressed.
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include <fatvec/io/detail/npy.hpp>
#include <fatvec/io/detail/stored_matrix.hpp>

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;

/// A member of the archive, as its directory has it.
struct Member {
  std::string name;
  unsigned method = 0;
  std::uint32_t sum = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t header = 0;  ///< where its local header is
};

/// A little-endian number of a record.
std::uint64_t number(std::string_view record, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t n = bytes; n-- > 0;)
    value = value << 8 | static_cast<unsigned char>(record[at + n]);
  return value;
}

constexpr std::uint64_t in_zip64 = 0xffffffff;  // of a field that a Zip64 record has in its place

class Archive {
 public:
  explicit Archive(const BinaryFile& file) : file_(file) { read_directory(); }

  [[nodiscard]] const Member* find(const std::string& name) const {
    const auto found = members_.find(name);
    return found == members_.end() ? nullptr : &found->second;
  }

  /// The first bytes of a member, inflated; fewer where it has fewer.
  [[nodiscard]] std::string head(const Member& member, std::size_t bytes) const {
    const std::uint64_t at = data_of(member);
    bytes = std::min<std::uint64_t>(bytes, member.bytes);
    if (member.method == 0) return file_.bytes(at, bytes);
    std::string packed =
        file_.bytes(at, std::min<std::uint64_t>(member.packed_bytes, bytes + 4096));
    std::string text(bytes, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
      throw Error("zlib could not be initialised: out of memory.");
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.data());
    stream.avail_out = static_cast<uInt>(text.size());
    const int status = inflate(&stream, Z_SYNC_FLUSH);
    inflateEnd(&stream);
    if (stream.avail_out > 0)
      throw damaged(concat(member.name, " cannot be inflated (zlib: ", zError(status), ')'));
    return text;
  }

  /// Where a member's data begin.
  [[nodiscard]] std::uint64_t data_of(const Member& member) const {
    constexpr std::size_t fixed = 30;
    const std::string local = file_.bytes(member.header, fixed);
    const std::uint64_t at = member.header + fixed + number(local, 26, 2) + number(local, 28, 2);
    if (!local.starts_with("PK\x03\x04") || at > file_.size() ||
        member.packed_bytes > file_.size() - at)
      throw damaged(concat(member.name, " lies beyond the end of the file"));
    return at;
  }

  [[nodiscard]] InputError damaged(const std::string& what) const {
    return file_.error(
        concat(what, "; the archive is damaged or truncated: fetch or write it again."));
  }

 private:
  void read_directory() {
    constexpr std::size_t end_record = 22;
    constexpr std::size_t longest = end_record + 0xffff;  // with a comment
    const std::size_t bytes = std::min<std::uint64_t>(file_.size(), longest);
    const std::string tail = file_.bytes(file_.size() - bytes, bytes);
    const std::size_t end = tail.rfind("PK\x05\x06");
    if (end == tail.npos || tail.size() - end < end_record)
      throw damaged("a zip archive without its directory, which is at the end");
    std::uint64_t count = number(tail, end + 10, 2);
    std::uint64_t at = number(tail, end + 16, 4);
    constexpr std::size_t locator = 20;
    if (end >= locator && tail.compare(end - locator, 4, "PK\x06\x07") == 0) {
      const std::string zip64 = file_.bytes(number(tail, end - locator + 8, 8), 56);
      count = number(zip64, 32, 8);
      at = number(zip64, 48, 8);
    }
    constexpr std::uint64_t most_members = 1000;
    if (count > most_members) throw damaged(concat("it has ", count, " members"));
    for (std::uint64_t n = 0; n < count; ++n) at += read_member(at);
  }

  /// Returns the length of its entry in the directory.
  std::uint64_t read_member(std::uint64_t at) {
    constexpr std::size_t fixed = 46;
    const std::string record = file_.bytes(at, fixed);
    if (!record.starts_with("PK\x01\x02")) throw damaged("its directory makes no sense");
    const std::size_t name = number(record, 28, 2);
    const std::size_t extra = number(record, 30, 2);
    const std::string names = file_.bytes(at + fixed, name + extra);
    Member member{.name = names.substr(0, name),
                  .method = static_cast<unsigned>(number(record, 10, 2)),
                  .sum = static_cast<std::uint32_t>(number(record, 16, 4)),
                  .packed_bytes = number(record, 20, 4),
                  .bytes = number(record, 24, 4),
                  .header = number(record, 42, 4)};
    read_zip64(std::string_view(names).substr(name), member);
    if ((number(record, 8, 2) & 1) != 0)
      throw file_.error(concat(member.name, " is encrypted; write the file without a password."));
    if (member.method != 0 && member.method != Z_DEFLATED)
      throw file_.error(concat(member.name, " is compressed by the zip method ", member.method,
                               ", which NumPy does not write; write it by scipy.sparse.save_npz."));
    members_.emplace(member.name, member);
    return fixed + name + extra + number(record, 32, 2);
  }

  /// Sizes beyond 32 bits, in their order.
  void read_zip64(std::string_view extra, Member& member) const {
    while (extra.size() >= 4) {
      const std::size_t length = number(extra, 2, 2);
      std::string_view field = extra.substr(4, length);
      if (number(extra, 0, 2) == 1) {
        std::uint64_t* const wanted[] = {&member.bytes, &member.packed_bytes, &member.header};
        for (std::uint64_t* const value : wanted) {
          if (*value != in_zip64 || field.size() < 8) continue;
          *value = number(field, 0, 8);
          field.remove_prefix(8);
        }
      }
      extra.remove_prefix(std::min(extra.size(), 4 + length));
    }
  }

  const BinaryFile& file_;
  std::map<std::string, Member> members_;
};

/// The arrays of the archive, by NumPy's names.
class Npz {
 public:
  explicit Npz(const BinaryFile& file) : file_(file), archive_(file) {}

  [[nodiscard]] bool has(const std::string& name) const {
    return archive_.find(name + ".npy") != nullptr;
  }

  /// shape, where it is asked for; else the array has to have one dimension.
  StoredArray array(const std::string& name, NpyHeader* whole = nullptr) const {
    const Member& member = find(name);
    const std::string prefix = archive_.head(member, npy_prefix);
    const std::uint32_t length = npy_header_bytes(prefix);
    if (length == 0 || length > member.bytes)
      throw archive_.damaged(concat(member.name, " is no NumPy array"));
    const std::string text = archive_.head(member, length);
    const NpyHeader header = parse_npy_header(file_, member.name, text);
    const std::uint64_t element = header.text_bytes > 0 ? header.text_bytes : header.type.bytes;
    const std::uint64_t bytes = member.bytes - length;
    if (bytes / element != header.elements || bytes % element != 0)
      throw archive_.damaged(concat(member.name, " has ", bytes, " bytes for ", header.elements,
                                    " elements of ", element));
    if (whole != nullptr)
      *whole = header;
    else if (header.shape.size() != 1 || header.text_bytes > 0)
      throw file_.error(
          concat(member.name, " has ", header.shape.size(),
                 " dimensions, and one is wanted; write it by scipy.sparse.save_npz."));
    const bool deflated = member.method != 0;
    constexpr std::uint64_t best_ratio = 1032;  // of deflate
    if (deflated ? member.packed_bytes < member.bytes / best_ratio
                 : member.packed_bytes != member.bytes)
      throw archive_.damaged(concat(member.name, " has ", member.packed_bytes, " bytes, which ",
                                    "cannot become ", member.bytes));
    return {.name = member.name,
            .type = header.type,
            .elements = header.elements,
            .offset = archive_.data_of(member) + (deflated ? 0 : length),
            .deflated = deflated,
            .packed_bytes = member.packed_bytes,
            .header_bytes = length,
            .header_sum = checksum(text.data(), text.size()),
            .sum = member.sum};
  }

  /// Row offsets, row and column indices.
  [[nodiscard]] StoredArray indices(const std::string& name) const {
    StoredArray indices = array(name);
    const auto kind = indices.type.kind;
    if (kind != NumberType::Kind::integer && kind != NumberType::Kind::natural)
      throw file_.error(concat(indices.name, " has elements of ", indices.type.name(),
                               ", and integers are wanted; write it by scipy.sparse.save_npz."));
    return indices;
  }

  [[nodiscard]] std::string text(const std::string& name) const {
    const Member& member = find(name);
    NpyHeader header;
    const StoredArray stored = array(name, &header);
    constexpr std::size_t longest = 64;
    if (header.text_bytes == 0 || header.text_bytes > longest || header.elements != 1)
      throw archive_.damaged(concat(member.name, " is no word"));
    std::string word = archive_.head(member, header.bytes + header.text_bytes).substr(header.bytes);
    std::erase(word, '\0');  // UTF-32 of ASCII, and what fills up
    return word;
  }

  /// Rows and columns.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> shape() const {
    const StoredArray stored = indices("shape");
    if (stored.elements != 2)
      throw file_.error(concat(stored.name, " has ", stored.elements,
                               " elements: a matrix has two extents, rows and columns."));
    std::int64_t extents[2];
    read_array(file_, stored, 0, 2, extents);
    return {extents[0], extents[1]};
  }

  [[nodiscard]] InputError error(const std::string& what) const { return file_.error(what); }

 private:
  [[nodiscard]] const Member& find(const std::string& name) const {
    if (const Member* const member = archive_.find(name + ".npy")) return *member;
    throw file_.error(concat("has no array '", name, "', which a matrix of scipy.sparse.save_npz ",
                             "has; write the file so."));
  }

  const BinaryFile& file_;
  Archive archive_;
};

void require_elements(const Npz& npz, const StoredArray& array, std::int64_t wanted,
                      const char* what) {
  if (array.elements != static_cast<std::uint64_t>(wanted))
    throw npz.error(concat(array.name, " has ", array.elements, " elements, and ", wanted,
                           " are wanted, ", what, "; the file is damaged, write it again."));
}

void take_blocks(const Npz& npz, const NpyHeader& data, StoredMatrix& matrix) {
  if (data.shape.size() != 3)
    throw npz.error(
        concat("data.npy has ", data.shape.size(),
               " dimensions, and blocks have three; write it by scipy.sparse.save_npz."));
  matrix.block_rows = static_cast<std::int64_t>(data.shape[1]);
  matrix.block_cols = static_cast<std::int64_t>(data.shape[2]);
  if (matrix.block_rows < 1 || matrix.block_cols < 1 || matrix.rows % matrix.block_rows != 0 ||
      matrix.cols % matrix.block_cols != 0)
    throw npz.error(concat("blocks of ", matrix.block_rows, " x ", matrix.block_cols,
                           " do not fill a matrix of ", matrix.rows, " x ", matrix.cols,
                           "; the file is damaged, write it again."));
  if (data.columns_first && data.elements > 0)
    throw npz.error("data.npy has its first index running fastest; write A.copy() in its place.");
}

}  // namespace

StoredMatrix open_npz(const BinaryFile& file) {
  const Npz npz(file);
  const std::string format = npz.text("format");
  const bool coo = format == "coo";
  if (!coo && format != "csr" && format != "csc" && format != "bsr")
    throw file.error(concat("a matrix of SciPy's format '", format.substr(0, 8),
                            "' is not read; there are csr, csc, bsr and coo: "
                            "scipy.sparse.save_npz(\"A.npz\", A.tocsr()) writes one."));
  StoredMatrix matrix{.name = "SciPy " + format,
                      .layout = coo               ? StoredMatrix::Layout::coo
                                : format == "csc" ? StoredMatrix::Layout::csc
                                : format == "bsr" ? StoredMatrix::Layout::bsr
                                                  : StoredMatrix::Layout::csr};
  std::tie(matrix.rows, matrix.cols) = npz.shape();
  NpyHeader data;
  matrix.values = npz.array("data", &data);
  if (data.text_bytes > 0) throw file.error("data.npy holds text, and numbers are wanted.");
  if (format == "bsr")
    take_blocks(npz, data, matrix);
  else if (data.shape.size() != 1)
    throw file.error(concat("data.npy has ", data.shape.size(), " dimensions, and one is wanted."));
  const auto entries = static_cast<std::int64_t>(data.shape[0]);
  if (coo) {
    matrix.major = npz.indices("row");
    require_elements(npz, matrix.major, entries, "one for each entry");
  } else {
    matrix.offsets = npz.indices("indptr");
    require_elements(npz, matrix.offsets, matrix.slabs() + 1, "one for each row and an end");
  }
  matrix.minor = npz.indices(coo ? "col" : "indices");
  require_elements(npz, matrix.minor, entries, "one for each entry");
  return matrix;
}

}  // namespace fatvec::io::detail
