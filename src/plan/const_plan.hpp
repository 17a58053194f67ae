// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fatvec/plan/plan.hpp>

namespace fatvec {

namespace detail {

/// The plan for a CSR matrix of const arrays, such as CsrMatrix<const double, const int>: that of
/// the same arrays by types that are not const, for which everything is compiled already. What it
/// multiplies as it is, as CSR, it keeps alive; it writes to none of A's arrays.
template <class Csr_, class Kernels, class T>
class ConstPlan {
  using Plain = std::remove_cvref_t<decltype(without_const(std::declval<const Csr_&>()))>;

 public:
  using Csr = Csr_;

  /// As for other matrices: blocks until all is there.
  template <class ExecSpace>
  ConstPlan(const ExecSpace& exec, const Csr& a, std::int64_t k, const PlanOptions& options)
      : plan_(exec, without_const(a), k, options), transposed_(fatvec::transposes(options.op)) {
    keep(a);
  }

  /// Takes the values, and if need be another structure, of a matrix of the same extents.
  template <class ExecSpace>
  void update(const ExecSpace& exec, const Csr& a) {
    plan_.update(exec, without_const(a));
    keep(a);
  }

  /// Takes new values of A in the same pattern; see the plan of other matrices.
  template <class ExecSpace>
  void update(const ExecSpace& exec, const typename Csr::Scalars& values) {
    plan_.update(exec, without_const(values));
    if (shares_arrays()) values_ = values;
  }

  void require_update(std::size_t extent, const std::string& label) const {
    plan_.require_update(extent, label);
  }

  [[nodiscard]] std::uint64_t value_map_bytes() const { return plan_.value_map_bytes(); }
  [[nodiscard]] const Choice& choice() const { return plan_.choice(); }
  [[nodiscard]] const std::string& reason() const { return plan_.reason(); }
  [[nodiscard]] const std::vector<Prediction>& ranking() const { return plan_.ranking(); }
  [[nodiscard]] std::int64_t k() const { return plan_.k(); }
  [[nodiscard]] auto rows() const { return plan_.rows(); }
  [[nodiscard]] auto cols() const { return plan_.cols(); }
  [[nodiscard]] bool reordered() const { return plan_.reordered(); }
  [[nodiscard]] const auto& permutation() const { return plan_.permutation(); }
  [[nodiscard]] const auto& workspace() const { return plan_.workspace(); }

  /// Y = beta · Y + alpha · op(A) · X; see spmm().
  template <class ExecSpace, class Alpha, class XView, class Beta, class YView>
  void multiply(const ExecSpace& exec, const Alpha& alpha, const XView& x, const Beta& beta,
                const YView& y) const {
    plan_.multiply(exec, alpha, x, beta, y);
  }
  /// op(A) · X, whose rows go to an output.
  template <class ExecSpace, class XView, class To>
  void multiply(const ExecSpace& exec, const XView& x, const To& output) const {
    plan_.multiply(exec, x, output);
  }

  /// Throws ShapeError where Y, of k columns, lies on an array of A.
  template <class U>
  void require_apart(const Operand<const U>& y, std::int64_t k) const {
    plan_.require_apart(y, k);
  }

 private:
  [[nodiscard]] bool shares_arrays() const {
    return !transposed_ && format_of_kernel(choice().kernel) == "csr";
  }
  void keep(const Csr& a) {
    entries_ = shares_arrays() ? a.entries : typename Csr::Ordinals();
    values_ = shares_arrays() ? a.values : typename Csr::Scalars();
  }

  Plan<Plain, Kernels, T> plan_;
  bool transposed_;
  typename Csr::Ordinals entries_;
  typename Csr::Scalars values_;
};

}  // namespace detail

/// The plan of a matrix of const values: as detail::ConstPlan has it.
template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
class Plan<CsrMatrix<const Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>
    : public detail::ConstPlan<CsrMatrix<const Scalar, Ordinal, Device, Offset>,
                               TypeList<Kernels...>, T> {
  using detail::ConstPlan<CsrMatrix<const Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>,
                          T>::ConstPlan;
};
/// The same for const ordinals,
template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
class Plan<CsrMatrix<Scalar, const Ordinal, Device, Offset>, TypeList<Kernels...>, T>
    : public detail::ConstPlan<CsrMatrix<Scalar, const Ordinal, Device, Offset>,
                               TypeList<Kernels...>, T> {
  using detail::ConstPlan<CsrMatrix<Scalar, const Ordinal, Device, Offset>, TypeList<Kernels...>,
                          T>::ConstPlan;
};
/// and for both.
template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
class Plan<CsrMatrix<const Scalar, const Ordinal, Device, Offset>, TypeList<Kernels...>, T>
    : public detail::ConstPlan<CsrMatrix<const Scalar, const Ordinal, Device, Offset>,
                               TypeList<Kernels...>, T> {
  using detail::ConstPlan<CsrMatrix<const Scalar, const Ordinal, Device, Offset>,
                          TypeList<Kernels...>, T>::ConstPlan;
};

}  // namespace fatvec
