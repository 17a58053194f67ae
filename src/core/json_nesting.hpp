// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string_view>

namespace fatvec::detail {

/// How deeply lists and objects are nested in a JSON text. Copying or printing a parsed document
/// takes a stack as deep as its nesting: texts that come from elsewhere are looked at before.
inline int json_nesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const char c = text[n];
    if (in_string && c == '\\') {
      ++n;  // whatever follows ends no string
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      deepest = std::max(deepest, ++depth);
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace fatvec::detail
