// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <fatvec/io/detail/text_blocks.hpp>
#include <fatvec/io/matrix_market.hpp>

namespace fatvec::io::detail {

struct ParsedHeader : MatrixMarketHeader {
  std::int64_t size_line = 0;  ///< its line number, for messages about the size
  bool mirrors = true;         ///< whether entries are followed by their mirror images
};

/// Takes banner, comments and size line from `text`, checks everything about them.
ParsedHeader parse_header(TextBlocks& text);

/// As in a banner: "coordinate real general".
std::string describe(const MatrixMarketHeader& header);

}  // namespace fatvec::io::detail
