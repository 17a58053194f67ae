// SPDX-License-Identifier: Apache-2.0
#include "policy_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fatvec::cli {
namespace {

/// How a setting is said; {} stands for its value.
struct Phrase {
  std::string_view setting;
  std::string_view one;
  std::string_view many;
};

constexpr Phrase phrases[] = {
    {"form:range", "row by row", ""},
    {"form:team", "a team for each row", ""},
    {"form:auto", "", ""},
    {"width", "single columns", "tiles of {} columns"},
    {"threads_per_row", "a thread a row", "{} threads a row"},
    {"blocks_per_thread", "a block of rows a thread", "{} blocks of rows a thread"},
    {"column_tiles", "a tile of 8 columns a warp", "{} tiles of 8 columns a warp"},
};

std::string words_of_setting(std::string_view setting) {
  const auto colon = setting.find(':');
  const auto name = setting.substr(0, colon);
  const auto value = colon == std::string_view::npos ? "" : setting.substr(colon + 1);
  for (const auto& phrase : phrases) {
    if (phrase.setting == setting) return std::string(phrase.one);
    if (phrase.setting != name) continue;
    if (value == "0") return "";
    return value == "1" ? std::string(phrase.one) : fmt::format(fmt::runtime(phrase.many), value);
  }
  return std::string(setting);
}

}  // namespace

std::string words_of_policy(std::string_view policy) {
  std::string words;
  while (!policy.empty()) {
    const auto end = std::min(policy.find('/'), policy.size());
    const std::string said = words_of_setting(policy.substr(0, end));
    if (!said.empty()) words.append(words.empty() ? "" : ", ").append(said);
    policy.remove_prefix(std::min(end + 1, policy.size()));
  }
  return words;
}

}  // namespace fatvec::cli
