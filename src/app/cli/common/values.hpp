// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

/// The values that options of both programs take: whatever else is given is a usage error which
/// says what the option wants.
namespace fatvec::cli {

std::string joined(const std::vector<std::string_view>& names, std::string_view separator);

/// Lets an option take one of `names` only; its help and its error list them.
CLI::Option* one_of(CLI::Option* option, const std::vector<std::string_view>& names);

/// Lets an option take finite numbers from `least` only.
CLI::Option* finite(CLI::Option* option, double least = -std::numeric_limits<double>::infinity());
/// Lets an option take whole numbers from `least` to `most` only.
CLI::Option* whole(CLI::Option* option, std::int64_t least,
                   std::int64_t most = std::numeric_limits<std::int64_t>::max());
/// Lets an option take any name but an empty one.
CLI::Option* file_name(CLI::Option* option);
/// The same but -, which would be a file of that name.
CLI::Option* file_to_write(CLI::Option* option);

/// Before Kokkos starts, which aborts where KOKKOS_NUM_THREADS or KOKKOS_DEVICE_ID is no such
/// number. Throws UsageError.
void require_sound_environment();

}  // namespace fatvec::cli
