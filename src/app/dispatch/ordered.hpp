// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/plan/options.hpp>

/// Products of plans, whose rows may be in another order than A's.
namespace fatvec::product {

/// Whether CSR's rows are to be in another order, and the number of products for which it pays.
struct Ordering {
  RowOrder order = RowOrder::none;
  double products = 1000;
};

/// A product by CSR's kernel, as a plan orders its rows.
struct Ordered {
  std::unique_ptr<Product> product;
  bool reordered = false;
  std::string reason;  ///< the plan's, one sentence or two
};

inline constexpr std::string_view ordered_kernel = "csr-row";

/// Prepares it on a backend; the task's policy and packing are taken. Throws UsageError for an
/// unknown backend, ShapeError where a matrix that is not square is to be ordered, CapacityError
/// where it does not fit.
Ordered prepare_ordered(std::string_view backend, const Case& task, const Ordering& ordering);

/// "none", "rcm" and "automatic", as the programs name them.
RowOrder order_of(std::string_view name);

}  // namespace fatvec::product
