// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include <fatvec/app/dispatch/product.hpp>

/// Products of symmetric storage, which is none of the registered formats: it takes symmetric
/// matrices alone, and no GPU multiplies it.
namespace fatvec::product {

inline constexpr std::string_view symmetric_format = "symmetric";
inline constexpr std::string_view symmetric_kernel = "symmetric-rows";

/// Prepares it for the task's k and layout; `matrix_bytes` has the strips that threads add up.
/// Throws UsageError for a backend that is no CPU's default one, and in builds without specialised
/// kernels; ShapeError where A is not symmetric.
std::unique_ptr<Product> prepare_symmetric(std::string_view backend, const Case& task);

}  // namespace fatvec::product
