// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fatvec/formats/transpose.hpp>
#include <fatvec/plan/convert.hpp>
#include <fatvec/plan/explain.hpp>
#include <fatvec/plan/model.hpp>
#include <fatvec/plan/options.hpp>
#include <fatvec/plan/packing.hpp>
#include <fatvec/plan/row_order.hpp>
#include <fatvec/plan/this_machine.hpp>
#include <fatvec/plan/value_map.hpp>
#include <fatvec/reorder/rcm.hpp>

namespace fatvec {

/// A product that is ready to run: op(A) in the chosen format, the kernel and its policy, and
/// copies of X and perhaps of Y where these are packed. Cheap to copy, as Views are; copies share
/// all of it. T is the scalar of the X and Y that it is made for, which may be another one than
/// A's; it multiplies others as well, but does not pack them.
template <class Csr, class Kernels = PlanKernels, class T = typename Csr::value_type>
class Plan;

/// The plan for a CSR matrix, which is converted to the format that is chosen.
template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
class Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T> {
  template <class Kernel>
  struct Ready {
    using Type = Kernel;
    PolicyOn<Kernel, typename Device::execution_space> policy;
    Prepared<typename Kernel::template Matrix<Scalar, Ordinal, Device, Offset>> matrix;
  };

 public:
  using Csr = CsrMatrix<Scalar, Ordinal, Device, Offset>;

  /// Analyses op(A), ranks the kernels by the model for k columns, and converts; blocks meanwhile.
  template <class ExecSpace>
  Plan(const ExecSpace& exec, const Csr& a, std::int64_t k, const PlanOptions& options)
      : options_(options), k_(k) {
    analyse(exec, a);
  }

  /// Takes the values, and if need be another structure, of a matrix of the same extents: the
  /// choice stays. Where this throws, the plan is what it was.
  template <class ExecSpace>
  void update(const ExecSpace& exec, const Csr& a);

  /// Takes new values of A, in the order of its entries; the pattern is that of the matrix
  /// analysed. Only enqueues work on exec: no allocation, no fence. A plan that multiplies A
  /// itself, as CSR, keeps the View `values`, and copies of the plan stay as they are; copies of
  /// other plans share the new values. Throws ShapeError for another number of values, UsageError
  /// without PlanOptions::keep_value_map.
  template <class ExecSpace>
  void update(const ExecSpace& exec, const typename Csr::Scalars& values);

  /// Bytes of what PlanOptions::keep_value_map keeps.
  [[nodiscard]] std::uint64_t value_map_bytes() const { return value_map_.bytes(); }

  [[nodiscard]] const Choice& choice() const { return choice_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }  ///< one sentence for people
  [[nodiscard]] const std::vector<Prediction>& ranking() const { return ranking_; }
  [[nodiscard]] std::int64_t k() const { return k_; }
  /// Whether the rows are in another order than op(A)'s: PlanOptions::order.
  [[nodiscard]] bool reordered() const { return place_.extent(0) > 0; }
  /// The new place of each row, for to_new_order(), to_old_order() and permuted(); no elements
  /// where the order is op(A)'s.
  [[nodiscard]] const Permutation<Ordinal, Device>& permutation() const { return place_; }
  [[nodiscard]] Ordinal rows() const { return rows_; }  ///< of op(A)
  [[nodiscard]] Ordinal cols() const { return cols_; }
  /// For fused products (fatvec/fused/fused.hpp) of up to k columns.
  [[nodiscard]] const auto& workspace() const {
    return std::visit([](const auto& ready) -> const auto& { return ready.matrix.workspace(); },
                      ready_);
  }

  /// Y = beta · Y + alpha · op(A) · X; see spmm().
  template <class ExecSpace, class Alpha, class XView, class Beta, class YView>
  void multiply(const ExecSpace& exec, const Alpha& alpha, const XView& x, const Beta& beta,
                const YView& y) const {
    if constexpr (detail::types_fit<ExecSpace, Csr, XView, YView>()) {
      using U = typename YView::value_type;
      detail::validate_operands({format_, rows_, cols_}, x, y);
      require_apart(detail::operand_of(y), multivector_columns(y));
      const Kokkos::Profiling::ScopedRegion region("fatvec::spmm");
      run<ExecSpace, U>(exec, static_cast<U>(alpha), detail::operand_of(x), static_cast<U>(beta),
                        detail::span_of<detail::Columns::strided>(y), multivector_columns(x));
    }
  }

  /// op(A) · X, whose rows go to an output of the caller's. For it all kernels of the plan are
  /// compiled.
  template <class ExecSpace, class XView, class To>
  void multiply(const ExecSpace& exec, const XView& x, const To& output) const {
    if constexpr (detail::types_fit<ExecSpace, Csr, XView>()) {
      detail::validate_x({format_, rows_, cols_}, x);
      const Kokkos::Profiling::ScopedRegion region("fatvec::spmm");
      run_to(exec, detail::operand_of(x), output, multivector_columns(x));
    }
  }

  /// The same behind the callers' Views.
  template <class ExecSpace, class U, class To>
  void run_to(const ExecSpace& exec, const detail::Operand<const U>& x, const To& output,
              std::int64_t k) const;

  /// Throws ShapeError where Y, of k columns, lies on an array of A: of the caller's own only where
  /// the plan multiplies A as it is.
  template <class U>
  void require_apart(const detail::Operand<const U>& y, std::int64_t k) const;

  /// What multiply() does behind the callers' Views, compiled once.
  template <class ExecSpace, class U>
  void run(const ExecSpace& exec, const U& alpha, const detail::Operand<const U>& x, const U& beta,
           const detail::Operand<U>& y, std::int64_t k) const;

  /// Throws what update(exec, values) does for values that it cannot take: `extent` many.
  void require_update(std::size_t extent, const std::string& label) const;

 protected:
  /// update(exec, values) of values of another type, which the plan's own arrays take as Scalars.
  template <class ExecSpace, class Value>
  void store_values(const ExecSpace& exec, const Value* values);
  /// Adds a sentence, which begins with a space.
  void add_to_reason(const std::string& sentence) { reason_ += sentence; }

 private:
  /// The chosen kernel on operands of its own.
  template <class ExecSpace, class U, class To>
  void launch(const ExecSpace& exec, const detail::Operand<const U>& x, const To& output,
              std::int64_t k) const;
  template <class ExecSpace>
  void analyse(const ExecSpace& exec, const Csr& a);
  template <class ExecSpace>
  void convert_to_choice(const ExecSpace& exec, const Csr& a);
  template <class ExecSpace>
  void keep_value_map(const ExecSpace& exec, const Csr& a);
  /// Ranks the kernels for a matrix, those of CSR alone where rows are stored through the order.
  template <class ExecSpace>
  [[nodiscard]] std::vector<Prediction> ranked(const ExecSpace& exec, const Machine& machine,
                                               const Structure& structure,
                                               std::vector<std::string_view> kernels) const;
  /// Orders the rows of `stored`, op(A), where that pays; returns what explain() says of it, or
  /// nothing.
  template <class ExecSpace>
  std::string order_where_it_pays(const ExecSpace& exec, Csr& stored, const Machine& machine,
                                  const Structure& structure, const FormatOptions& asked,
                                  const std::vector<std::string_view>& kernels);
  template <class ExecSpace>
  void set_order(const ExecSpace& exec, const Permutation<Ordinal, Device>& place);
  /// op(A) as the plan stores it, with values of any type.
  template <class ExecSpace, class Matrix>
  [[nodiscard]] Matrix in_order(const ExecSpace& exec, const Matrix& of_a) const {
    if (!reordered()) return of_a;
    if (options_.order_kept_by_caller) return permuted(exec, of_a, place_);
    return detail::rows_in_order(exec, of_a, old_);
  }
  /// Whether rows find their place in Y as they are stored.
  [[nodiscard]] bool stores_through_order() const { return old_.extent(0) > 0; }
  [[nodiscard]] Workload workload() const {
    return {.k = k_,
            .layout = options_.layout,
            .products = options_.products,
            .keeps_value_map = options_.keep_value_map,
            .multiplies_a_itself = shares_values(),
            .value_bytes = sizeof(T)};
  }
  /// Whether a CSR matrix of the plan is A itself.
  [[nodiscard]] bool shares_values() const {
    return !reordered() && (options_.op == Op::none ||
                            (options_.op == Op::conjugate && !detail::is_complex<Scalar>));
  }
  template <class Kernel, class ExecSpace>
  void convert_if(const ExecSpace& exec, const Csr& a);

  PlanOptions options_;
  std::int64_t k_;
  Ordinal rows_ = 0;
  Ordinal cols_ = 0;
  Choice choice_;
  std::string_view format_;
  std::string reason_;
  std::vector<Prediction> ranking_;
  std::variant<Ready<Kernels>...> ready_;
  Packing<T, Device> packing_;
  std::int64_t nnz_ = 0;
  Permutation<Ordinal, Device> place_;       ///< of op(A)'s rows; empty: they stay
  Kokkos::View<std::int32_t*, Device> old_;  ///< op(A)'s row of each stored one; empty where the
                                             ///< caller keeps the order
  detail::ValueMap<Scalar, Ordinal, Device, Offset> value_map_;
};

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::analyse(
    const ExecSpace& exec, const Csr& a) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::analyse");
  detail::require_columns("analyse", k_, 1);
  detail::require_in_range(options_);
  const Csr of_a = apply(exec, options_.op, a);
  if constexpr (!std::is_same_v<T, Scalar>)  // slices suit vectors of X and Y
    options_.format.slice_size =
        detail::slice_size<typename Csr::execution_space, T>(options_.format);
  if (options_.order == RowOrder::rcm) set_order(exec, rcm(exec, of_a));
  Csr stored = in_order(exec, of_a);
  const FormatOptions asked = options_.format;
  const Structure structure = structure_of(exec, stored, asked);
  options_.format.block_size = structure.block_size;
  const Machine& machine = options_.machine ? *options_.machine : this_machine(exec);
  std::vector<std::string_view> kernels;
  ((is_recommended<Kernels, T, typename Csr::value_type>(exec) ? kernels.push_back(Kernels::name)
                                                               : void()),
   ...);
  if (kernels.empty()) (kernels.push_back(Kernels::name), ...);
  const std::int64_t duplicates =
      options_.keep_value_map ? detail::leave_out_sums<Kernels...>(exec, of_a, kernels) : 0;
  const std::string problem = machine_problem(machine);
  if (!problem.empty()) kernels = {detail::plainest(kernels)};
  const bool known = options_.choice && ((options_.choice->kernel == Kernels::name) || ...);
  ranking_ = ranked(exec, machine, structure, kernels);
  std::string about_order;
  if (options_.order == RowOrder::automatic && problem.empty())
    about_order = order_where_it_pays(exec, stored, machine, structure, asked, kernels);
  choice_ = ranking_.front().choice;
  if (problem.empty()) {
    reason_ = explain(ranking_, workload());
  } else {
    choice_.packed = false;
    reason_ = detail::concat(choice_.kernel, " was taken without a ranking: ", problem);
  }
  if (duplicates > 0) reason_ += explain_duplicates(duplicates);
  if (known) {
    choice_ = *options_.choice;
    reason_ = detail::concat(choice_.kernel, " was asked for, or measured to be the fastest.");
  }
  if (stores_through_order() && format_of_kernel(choice_.kernel) != "csr")
    throw UsageError(detail::concat(
        "analyse: rows in another order are multiplied as CSR, not by ", choice_.kernel,
        ": leave PlanOptions::choice out, or set order_kept_by_caller."));
  reason_ += about_order;
  convert_to_choice(exec, stored);
  keep_value_map(exec, a);
  if (options_.keep_value_map) reason_ += explain_value_map(value_map_bytes());
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace>
std::vector<Prediction> Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>,
                             T>::ranked(const ExecSpace&, const Machine& machine,
                                        const Structure& structure,
                                        std::vector<std::string_view> kernels) const {
  if (stores_through_order()) detail::leave_kernels_of_csr(kernels);
  const auto memory = static_cast<double>(
      options_.format.memory_limit.value_or(free_memory<typename Csr::memory_space>()));
  return rank(machine, structure, workload(), kernels, memory);
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace>
std::string Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>,
                 T>::order_where_it_pays(const ExecSpace& exec, Csr& stored, const Machine& machine,
                                         const Structure& structure, const FormatOptions& asked,
                                         const std::vector<std::string_view>& kernels) {
  const auto of_choice = [&](const std::vector<Prediction>& ranking) {
    const auto asked_for = std::find_if(ranking.begin(), ranking.end(), [&](const Prediction& p) {
      return options_.choice && p.choice.kernel == options_.choice->kernel;
    });
    return asked_for == ranking.end() ? ranking.front() : *asked_for;
  };
  const Prediction before = of_choice(ranking_);
  const bool csr_is_there =
      std::any_of(kernels.begin(), kernels.end(),
                  [](std::string_view kernel) { return format_of_kernel(kernel) == "csr"; });
  const bool other_format = options_.choice && format_of_kernel(options_.choice->kernel) != "csr";
  if (!options_.order_kept_by_caller && (!csr_is_there || other_format)) return "";
  if (!detail::may_gain_by_order(machine, structure, workload(), before)) return "";
  set_order(exec, rcm(exec, stored));
  const Csr ordered = in_order(exec, stored);
  Structure after = structure;
  if (options_.order_kept_by_caller)
    after = structure_of(exec, ordered, asked);
  else
    detail::count_reads(exec, ordered, after);
  auto ranking = ranked(exec, machine, after, kernels);
  const Prediction ordered_choice = of_choice(ranking);
  const OrderGain gain{before.seconds, ordered_choice.seconds, detail::ordering_seconds(structure)};
  if (detail::gains_by_order(workload(), before, ordered_choice)) {
    stored = ordered;
    ranking_ = std::move(ranking);
    options_.format.block_size = after.block_size;
  } else {
    place_ = {};
    old_ = {};
  }
  return " " + explain(gain);
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::set_order(
    const ExecSpace& exec, const Permutation<Ordinal, Device>& place) {
  place_ = place;
  if (options_.order_kept_by_caller) return;
  old_ = detail::inverse(exec, place);
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::update(
    const ExecSpace& exec, const Csr& a) {
  const bool transposed = transposes(options_.op);
  if (a.rows() != (transposed ? cols_ : rows_) || a.cols() != (transposed ? rows_ : cols_)) {
    throw ShapeError(detail::concat("Plan::update: A is ", a.rows(), " x ", a.cols(),
                                    "; the plan was made for another shape."));
  }
  Plan next = *this;  // this one stays whole where something throws
  next.convert_to_choice(exec, in_order(exec, apply(exec, options_.op, a)));
  next.keep_value_map(exec, a);
  *this = std::move(next);
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::update(
    const ExecSpace& exec, const typename Csr::Scalars& values) {
  require_update(values.extent(0), values.label());
  std::visit(
      [&](auto& ready) {
        if constexpr (std::is_same_v<std::decay_t<decltype(ready.matrix)>, Prepared<Csr>>)
          if (shares_values()) return void(ready.matrix.values = values);
        value_map_.store(exec, values.data(), ready.matrix.values.data());
      },
      ready_);
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::require_update(
    std::size_t extent, const std::string& label) const {
  if (static_cast<std::int64_t>(extent) != nnz_)
    throw ShapeError(detail::concat("Plan::update: ", extent, " values (", label, ") for the ",
                                    nnz_, " entries of A."));
  if (!options_.keep_value_map)
    throw UsageError(
        "Plan::update: the plan does not know where A's values are stored. Set "
        "PlanOptions::keep_value_map for analyse(), or call update(exec, A).");
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace, class Value>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::store_values(
    const ExecSpace& exec, const Value* values) {
  std::visit(
      [&](const auto& ready) {
        Scalar* const to = ready.matrix.values.data();
        if (value_map_.empty())  // CSR, whose order is that of A
          Kokkos::parallel_for("fatvec::Plan::update", detail::Range<ExecSpace>(exec, 0, nnz_),
                               detail::ConvertValues<Value, Scalar>{values, to});
        else
          value_map_.store(exec, values, to);
      },
      ready_);
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::keep_value_map(
    const ExecSpace& exec, const Csr& a) {
  nnz_ = a.nnz();
  value_map_ = {};
  if (!options_.keep_value_map) return;
  std::visit(
      [&](const auto& ready) {
        using Kernel = typename std::decay_t<decltype(ready)>::Type;
        if constexpr (std::is_same_v<std::decay_t<decltype(ready.matrix)>, Prepared<Csr>>)
          if (shares_values()) return;
        FormatOptions format = options_.format;  // a default may depend on the scalar type
        if constexpr (requires { ready.matrix.slice_size(); })
          format.slice_size = ready.matrix.slice_size();
        value_map_ = decltype(value_map_)::template of<Kernel>(
            exec, a, options_.op, format,
            [&](const auto& numbers) { return in_order(exec, numbers); });
      },
      ready_);
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class U>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::require_apart(
    const detail::Operand<const U>& y, std::int64_t k) const {
  if (format_ != Csr::name) return;  // arrays of other formats are the plan's own
  std::visit(
      [&](const auto& ready) {
        if constexpr (std::is_same_v<std::decay_t<decltype(ready.matrix)>, Prepared<Csr>>)
          detail::require_apart_from_matrix(ready.matrix, y, rows_, k);
      },
      ready_);
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace, class U>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::run(
    const ExecSpace& exec, const U& alpha, const detail::Operand<const U>& x, const U& beta,
    const detail::Operand<U>& y, std::int64_t k) const {
  if (stores_through_order() && alpha == U{}) {
    if (k > 0) detail::scale_output(exec, detail::ScaledSum<U>{alpha, beta, y}, rows_, k);
    return;
  }
  const auto with = [&](const auto& x_operand, const auto& beta_of, const auto& y_operand) {
    launch(exec, x_operand, detail::ScaledSum<U>{alpha, beta_of, y_operand}, k);
  };
  if constexpr (std::is_same_v<U, T>)
    if (choice_.packed && alpha != U{} && packing_.takes(x, y, k))
      return packing_.run(exec, x, beta, y, k, with);
  with(x, beta, y);
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace, class U, class To>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::run_to(
    const ExecSpace& exec, const detail::Operand<const U>& x, const To& output,
    std::int64_t k) const {
  const auto with = [&](const auto& x_operand) { launch(exec, x_operand, output, k); };
  if constexpr (std::is_same_v<U, T>)
    if (choice_.packed && packing_.takes(x, k)) return packing_.run(exec, x, k, with);
  with(x);
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace, class U, class To>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::launch(
    const ExecSpace& exec, const detail::Operand<const U>& x, const To& output,
    std::int64_t k) const {
  std::visit(
      [&](const auto& ready) {
        using Kernel = typename std::decay_t<decltype(ready)>::Type;
        using Policy = PolicyOn<Kernel, ExecSpace>;
        Policy policy;  // exec may be a device that reaches a host's memory, or the other way round
        if constexpr (std::is_same_v<Policy, std::decay_t<decltype(ready.policy)>>)
          policy = ready.policy;
        const auto with = [&](const auto& to) {
          detail::launch<Kernel>(exec, policy, detail::slots_of(ready.matrix), x, to, k);
        };
        if constexpr (std::is_same_v<std::decay_t<decltype(ready.matrix)>, Prepared<Csr>>)
          if (stores_through_order()) {
            detail::SumsOnHost<typename detail::FusedOutput<U>::Sum> no_sums;
            return with(detail::through(output, old_.data(), no_sums));
          }
        with(output);
      },
      ready_);
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class ExecSpace>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::convert_to_choice(
    const ExecSpace& exec, const Csr& a) {
  rows_ = a.rows();
  cols_ = a.cols();
  (convert_if<Kernels>(exec, a), ...);
  exec.fence("fatvec::analyse");
}

template <class Scalar, class Ordinal, class Device, class Offset, class T, SpmmKernel... Kernels>
template <class Kernel, class ExecSpace>
void Plan<CsrMatrix<Scalar, Ordinal, Device, Offset>, TypeList<Kernels...>, T>::convert_if(
    const ExecSpace& exec, const Csr& a) {
  using Matrix = typename Kernel::template Matrix<Scalar, Ordinal, Device, Offset>;
  if (choice_.kernel != Kernel::name) return;
  format_ = Matrix::name;
  const Matrix matrix = convert<Matrix>(exec, a, options_.format);
  Ready<Kernel> ready{policy_of<Kernel, typename Device::execution_space>(choice_.policy),
                      prepare<T>(exec, matrix, k_)};
  if (choice_.packed && packing_.empty())
    packing_ = Packing<T, Device>::template of<Kernel>(
        exec, ready.policy, matrix, k_, options_.format.memory_limit, stores_through_order());
  ready_ = std::move(ready);
}

/// The plan of a CSR matrix on the default device, for the kernels that plans choose among.
template <class Scalar, class Ordinal = std::int32_t, class Device = Kokkos::DefaultExecutionSpace,
          class Offset = std::int32_t>
using CsrPlan = Plan<CsrMatrix<Scalar, Ordinal, detail::SpaceOf<Device>, Offset>>;

/// A plan for products of op(A) with k columns: format, kernel, policy and packing, chosen by the
/// traffic model.
///
/// @param exec     where A lives and the products will run; the call blocks, allocates, and copies
/// samples of A's structure to
///                 the host
/// @param a        the matrix; sorted or not
/// @param k        columns of X and Y that the choice is made for; products with another number are
/// as correct, by the same format, kernel and policy, and above it without packing
/// @param options  layout, operation, number of products, a choice that is taken instead of the
/// model's
/// @tparam T       the scalar type of X and Y, where it is another one than A's: with A in float
/// and X and Y in double analyse<PlanKernels, double>(exec, a, k)
///
/// Throws UsageError for an unknown policy in options.choice, CapacityError where what was chosen
/// does not fit.
template <class Kernels = PlanKernels, class T = void, class ExecSpace, class Scalar, class Ordinal,
          class Device, class Offset>
Plan<CsrMatrix<Scalar, Ordinal, detail::SpaceOf<Device>, Offset>, Kernels,
     detail::ScalarOr<T, Scalar>>
analyse(const ExecSpace& exec, const CsrMatrix<Scalar, Ordinal, Device, Offset>& a, std::int64_t k,
        const PlanOptions& options = {}) {
  return {exec, a, k, options};
}

/// Y = beta · Y + alpha · op(A) · X with the plan's matrix; X and Y as in spmm() of a matrix: any
/// layout, whatever the plan was made for. Only enqueues work on exec: no fence, no allocation, no
/// transfer. A plan that packs has one copy of X and Y, and on GPUs one with rows that are far
/// longer than the mean has scratch memory for them: its products must not run at the same time, in
/// two instances; others may.
template <class ExecSpace, class Alpha, class Csr, class Kernels, class T, class XView, class Beta,
          class YView>
  requires Kokkos::is_execution_space_v<ExecSpace>
void spmm(const ExecSpace& exec, const Alpha& alpha, const Plan<Csr, Kernels, T>& plan,
          const XView& x, const Beta& beta, const YView& y) {
  plan.multiply(exec, alpha, x, beta, y);
}

/// op(A) · X with the plan's matrix, whose rows go to an output of the caller's, as in spmm() of a
/// matrix; with the same promises and scratch memory.
template <class ExecSpace, class Csr, class Kernels, class T, class XView, class To>
  requires Output<To, std::remove_const_t<typename XView::value_type>>
void spmm(const ExecSpace& exec, const Plan<Csr, Kernels, T>& plan, const XView& x,
          const To& output) {
  plan.multiply(exec, x, output);
}

/// Fails with a sentence: a plan has one operation.
template <class ExecSpace, OpOrLetter Mode, class Alpha, class Csr, class Kernels, class T,
          class XView, class Beta, class YView>
void spmm(const ExecSpace&, const Mode& mode, const Alpha& alpha, const Plan<Csr, Kernels, T>& plan,
          const XView& x, const Beta& beta, const YView& y) {
  spmm(mode, alpha, plan, x, beta, y);
}
/// The same without an instance.
template <OpOrLetter Mode, class Alpha, class Csr, class Kernels, class T, class XView, class Beta,
          class YView>
void spmm(const Mode&, const Alpha&, const Plan<Csr, Kernels, T>&, const XView&, const Beta&,
          const YView&) {
  static_assert(sizeof(Csr) == 0,
                "a Plan multiplies op(A) for the op it was made with: set PlanOptions::op where "
                "analyse() makes it, and leave the operation out here");
}

}  // namespace fatvec

#define FATVEC_PLAN(how, Space, Scalar, Offset)                                                   \
  how template void                                                                               \
  fatvec::Plan<fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>>::analyse<Space>(           \
      const Space&, const fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>&);               \
  how template void                                                                               \
  fatvec::Plan<fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>>::update<Space>(            \
      const Space&, const fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>&);               \
  how template void                                                                               \
  fatvec::Plan<fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>>::update<Space>(            \
      const Space&, const fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>::Scalars&);      \
  how template void                                                                               \
  fatvec::Plan<fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>>::require_apart<Scalar>(    \
      const fatvec::detail::Operand<const Scalar>&, std::int64_t) const;                          \
  how template void                                                                               \
  fatvec::Plan<fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>>::run<Space, Scalar>(       \
      const Space&, const Scalar&, const fatvec::detail::Operand<const Scalar>&, const Scalar&,   \
      const fatvec::detail::Operand<Scalar>&, std::int64_t) const;                                \
  how template void fatvec::Plan<fatvec::CsrMatrix<Scalar, std::int32_t, Space, Offset>>::run_to( \
      const Space&, const fatvec::detail::Operand<const Scalar>&,                                 \
      const fatvec::detail::FusedOutput<Scalar>&, std::int64_t) const;
FATVEC_EXTERN(FATVEC_PLAN)

#include <fatvec/plan/const_plan.hpp>
