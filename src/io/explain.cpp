// SPDX-License-Identifier: Apache-2.0
#include <fatvec/io/detail/body.hpp>

namespace fatvec::io::detail {
namespace {

using fatvec::detail::concat;

const char* name_of(Expected expected) {
  constexpr const char* names[] = {"a row index", "a column index", "a value", "the imaginary part",
                                   "the end of the line"};
  return names[static_cast<int>(expected)];
}

std::string line_grammar(const MatrixMarketHeader& header) {
  std::string grammar = header.coordinate ? "row column" : "";
  if (header.field != Field::pattern) grammar += grammar.empty() ? "" : " ";
  if (header.field == Field::complex) grammar += "real imaginary";
  if (header.field == Field::real) grammar += "value";
  if (header.field == Field::integer) grammar += "whole-number";
  return concat("a line of this ", describe(header), " file is '", grammar, "'");
}

std::string size_of(const MatrixMarketHeader& header) {
  return concat(header.rows, " x ", header.cols);
}

}  // namespace

std::string explain(const Failure& failure, const ParsedHeader& header,
                    std::uint64_t expected_entries, const char* scalar) {
  const char* line_end = failure.line_start;
  while (*line_end != '\n') ++line_end;
  const auto up_to = [](const char* first, const char* last) {
    return quoted({first, static_cast<std::size_t>(last - first)});
  };
  const std::string line =
      up_to(failure.line_start,
            line_end > failure.line_start && line_end[-1] == '\r' ? line_end - 1 : line_end);
  const std::string token = up_to(failure.token, token_end(failure.token));
  const std::string expected = concat("expected ", name_of(failure.expected));
  switch (failure.fault) {
    case Fault::none:
      break;
    case Fault::missing:
    case Fault::malformed:
    case Fault::trailing:
      return concat(expected, ", found ",
                    failure.fault == Fault::missing ? "the end of" : token + " in", " the line ",
                    line, "; ", line_grammar(header),
                    failure.fault == Fault::trailing ? ", one entry a line." : ".");
    case Fault::out_of_range:
      return concat(expected, " from 1 to ",
                    failure.expected == Expected::row ? header.rows : header.cols, ", found ",
                    token, "; the matrix is ", size_of(header), " and indices count from 1.");
    case Fault::overflow:
      return concat("the value ", token, " is too large for the scalar type ", scalar,
                    "; read the file in a wider type, or correct it.");
    case Fault::comment:
      return concat("found the comment ", line, " below the size line (line ", header.size_line,
                    "); comments may stand only between the banner and the size line.");
    case Fault::nonzero_diagonal:
      return concat("found the value ", token,
                    " on the diagonal of a skew-symmetric matrix, where only 0 can be; line ", line,
                    ".");
    case Fault::complex_diagonal:
      return concat(
          "found a diagonal value with an imaginary part in a hermitian matrix, where only reals "
          "can be; line ",
          line, ".");
    case Fault::both_triangles:
      return concat("the entry ", line, " lies across the diagonal from the entries before it; a ",
                    describe(header),
                    " file stores one triangle (the other one is its mirror image). Remove one "
                    "triangle, or say 'general'.");
    case Fault::too_many:
      return concat("expected the end of the file after ", expected_entries,
                    " entries (size line: line ", header.size_line, "), found the line ", line,
                    "; correct the size line or remove what is too much.");
  }
  return "unknown error";
}

}  // namespace fatvec::io::detail
