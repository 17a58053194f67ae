// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>

#include <fatvec/distributed/file_parts.hpp>
#include <fatvec/distributed/matrix_market.hpp>
#include <fatvec/io/detail/body.hpp>
#include <fatvec/io/detail/stored_matrix.hpp>

namespace fatvec::distributed {
namespace {

using fatvec::detail::concat;
using io::detail::Failure;
using io::detail::Fault;
using io::detail::ParsedHeader;

constexpr std::int64_t no_line = std::numeric_limits<std::int64_t>::max();

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(concat(path.string(), ": cannot be opened by this rank."));
  return file;
}

/// What all ranks can read together.
io::detail::FileKind spread_kind(const std::filesystem::path& path) {
  std::error_code unreadable;  // told below
  const auto status = std::filesystem::status(path, unreadable);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw InputError(concat(path.string(), ": ranks read parts of a file, which this is not; ",
                            "write the matrix to one."));
  open(path);
  return io::detail::kind_of(path);
}

/// The header, and the bytes below it that this rank parses.
struct Share {
  ParsedHeader header;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t of_all = 0;  ///< bytes below the header

  /// Entries that are announced for as many bytes; a file may be shorter than what it announces.
  [[nodiscard]] double entries() const {
    const auto bytes = static_cast<double>(end - begin);
    return std::min(static_cast<double>(header.entries) * bytes /
                        static_cast<double>(std::max<std::int64_t>(of_all, 1)),
                    bytes / io::detail::CoordinateParser<double>::shortest_line + 1);
  }
};

/// A line belongs to the rank in whose range its first byte lies.
Share find_share(const std::filesystem::path& path, std::int64_t rank, std::int64_t ranks) {
  io::detail::TextBlocks text(path);
  Share share{.header = detail::spread_header(text)};
  std::ifstream file = open(path);
  std::string line;
  for (std::int64_t n = 0; n < share.header.size_line; ++n) std::getline(file, line);
  std::error_code error;
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  if (error)
    throw InputError(
        concat(path.string(), ": its size is unknown: ", error.message(), "; check the file."));
  const std::int64_t body = file.eof() ? size : static_cast<std::int64_t>(file.tellg());
  const auto cut = [&](std::int64_t part) {  // of a line that begins at the cut, or the next one
    const std::int64_t at = body + part_begin(size - body, part, ranks);
    if (at == body || at == size) return at;
    file.clear();
    file.seekg(at - 1);
    std::getline(file, line);
    return file.eof() ? size : static_cast<std::int64_t>(file.tellg());
  };
  share.begin = cut(rank);
  share.end = cut(rank + 1);
  share.of_all = size - body;
  return share;
}

/// Whole lines, each '\n'-terminated.
std::string read_lines(const std::filesystem::path& path, const Share& share) {
  std::ifstream file = open(path);
  const std::int64_t bytes = share.end - share.begin;
  std::string text;
  text.reserve(static_cast<std::size_t>(bytes) + 1);
  text.resize(static_cast<std::size_t>(bytes));
  file.seekg(share.begin);
  file.read(text.data(), bytes);
  if (!file) throw InputError(concat(path.string(), ": the file ended while it was read."));
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

/// Lines of the file where entries of either triangle come first, over all ranks.
struct Triangles {
  std::int64_t lower = no_line;
  std::int64_t upper = no_line;

  void take_first(const Communicator& communicator) {
    std::int64_t lines[2] = {lower, upper};
    MPI_Allreduce(MPI_IN_PLACE, lines, 2, MPI_INT64_T, MPI_MIN, communicator.get());
    lower = lines[0];
    upper = lines[1];
  }
  /// The line that contradicts the file's first off-diagonal entry.
  [[nodiscard]] std::int64_t contradiction() const { return std::max(lower, upper); }
};

}  // namespace

ParsedHeader detail::spread_header(io::detail::TextBlocks& text) {
  const ParsedHeader header = io::detail::parse_header(text);
  if (!header.coordinate)
    throw text.error(1,
                     "a dense array is not read by ranks; write the matrix as a coordinate file.");
  if (header.field == io::Field::complex)
    throw text.error(1, "complex values are not read by ranks; read the file on one.");
  return header;
}

template <class Scalar>
GlobalCoo<Scalar> detail::read_text_ranges(const Communicator& communicator,
                                           const std::filesystem::path& path,
                                           std::optional<std::uint64_t> memory_limit) {
  using Parser = io::detail::CoordinateParser<Scalar, std::int64_t>;
  using Item = typename Parser::Item;
  const Share share = communicator.agree(
      [&] { return find_share(path, communicator.rank(), communicator.size()); });
  const ParsedHeader& header = share.header;
  const Parser parser(header);
  // The text, and its entries in a growing list, which is then copied.
  const double items = share.entries() * static_cast<double>(parser.items_per_entry());
  require_fits_on_host(communicator, "what is made of the Matrix Market file",
                       static_cast<double>(share.end - share.begin) + 3 * items * sizeof(Item),
                       memory_limit, [&] {
                         return concat(header.rows, " x ", header.cols, ", ", header.entries,
                                       " entries in the file");
                       });
  const std::string text = communicator.agree_on("rows of the file", header.rows,
                                                 [&] { return read_lines(path, share); });
  auto piece = communicator.agree_on("columns of the file", header.cols, [&] {
    io::detail::Piece<Item> parsed;
    io::detail::parse_lines(parser, text, static_cast<std::size_t>(header.entries), parsed);
    return parsed;
  });

  // Ranges follow each other, so that the lowest rank with a bad line has the file's first one.
  const std::int64_t lines_before = sums_of(communicator, piece.lines).before;
  const Sums stored = sums_of(communicator, static_cast<std::int64_t>(piece.stored));
  const auto line_of = [&](const Failure& failure) {
    return failure.fault == Fault::none ? no_line
                                        : header.size_line + 1 + lines_before + failure.line;
  };
  const Triangles mine{line_of(piece.lower), line_of(piece.upper)};
  Triangles first = mine;
  first.take_first(communicator);
  communicator.agree_on("entries of the file", header.entries, [&] {
    const std::int64_t left = std::max<std::int64_t>(header.entries - stored.before, 0);
    const auto parsed = static_cast<std::int64_t>(piece.stored);
    if (parsed > left || (parsed == left && piece.failure.fault != Fault::none)) {
      io::detail::Piece<Item> again;  // stops at the first line in excess
      io::detail::parse_lines(parser, text, static_cast<std::size_t>(left), again);
      piece.failure = again.failure;
    }
    Failure failure = piece.failure;
    const std::array others = {piece.lower, piece.upper};
    for (const Failure& other : others)
      if (line_of(other) != no_line && line_of(other) == first.contradiction() &&
          line_of(other) < line_of(failure))
        failure = other;
    if (failure.fault != Fault::none)
      throw InputError(
          concat(path.string(), ":", line_of(failure), ": ",
                 io::detail::explain(failure, header, static_cast<std::uint64_t>(header.entries),
                                     sizeof(Scalar) == sizeof(double) ? "double" : "float")));
    if (stored.total < header.entries && communicator.rank() == communicator.size() - 1)
      throw InputError(concat(path.string(), ":", header.size_line + lines_before + piece.lines,
                              ": the file ends after ", stored.total, " of the ", header.entries,
                              " entries that line ", header.size_line,
                              " announces; the file is truncated or its size line wrong."));
  });

  return communicator.agree([&] {
    GlobalCoo<Scalar> coo(header.rows, header.cols, piece.items.size());
    for (std::size_t n = 0; n < piece.items.size(); ++n) {
      coo.row(n) = piece.items[n].row;
      coo.col(n) = piece.items[n].col;
      coo.value(n) = piece.items[n].value;
    }
    return coo;
  });
}

template <class Scalar>
GlobalCoo<Scalar> read_entries(const Communicator& communicator, const std::filesystem::path& path,
                               std::optional<std::uint64_t> memory_limit) {
  using io::detail::FileKind;
  const FileKind kind = communicator.agree([&] { return spread_kind(path); });
  // A rank that sees another file finds its own errors; here all have to take the same way.
  int way = static_cast<int>(kind);
  MPI_Bcast(&way, 1, MPI_INT, 0, communicator.get());
  switch (static_cast<FileKind>(way)) {
    case FileKind::text:
      return detail::read_text_ranges<Scalar>(communicator, path, memory_limit);
    case FileKind::compressed:
      return detail::read_text_on_one<Scalar>(communicator, path, memory_limit);
    default:
      return detail::read_array_parts<Scalar>(communicator, path, memory_limit);
  }
}

template GlobalCoo<double> read_entries(const Communicator&, const std::filesystem::path&,
                                        std::optional<std::uint64_t>);
template GlobalCoo<float> read_entries(const Communicator&, const std::filesystem::path&,
                                       std::optional<std::uint64_t>);

}  // namespace fatvec::distributed
