// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <optional>

#include <fatvec/formats/single_precision.hpp>
#include <fatvec/plan/plan.hpp>

/// Plans that store A's values in single precision; X, Y and sums are in double.
namespace fatvec {

/// The plan of a matrix of doubles whose values it has as floats, each within an error bound: that
/// of a float matrix for X and Y of double, which takes new values as doubles. Csr: the matrix that
/// is rounded.
template <class Csr_, class Kernels = PlanKernels>
class SinglePrecisionPlan : public Plan<decltype(Rounded<Csr_>::matrix), Kernels, double> {
  using Base = Plan<decltype(Rounded<Csr_>::matrix), Kernels, double>;

 public:
  using Csr = Csr_;

  /// Rounds A, and makes the plan of it; blocks meanwhile. Throws PrecisionError.
  template <class ExecSpace>
  SinglePrecisionPlan(const ExecSpace& exec, const SinglePrecision<Csr>& a, std::int64_t k,
                      const PlanOptions& options)
      : SinglePrecisionPlan(exec, a, rounded(exec, a, options.format.memory_limit), k, options) {}

  /// The largest relative error of a value of A, over all of them.
  [[nodiscard]] double largest_error() const { return largest_error_; }
  [[nodiscard]] ErrorBound bound() const { return bound_; }

  /// Takes the values, and if need be another structure, of a matrix of the same extents, within
  /// the same bound. Where this throws, PrecisionError among others, the plan is what it was.
  template <class ExecSpace>
  void update(const ExecSpace& exec, const Csr& a) {
    const auto floats = rounded(exec, SinglePrecision<Csr>{a, bound_}, memory_limit_);
    Base::update(exec, floats.matrix);
    take(a, floats.largest_error);
  }

  /// Takes new values of A, in the order of its entries, within the same bound. Waits for exec: the
  /// values are looked at before the first of them is stored, and where one is refused the plan is
  /// what it was. No allocation. Copies of the plan share the new values. Throws PrecisionError,
  /// and what a Plan's update does.
  template <class ExecSpace>
  void update(const ExecSpace& exec, const typename Csr::Scalars& values) {
    Base::require_update(values.extent(0), values.label());
    largest_error_ = detail::round_values(exec, pattern_, values, nullptr, bound_);
    Base::store_values(exec, values.data());
  }

 private:
  template <class ExecSpace>
  SinglePrecisionPlan(const ExecSpace& exec, const SinglePrecision<Csr>& a,
                      const Rounded<Csr>& floats, std::int64_t k, const PlanOptions& options)
      : Base(exec, floats.matrix, k, options),
        bound_(a.bound),
        keeps_pattern_(options.keep_value_map),
        memory_limit_(options.format.memory_limit) {
    take(a.matrix, floats.largest_error);
    Base::add_to_reason(" A's values are stored as floats.");
  }
  void take(const Csr& a, double largest_error) {
    largest_error_ = largest_error;
    const bool multiplies_it = format_of_kernel(Base::choice().kernel) == Csr::name;
    pattern_ = keeps_pattern_ || multiplies_it ? a : Csr();
    pattern_.values = {};
  }

  ErrorBound bound_;
  double largest_error_ = 0;
  bool keeps_pattern_;  ///< for update(exec, values), which may have to name a row and a column
  std::optional<std::uint64_t> memory_limit_;
  Csr pattern_;  ///< A's row_map and entries
};

/// A plan for products of op(A) with k columns, whose values of A are floats, while X, Y and sums
/// are in double: analyse(exec, single_precision(A, within(1e-7)), k). Half of the values' bytes,
/// of which the model knows. No plan of these is in fatvec::kernels: their kernels are compiled
/// where this is called, so that others do not wait for them.
///
/// Throws PrecisionError where a value of A does not survive within the bound, naming its row and
/// its column, and what analyse() of other matrices does. With PlanOptions::keep_value_map the plan
/// keeps A's row_map and entries, as one does that multiplies CSR.
template <class Kernels = PlanKernels, class ExecSpace, class Csr>
SinglePrecisionPlan<Csr, Kernels> analyse(const ExecSpace& exec, const SinglePrecision<Csr>& a,
                                          std::int64_t k, const PlanOptions& options = {}) {
  return {exec, a, k, options};
}

}  // namespace fatvec
