// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <fatvec/app/cli/common/terminal.hpp>
#include <fatvec/app/dispatch/product.hpp>

/// The dense operands of `fatvec multiply`.
namespace fatvec::cli {

/// Refuses, before anything is allocated, X and Y that exceed the limit (default: the free memory),
/// with all copies that a product on the host makes of them and, where they are wanted, the
/// oracle's result and the expected one.
void require_operands_fit(const product::Case& task, bool with_oracle, bool with_expected);

/// What random operands are for; different ones share no numbers, nor do they with a generated
/// matrix of the same seed.
enum class Operand : std::uint64_t { x = 101, y = 102 };

/// Uniform in [-1, 1); element (i, c) depends on the seed, the operand, i and c only, whatever the
/// number of threads.
product::HostMultivector random_multivector(Operand operand, std::uint64_t seed, std::int64_t rows,
                                            std::int64_t k);

/// Not a number everywhere: what Y holds before a product that must overwrite it.
product::HostMultivector poison(std::int64_t rows, std::int64_t k);

/// The multivector in the file, of the standard input for "-"; throws ShapeError, before anything
/// is allocated, where it is not rows × k (k: any number of columns where none is given), and
/// CapacityError beyond the limit.
product::HostMultivector read_operand(const std::string& file, const char* option,
                                      std::int64_t rows, std::optional<std::int64_t> k,
                                      std::optional<std::uint64_t> memory_limit,
                                      Progress& progress);

}  // namespace fatvec::cli
