// SPDX-License-Identifier: Apache-2.0
#include <fatvec/io/detail/npy.hpp>

#include <bit>
#include <charconv>

#include <fatvec/io/detail/text_blocks.hpp>

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;

constexpr std::string_view npy_magic = "\x93NUMPY";

/// What follows a key of the dictionary, up to a character that ends it.
std::string_view value_of(std::string_view text, std::string_view key, std::string_view end) {
  std::size_t at = text.find(concat('\'', key, "':"));
  if (at == text.npos) return {};
  at = text.find_first_not_of(' ', at + key.size() + 3);
  const std::size_t stop = at == text.npos ? at : text.find_first_of(end, at + 1);
  return stop == text.npos ? std::string_view() : text.substr(at, stop - at + 1);
}

/// '<f8' and the like; false where it is neither a number nor text.
bool parse_type(std::string_view descr, NpyHeader& header) {
  using Kind = NumberType::Kind;
  if (descr.size() < 5 || descr.front() != '\'' || descr.back() != '\'') return false;
  const char order = descr[1];
  const char kind = descr[2];
  unsigned bytes = 0;
  const char* const end = descr.data() + descr.size() - 1;
  if (std::from_chars(descr.data() + 3, end, bytes).ptr != end || bytes > 1024) return false;
  header.type.big_endian =
      order == '>' || (order != '<' && std::endian::native == std::endian::big);
  header.type.bytes = bytes;
  switch (kind) {
    case 'b':
      header.type.kind = Kind::boolean;
      return bytes == 1;
    case 'i':
      header.type.kind = Kind::integer;
      break;
    case 'u':
      header.type.kind = Kind::natural;
      break;
    case 'f':
      header.type.kind = Kind::real;
      return bytes == 4 || bytes == 8;
    case 'c':
      header.type.kind = Kind::complex;
      return bytes == 8 || bytes == 16;
    case 'S':
    case 'U':
      header.text_bytes = kind == 'U' ? 4 * bytes : bytes;
      return bytes > 0;
    default:
      return false;
  }
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/// "(3, 4)"; false where an extent is no number, or the product of all exceeds 63 bits.
bool parse_shape(std::string_view shape, NpyHeader& header) {
  if (shape.size() < 2 || shape.front() != '(' || shape.back() != ')') return false;
  const char* at = shape.data() + 1;
  const char* const end = shape.data() + shape.size() - 1;
  while (at != end) {
    std::uint64_t extent = 0;
    const auto [stop, status] = std::from_chars(at, end, extent);
    std::int64_t all = 0;
    if (status != std::errc() || extent > INT64_MAX ||
        __builtin_mul_overflow(static_cast<std::int64_t>(header.elements),
                               static_cast<std::int64_t>(extent), &all))
      return false;
    header.shape.push_back(extent);
    header.elements = static_cast<std::uint64_t>(all);
    for (at = stop; at != end && (*at == ',' || *at == ' ');) ++at;
  }
  return true;
}

}  // namespace

std::uint32_t npy_header_bytes(std::string_view prefix) {
  if (prefix.size() < npy_prefix || !prefix.starts_with(npy_magic)) return 0;
  const auto byte = [&](std::size_t n) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(prefix[n]));
  };
  constexpr std::uint32_t largest = 1U << 20;  // NumPy itself warns of 10,000 bytes
  if (byte(6) == 1) return 10 + byte(8) + (byte(9) << 8);
  const std::uint32_t length = byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  return byte(6) <= 3 && length < largest ? 12 + length : 0;
}

NpyHeader parse_npy_header(const BinaryFile& file, const std::string& name, std::string_view text) {
  NpyHeader header;
  header.bytes = static_cast<std::uint32_t>(text.size());
  const std::string_view order = value_of(text, "fortran_order", ",}");
  std::string_view descr = value_of(text, "descr", ",}");
  if (!descr.empty()) descr.remove_suffix(1);
  if (!parse_type(descr, header))
    throw file.error(concat(name, ": elements of the type ", quoted(descr),
                            " are not read; there are bool, integers of 8 to 64 bits, float32, "
                            "float64, complex64 and complex128: convert them in Python, "
                            "A.astype(numpy.float64)."));
  header.columns_first = order.starts_with("True");
  if (order.empty() || !parse_shape(value_of(text, "shape", ")"), header))
    throw file.error(concat(name, ": its header makes no sense: ", quoted(text),
                            "; the file is damaged, fetch or write it again."));
  return header;
}

namespace {

std::string with_dictionary(const std::string& type, const std::string& shape) {
  std::string text =
      concat("{'descr': '", type, "', 'fortran_order': False, 'shape': (", shape, "), }");
  constexpr std::size_t prefix = 10;  // of version 1
  constexpr std::size_t alignment = 64;
  text.resize((prefix + text.size() + alignment) / alignment * alignment - prefix - 1, ' ');
  text += '\n';
  return concat(npy_magic, '\x01', '\0', static_cast<char>(text.size() & 0xff),
                static_cast<char>(text.size() >> 8), text);
}

}  // namespace

std::string npy_header(const NumberType& type, const std::vector<std::uint64_t>& shape) {
  constexpr const char* kinds[] = {"b", "i", "u", "f", "c"};
  constexpr char order = std::endian::native == std::endian::big ? '>' : '<';
  std::string extents;
  for (const std::uint64_t extent : shape) extents += concat(extent, ", ");
  return with_dictionary(concat(order, kinds[static_cast<int>(type.kind)], type.bytes), extents);
}

std::string npy_text_header(std::size_t bytes) {
  return with_dictionary(concat("|S", bytes), "");
}

}  // namespace fatvec::io::detail
