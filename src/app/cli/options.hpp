// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <fatvec/app/cli/common/values.hpp>
#include <fatvec/app/dispatch/product.hpp>

/// Options that several subcommands share.
namespace fatvec::cli {

/// MATRIX, required: a file or a generator spec, of which the help says where they are listed.
void add_matrix(CLI::App& command, std::string& matrix);

/// --backend and --layout, of X and Y. all: whether --backend also takes "all".
void add_backend_and_layout(CLI::App& command, std::string& backend, std::string& layout,
                            bool all = false);

/// What --layout says.
product::Layout layout_of(std::string_view name);

/// --reorder, with this description: none, rcm or automatic.
CLI::Option* add_reorder_option(CLI::App& command, std::string& order,
                                const std::string& description);

/// Throws UsageError where the option's output would replace the input, - being the standard one.
void require_not_the_input(const std::string& output, const std::string& input,
                           std::string_view option = "--output");

/// Throws UsageError where the name of an output ends in what is not written there: it would be
/// text under another name. Names without an ending, as of devices, pass. written: the endings
/// and what they are, for the message.
void require_ending(const std::string& output, std::initializer_list<std::string_view> endings,
                    std::string_view written);

/// In what A's values are stored.
struct PrecisionOptions {
  std::string matrix = "exact";  ///< or "single"
  std::optional<double> error;   ///< relative, of a value, that is allowed

  [[nodiscard]] bool is_single() const { return matrix == "single"; }
};

/// --matrix-precision and --matrix-error.
void add_matrix_precision(CLI::App& command, PrecisionOptions& options);

/// --memory-limit, a size with a unit.
void add_memory_limit(CLI::App& command, std::optional<std::uint64_t>& limit);

/// --hack-size, --slice-size, --sort-window, --block-size, --storage and --memory-limit.
void add_format_options(CLI::App& command, FormatOptions& options,
                        std::optional<product::StorageOrder>& storage);

/// Takes `old`, a name of an earlier version, for the option `name` of the command. No help shows
/// it; a note on stderr tells the new name. It goes with the next minor version.
void add_old_name(CLI::App& command, const std::string& old, const std::string& name);

}  // namespace fatvec::cli
