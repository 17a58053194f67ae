// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/app/dispatch/product.hpp>

/// Options that several subcommands share, and the checks of their values.
namespace fatvec::cli {

std::string joined(const std::vector<std::string_view>& names, std::string_view separator);

/// Lets an option take one of `names` only; its help and its error list them.
CLI::Option* one_of(CLI::Option* option, const std::vector<std::string_view>& names);

/// Lets an option take finite numbers from `least` only.
CLI::Option* finite(CLI::Option* option, double least);
CLI::Option* finite(CLI::Option* option);
/// Lets an option take whole numbers from `least` only.
CLI::Option* whole(CLI::Option* option, std::int64_t least);

/// MATRIX, required: a file or a generator spec; the syntax of the latter goes to the end of the
/// help.
void add_matrix(CLI::App& command, std::string& matrix);

/// --backend and --layout, of X and Y.
void add_backend_and_layout(CLI::App& command, std::string& backend, std::string& layout);

/// --memory-limit, a size with a unit.
void add_memory_limit(CLI::App& command, std::optional<std::uint64_t>& limit);

/// --hack-size, --slice-size, --sort-window, --block-size, --storage and --memory-limit.
/// `storage_names`: the spelling of
/// --storage.
void add_format_options(CLI::App& command, FormatOptions& options,
                        std::optional<product::StorageOrder>& storage,
                        const std::string& storage_names = "--storage");

}  // namespace fatvec::cli
