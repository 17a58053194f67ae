// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fatvec/kernels/shared/fused_output.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/partial_sums.hpp>
#include <fatvec/plan/explain.hpp>
#include <fatvec/plan/model.hpp>

/// Another order of a plan's rows: whether it pays, and how rows find their place in Y.
namespace fatvec {

/// What ordering the rows is expected to bring.
struct OrderGain {
  double before = 0;    ///< seconds of a product in A's order,
  double after = 0;     ///< in the new one
  double ordering = 0;  ///< seconds that finding the order takes, rather more than less

  /// Products after which the order has paid; infinite for never.
  [[nodiscard]] double break_even() const {
    return before > after ? std::ceil(ordering / (before - after))
                          : std::numeric_limits<double>::infinity();
  }
};

namespace detail {

/// Seconds that rcm() and moving the rows take, rather more than less: serial, on a host.
inline double ordering_seconds(const Structure& structure) {
  constexpr double of_an_entry = 1e-7;
  return of_an_entry * static_cast<double>(structure.rows.nnz + structure.rows.rows);
}

/// Whether to look for an order: some thousand rows have few columns in common, were each row of X
/// read once a product would take less by more than the model errs, and looking in vain would cost
/// a fiftieth of all products at most.
inline bool may_gain_by_order(const Machine& machine, const Structure& structure,
                              const Workload& workload, const Prediction& best) {
  constexpr double shares_little = 0.6;
  constexpr double gain = 1.15;
  constexpr double in_vain = 0.02;
  if (structure.rows.rows != structure.rows.cols || workload.layout != Layout::row) return false;
  if (structure.middle_reads < shares_little * static_cast<double>(structure.rows.nnz))
    return false;
  if (ordering_seconds(structure) > in_vain * workload.products * best.seconds) return false;
  Structure ideal = structure;
  ideal.near_reads = ideal.middle_reads = ideal.far_reads =
      static_cast<double>(structure.rows.columns_touched);
  const double least =
      predict_format(machine, ideal, workload, {.kernel = best.choice.kernel}, "csr").seconds;
  return best.seconds > gain * least;
}

/// Whether the choice in the new order is better by more than the model errs.
inline bool gains_by_order(const Workload& workload, const Prediction& before,
                           const Prediction& after) {
  constexpr double gain = 1.1;
  return gain * (workload.products * after.seconds + after.setup_seconds) <
         workload.products * before.seconds + before.setup_seconds;
}

/// An output of the caller's that gets rows in another order.
template <class Output>
struct MovedRows {
  Output output;
  const std::int32_t* rows;  ///< the output's row of each row of A

  /// Those of the output, where it forms sums over rows.
  [[nodiscard]] KOKKOS_FUNCTION auto& partial_sums()
    requires Reducing<Output>
  {
    return output.partial_sums();
  }

  template <int width, class T>
  KOKKOS_FUNCTION void store(std::int64_t i, std::int64_t c, const T (&sums)[width]) const {
    output.store(rows[i], c, sums);
  }
};

/// The output through which row i of A becomes row rows[i] of Y. no_sums: for one that forms none.
template <class Output, class Sums>
MovedRows<Output> through(const Output& output, const std::int32_t* rows, Sums&) {
  return {output, rows};
}
template <class T, class Sums>
FusedOutput<T> through(const FusedOutput<T>& output, const std::int32_t* rows, Sums&) {
  return output.through(rows);
}
template <class T, class Sums>
FusedOutput<T> through(const ScaledSum<T>& output, const std::int32_t* rows, Sums& no_sums) {
  FusedOutput<T> fused;
  fused.sums.on_host = &no_sums;
  fused.alpha = output.alpha;
  fused.beta = output.beta;
  fused.z = {output.y.data, output.y.row_stride, output.y.column_stride};
  fused.y = output.y;
  fused.rows = rows;
  return fused;
}

/// Leaves the kernels whose format stores rows in any order: CSR's.
inline void leave_kernels_of_csr(std::vector<std::string_view>& kernels) {
  std::erase_if(kernels, [](std::string_view kernel) { return format_of_kernel(kernel) != "csr"; });
  if (kernels.empty())
    throw UsageError(
        "analyse: rows in another order are multiplied as CSR, which is not among the plan's "
        "kernels. Add CsrRow, set PlanOptions::order_kept_by_caller, or leave the order as it is.");
}

}  // namespace detail

/// "Rows are in reverse Cuthill-McKee order: ..." as the end of a reason.
inline std::string explain(const OrderGain& gain, const std::string& takes = "should take") {
  std::string text =
      detail::concat("In reverse Cuthill-McKee order of the rows a product ", takes, " ",
                     human_seconds(gain.after), ", in A's ", human_seconds(gain.before),
                     "; ordering takes ", human_seconds(gain.ordering));
  if (std::isinf(gain.break_even())) return text + " and does not pay.";
  return text +
         detail::concat(" and pays after ", detail::fixed(gain.break_even(), 0), " products.");
}

}  // namespace fatvec
