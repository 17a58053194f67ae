// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdio>
#include <limits>
#include <memory>

#include <fatvec/io/detail/header.hpp>

#if FATVEC_MMIO_C_LINKAGE
extern "C" {
#endif
#include FATVEC_MMIO_HEADER
#if FATVEC_MMIO_C_LINKAGE
}
#endif

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;

constexpr const char* banner_grammar =
    "'%%MatrixMarket matrix coordinate|array real|integer|complex|pattern "
    "general|symmetric|skew-symmetric|hermitian'";

std::vector<std::string_view> tokens_of(std::string_view line) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    tokens.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(" \t", end);
  }
  return tokens;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// One line as the FILE that mmio wants.
template <class Read>
int with_mmio(std::string line, Read&& read) {
  line += '\n';
  const std::unique_ptr<std::FILE, CloseFile> file(fmemopen(line.data(), line.size(), "r"));
  if (!file) throw Error("fmemopen failed: out of memory.");
  return read(file.get());
}

void parse_banner(TextBlocks& text, ParsedHeader& header) {
  const auto line = text.next_line();
  if (!line) throw text.error(1, concat("the file is empty; expected ", banner_grammar, "."));
  const auto refuse = [&](const std::string& why) {
    return text.error(line->number, concat(why, " Expected ", banner_grammar, ", found ",
                                           quoted(line->text), "."));
  };
  if (line->text.starts_with("\xef\xbb\xbf"))
    throw refuse("The file starts with a byte order mark; save it as plain ASCII.");
  const auto tokens = tokens_of(line->text);
  if (tokens.empty() || !line->text.starts_with(MatrixMarketBanner) ||
      tokens[0] != MatrixMarketBanner) {
    throw refuse("This is not a Matrix Market file: the banner is missing.");
  }
  if (tokens.size() != 5)
    throw refuse(concat("The banner has ", tokens.size(), " words instead of 5."));
  for (const auto token : tokens) {
    // mmio copies the words into fixed arrays without looking at their length.
    if (token.size() >= MM_MAX_TOKEN_LENGTH || token.find('\0') != token.npos)
      throw refuse("A word of the banner is unknown.");
  }

  MM_typecode code{};
  const int status =
      with_mmio(concat(tokens[0], ' ', tokens[1], ' ', tokens[2], ' ', tokens[3], ' ', tokens[4]),
                [&](std::FILE* file) { return mm_read_banner(file, &code); });
  if (status != 0) throw refuse("A word of the banner is unknown.");
  header.coordinate = mm_is_coordinate(code);
  header.field = mm_is_real(code)      ? Field::real
                 : mm_is_integer(code) ? Field::integer
                 : mm_is_complex(code) ? Field::complex
                                       : Field::pattern;
  header.symmetry = mm_is_general(code)     ? Symmetry::general
                    : mm_is_symmetric(code) ? Symmetry::symmetric
                    : mm_is_skew(code)      ? Symmetry::skew_symmetric
                                            : Symmetry::hermitian;
  const bool hermitian_reals =
      header.symmetry == Symmetry::hermitian && header.field != Field::complex;
  if (mm_is_valid(code) == 0 || hermitian_reals) {
    throw refuse(
        concat("'", describe(header),
               "' contradicts itself: an array has values, a skew-symmetric matrix has signs ",
               "and a hermitian one is complex."));
  }
}

std::int64_t parse_size(TextBlocks& text, const TextBlocks::Line& line, std::string_view token,
                        const char* what) {
  std::int64_t size = 0;
  const char* const end = token.data() + token.size();
  const auto [stop, status] = std::from_chars(token.data(), end, size);
  if (status == std::errc::result_out_of_range) {
    throw text.error(line.number, concat("the number of ", what, ", ", quoted(token),
                                         ", does not fit 64 bits."));
  }
  if (status != std::errc() || stop != end || size < 0) {
    throw text.error(line.number, concat("expected the number of ", what,
                                         ", a whole number of at least 0, found ", quoted(token),
                                         " in the size line ", quoted(line.text), "."));
  }
  return size;
}

/// mmio reads the same numbers, in 32 bits and unchecked; where they fit both must agree.
void compare_with_mmio(TextBlocks& text, const TextBlocks::Line& line, const ParsedHeader& header) {
  constexpr std::int64_t largest = std::numeric_limits<int>::max();
  if (header.rows > largest || header.cols > largest ||
      (header.coordinate && header.entries > largest))
    return;
  int rows = -1;
  int cols = -1;
  int entries = -1;
  const int status =
      with_mmio(concat(header.rows, ' ', header.cols, ' ', header.entries), [&](std::FILE* file) {
        return header.coordinate ? mm_read_mtx_crd_size(file, &rows, &cols, &entries)
                                 : mm_read_mtx_array_size(file, &rows, &cols);
      });
  if (status != 0 || rows != header.rows || cols != header.cols ||
      (header.coordinate && entries != header.entries)) {
    throw text.error(line.number, concat("mmio does not understand the size line ",
                                         quoted(line.text), " (status ", status, ")."));
  }
}

void parse_size_line(TextBlocks& text, ParsedHeader& header) {
  const char* const grammar = header.coordinate ? "'rows columns entries'" : "'rows columns'";
  while (const auto line = text.next_line()) {
    const auto tokens = tokens_of(line->text);
    if (tokens.empty() || tokens[0].starts_with('%')) continue;
    const std::size_t wanted = header.coordinate ? 3 : 2;
    if (tokens.size() != wanted) {
      throw text.error(line->number, concat("expected the size line ", grammar, " of a ",
                                            describe(header), " file, found ", tokens.size(),
                                            tokens.size() == 1 ? " word: " : " words: ",
                                            quoted(line->text), "."));
    }
    header.size_line = line->number;
    header.rows = parse_size(text, *line, tokens[0], "rows");
    header.cols = parse_size(text, *line, tokens[1], "columns");
    if (header.coordinate) {
      header.entries = parse_size(text, *line, tokens[2], "entries");
    } else if (__builtin_mul_overflow(header.rows, header.cols, &header.entries)) {
      throw text.error(line->number,
                       concat(header.rows, " x ", header.cols, " elements do not fit 64 bits."));
    }
    if (header.symmetry != Symmetry::general && header.rows != header.cols) {
      throw text.error(
          line->number,
          concat("a ", describe(header), " matrix must be square, this one is ", header.rows, " x ",
                 header.cols, "; correct the size line or the banner."));
    }
    if (header.coordinate && header.entries > 0 && (header.rows == 0 || header.cols == 0)) {
      throw text.error(line->number,
                       concat("a ", header.rows, " x ", header.cols, " matrix cannot hold ",
                              header.entries, " entries; correct the size line."));
    }
    compare_with_mmio(text, *line, header);
    return;
  }
  throw text.error(text.line() - 1,
                   concat("the file ends before the size line; expected ", grammar, "."));
}

}  // namespace

std::string describe(const MatrixMarketHeader& header) {
  constexpr const char* fields[] = {"real", "integer", "pattern", "complex"};
  constexpr const char* symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
  return concat(header.coordinate ? "coordinate " : "array ",
                fields[static_cast<int>(header.field)], ' ',
                symmetries[static_cast<int>(header.symmetry)]);
}

ParsedHeader parse_header(TextBlocks& text) {
  ParsedHeader header;
  parse_banner(text, header);
  parse_size_line(text, header);
  return header;
}

}  // namespace fatvec::io::detail
