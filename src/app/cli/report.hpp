// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include <fatvec/app/dispatch/product.hpp>

/// What subcommands write: aligned lines for people, or one JSON object.
namespace fatvec::cli {

using Json = nlohmann::ordered_json;

/// "fatvec 0.2.0, Kokkos 4.7.0".
std::string version();

/// Where the report goes: stdout, but stderr where `output` is the same file or pipe (/dev/stdout).
std::FILE* report_stream(const std::string& output);

/// The version of what the programs write as JSON: it grows where a key goes or changes its meaning
/// (docs/stability.md).
inline constexpr int json_version = 1;

/// One object, with `json_version` as its first key.
void write_json(std::FILE* stream, const Json& object);

/// "label     text", labels aligned. On a terminal the label is bold and lines end at 80
/// characters.
void write_fact(std::FILE* stream, const char* label, const std::string& text);

/// The same of a text that is formatted first.
template <class... Parts>
void write_line(std::FILE* stream, const char* label, fmt::format_string<Parts...> format,
                Parts&&... parts) {
  write_fact(stream, label, fmt::format(format, std::forward<Parts>(parts)...));
}

Json to_json(const FormatOptions& options, const std::optional<product::StorageOrder>& storage);

/// A number that counts something but may exceed 64 bits: an integer in JSON while it is exact.
Json count(double value);

/// "A's values as floats, which moves them by 5.9e-08 of themselves at most".
std::string precision_text(double largest_error);

}  // namespace fatvec::cli
