// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <fatvec/formats/transpose.hpp>
#include <fatvec/kernels/registry.hpp>
#include <fatvec/plan/model.hpp>

namespace fatvec {

/// The kernels that a plan chooses among unless told otherwise: the formats that were the best of
/// some matrix and k, and their portable kernels, which are taken only where `fatvec tune` found
/// one to be the fastest.
using PlanKernels =
    TypeList<CsrRow, HllRow, SellRow, SlicedDiaRow, BsrRow, BitTcfWindow, CsrPortable, HllPortable,
             SellPortable, SlicedDiaPortable, BsrPortable, BitTcfPortable>;

namespace detail {

/// CSR's kernel, which needs no conversion, else the first.
inline std::string_view plainest(const std::vector<std::string_view>& kernels) {
  const auto of_csr = [](std::string_view kernel) { return format_of_kernel(kernel) == "csr"; };
  const auto found = std::find_if(kernels.begin(), kernels.end(), of_csr);
  return found == kernels.end() ? kernels.front() : *found;
}

}  // namespace detail

/// In which order a plan stores and multiplies the rows of a square matrix.
enum class RowOrder {
  none,       ///< in A's
  rcm,        ///< reverse Cuthill-McKee: rcm()
  automatic,  ///< in that where the model says that it pays, with X and Y row-major
};

/// What a plan may be told. What is out of range, products that are no number of them included, is
/// refused with a UsageError.
struct PlanOptions {
  Layout layout = Layout::row;     ///< of X and Y
  double products = 1000;          ///< that are expected: whether a conversion pays
  Op op = Op::none;                ///< what of A is multiplied; made once
  std::optional<Choice> choice{};  ///< taken instead of the model's, where it is among the kernels:
                                   ///< what `fatvec tune` found
  std::optional<Machine> machine{};  ///< default: measured, once per process; where its figures
                                     ///< cannot be (machine_problem()), CSR is taken
  bool keep_value_map = false;       ///< for update(exec, values): an offset per stored value
  RowOrder order = RowOrder::none;   ///< of op(A)'s rows. X and Y are the caller's: X is read as it
                                     ///< is, and rows are stored where they belong in Y
  bool order_kept_by_caller = false;  ///< X and Y come in the new order, Plan::permutation(): rows
                                      ///< and columns of A are in it
  FormatOptions format{};
};

namespace detail {

inline void require_in_range(const PlanOptions& options) {
  require_op(options.op);
  if (options.layout != Layout::row && options.layout != Layout::column)
    throw UsageError("analyse: PlanOptions::layout must be Layout::row or Layout::column.");
  if (options.order != RowOrder::none && options.order != RowOrder::rcm &&
      options.order != RowOrder::automatic)
    throw UsageError(
        "analyse: PlanOptions::order must be RowOrder::none, RowOrder::rcm or "
        "RowOrder::automatic.");
  if (!std::isfinite(options.products) || options.products < 0)
    throw UsageError(concat("analyse: PlanOptions::products must be a number from 0, not ",
                            options.products, "."));
}

}  // namespace detail

}  // namespace fatvec
