// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "choice.hpp"

/// fatvec analyse --backend all: which of the backends of this build should multiply.
namespace fatvec::cli {

struct ComparisonOptions {
  ChoiceOptions choice;
  std::string copies = "each";  ///< of X and Y: with each product, or once
  std::optional<double> transfer_gbs{};
};

/// --copies and --transfer-bandwidth.
void add_comparison_options(CLI::App& command, ComparisonOptions& options);

int compare_backends(const ComparisonOptions& options);

}  // namespace fatvec::cli
