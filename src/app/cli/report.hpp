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

/// "fatvec 0.1.0, Kokkos 4.7.0".
std::string version();

/// Where the report goes: stdout, but stderr where `output` is the same file or pipe (/dev/stdout).
std::FILE* report_stream(const std::string& output);

void write_json(std::FILE* stream, const Json& object);

/// "label     text", labels aligned.
template <class... Parts>
void write_line(std::FILE* stream, const char* label, fmt::format_string<Parts...> format,
                Parts&&... parts) {
  fmt::print(stream, "{:<14}{}\n", label, fmt::format(format, std::forward<Parts>(parts)...));
}

Json to_json(const FormatOptions& options, const std::optional<product::StorageOrder>& storage);

/// A number that counts something but may exceed 64 bits: an integer in JSON while it is exact.
Json count(double value);

}  // namespace fatvec::cli
