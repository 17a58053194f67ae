// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/plan/plan.hpp>

#include "matrices.hpp"
#include "operands.hpp"
#include "outcome.hpp"
#include "settings.hpp"
#include "with_layout.hpp"

namespace fatvec::test {

template <class T>
T scalar(const std::complex<double>& value) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(value.real());
  else
    return T(value.real(), value.imag());
}

/// Y = beta · Y + alpha · op(A) · X, where a seed says what everything is, on the default execution
/// space.
template <class T, class Offset>
class RandomProduct {
  using Exec = Kokkos::DefaultExecutionSpace;
  using HostCsr = CsrMatrix<T, std::int32_t, Kokkos::DefaultHostExecutionSpace, Offset>;
  using Csr = CsrMatrix<T, std::int32_t, Exec, Offset>;
  using ConstCsr = CsrMatrix<const T, const std::int32_t, Exec, Offset>;
  using Real = typename verify::WideOf<T>::Real;
  static constexpr int widest = std::numeric_limits<Real>::max_exponent / 2 - 8;

 public:
  explicit RandomProduct(std::uint64_t seed)
      : random_(seed),
        a_(random_matrix(random_, widest)),
        settings_(random_settings<Exec>(random_)),
        of_a_(applied(settings_.op, a_)),
        k_(random_columns_of_x()),
        operands_(random_, of_a_.cols, of_a_.rows, k_) {
    other_ = settings_.update == Update::pattern ? with_other_pattern(random_, a_, widest)
                                                 : with_other_values(random_, a_, widest);
    alpha_ = random_factor();
    beta_ = random_factor();
    fill_operands();
  }

  Outcome run(void (*announce)(const std::string&)) {
    outcome_.product =
        detail::concat("A: ", a_.kind, ", ", a_.rows, " x ", a_.cols, ", ", a_.nnz(),
                       " entries; op ", static_cast<char>(settings_.op), "; k ", k_, "; alpha ",
                       alpha_, ", beta ", beta_, "; X at ", operands_.x.to_string(), ", Y at ",
                       operands_.y.to_string(), "; ", settings_.to_string());
    announce(outcome_.product);
    try {
      check();
    } catch (const std::exception& error) {
      outcome_.wrong = true;
      outcome_.problem = detail::concat("threw: ", error.what());
    }
    return outcome_;
  }

 private:
  using Product = std::function<void()>;

  void check() {
    const auto reference =
        verify::reference_product(alpha_, on_host(of_a_), operands_.host_before(operands_.x), beta_,
                                  operands_.host_before(operands_.y));
    const Product product = make();
    const auto bits = bits_after(product);
    const auto verdict = verify::compare(reference, operands_.host_after());
    outcome_.scaled = verdict.scaled;
    if (!verdict.passed) {
      outcome_.wrong = true;
      outcome_.problem =
          detail::concat("row ", verdict.worst_row, ", column ", verdict.worst_column,
                         " is off by ", verdict.scaled, " times what rounding allows");
    } else if (!operands_.others_are_untouched()) {
      outcome_.wrong = true;
      outcome_.problem = "elements of X or between those of Y were overwritten";
    }
    const bool differs = bits_after(product) != bits;
    const bool differs_anew = bits_after(make()) != bits;
    outcome_.differs = differs || differs_anew;
    if (outcome_.differs && outcome_.problem.empty())
      outcome_.problem =
          differs ? "a second run has other bits" : "made anew, the product has other bits";
  }

  std::vector<unsigned char> bits_after(const Product& product) const {
    operands_.load();
    product();
    Exec().fence();
    operands_.fetch();
    return operands_.bits();
  }

  std::int64_t random_columns_of_x() {
    const double u = random_.unit();
    const std::int64_t k = u < 0.01   ? 0
                           : u < 0.20 ? 1
                           : u < 0.65 ? random_.between(2, 16)
                           : u < 0.95 ? random_.between(17, 70)
                                      : random_.between(71, 257);
    constexpr std::int64_t most_multiplications = 2'000'000;  // the oracle is slow
    return std::min(k, most_multiplications / std::max<std::int64_t>(1, a_.nnz()));
  }

  T random_factor() {
    const double u = random_.unit();
    if (u < 0.1) return T(0);
    if (u < 0.4) return T(1);
    if (u < 0.5) return T(-1);
    return scalar<T>(3.0 * random_value(random_, false, 0));
  }

  /// With alpha = 0 X is NaN, as A is, with beta = 0 Y; and rows of X that A has no entry for,
  /// unless the format multiplies zeros of its own by them.
  void fill_operands() {
    const T nan(std::numeric_limits<double>::quiet_NaN());
    const bool wide = random_.chance(0.1);
    const auto fill = [&](const Place& place, const auto& is_nan) {
      for (std::int64_t i = 0; i < place.rows; ++i)
        for (std::int64_t c = 0; c < place.k; ++c)
          operands_.before(place, i, c) =
              is_nan(i) ? nan : scalar<T>(random_value(random_, wide, widest / 2));
    };
    std::vector<bool> used(static_cast<std::size_t>(of_a_.cols), !settings_.poison_unused_rows);
    for (const int column : of_a_.entries) used[column] = true;
    fill(operands_.x, [&](std::int64_t j) { return alpha_ == T(0) || !used[j]; });
    fill(operands_.y, [&](std::int64_t) { return beta_ == T(0); });
  }

  HostCsr on_host(const RandomMatrix& matrix) const {
    const typename HostCsr::Offsets row_map("row_map", matrix.row_map.size());
    const typename HostCsr::Ordinals entries("entries", matrix.entries.size());
    const typename HostCsr::Scalars values("values", matrix.entries.size());
    for (std::size_t i = 0; i < matrix.row_map.size(); ++i)
      row_map(i) = static_cast<Offset>(matrix.row_map[i]);
    const bool poison = alpha_ == T(0);  // A is not read
    for (std::size_t n = 0; n < matrix.entries.size(); ++n) {
      entries(n) = matrix.entries[n];
      values(n) =
          poison ? T(std::numeric_limits<double>::quiet_NaN()) : scalar<T>(matrix.values[n]);
    }
    return {matrix.rows, matrix.cols, row_map, entries, values};
  }

  /// The product, with all that is made before it.
  Product make() {
    const Csr a = mirror<Exec>(on_host(a_));
    Product product;
    if (settings_.way == Way::plan) {
      product = settings_.const_plan ? planned<ConstCsr>(a) : planned<Csr>(a);
    } else {
      for_each_kernel([&](auto kernel) {
        using Kernel = decltype(kernel);
        if (settings_.kernel != Kernel::name) return;
        if constexpr (!is_portable<Kernel>)
          if (settings_.way == Way::format) return void(product = of_format<Kernel>(a));
        product = by_kernel<Kernel>(a);
      });
    }
    return product;
  }

  template <class Kernel>
  using MatrixOf = typename Kernel::template Matrix<T, std::int32_t, Exec, Offset>;

  /// multiply(matrix) with A in the kernel's format, prepared or not.
  template <class Kernel, class Multiply>
  Product converted(const Csr& a, const Multiply& multiply) const {
    return with_layout<MatrixOf<Kernel>>(
        settings_.row_major_storage, [&]<class M>(std::type_identity<M>) -> Product {
          const M matrix = convert<M>(Exec(), a, settings_.format);
          if (!settings_.prepared) return [=] { multiply(matrix); };
          const Prepared<M> prepared = prepare(Exec(), matrix, columns());
          return [=] { multiply(prepared); };
        });
  }

  template <class Kernel>
  Product by_kernel(const Csr& a) const {
    return converted<Kernel>(
        a, [this, policy = policy_of<Kernel, Exec>(settings_.policy)](const auto& matrix) {
          operands_.with_strided_views([&](const auto& x, const auto& y) {
            spmm<Kernel>(Exec(), policy, alpha_, matrix, x, beta_, y);
          });
        });
  }

  template <class Kernel>
  Product of_format(const Csr& a) const {
    if (settings_.op != Op::none) {
      const auto matrix = convert<MatrixOf<Kernel>>(Exec(), a, settings_.format);
      return [=, this] {
        operands_.with_strided_views([&](const auto& x, const auto& y) {
          spmm(Exec(), settings_.op, alpha_, matrix, x, beta_, y);
        });
      };
    }
    return converted<Kernel>(a, [this](const auto& matrix) {
      operands_.with_views(settings_.rank_one && k_ == 1, [&](const auto& x, const auto& y) {
        spmm(Exec(), alpha_, matrix, x, beta_, y);
      });
    });
  }

  /// By a plan for A, or for the other matrix, which is then told of A.
  template <class PlanCsr>
  Product planned(const Csr& a) const {
    PlanOptions options = settings_.plan;
    try {
      return planned_with<PlanCsr>(a, options);
    } catch (const UsageError&) {  // there is no map of values that are added up
      if (!options.keep_value_map || !has_duplicates()) throw;
      options.keep_value_map = false;
      return planned_with<PlanCsr>(a, options);
    }
  }
  template <class PlanCsr>
  Product planned_with(const Csr& a, const PlanOptions& options) const {
    const auto as_given = [](const Csr& csr) {
      return PlanCsr(csr.rows(), csr.cols(), csr.row_map, csr.entries, csr.values);
    };
    const bool updates = settings_.update != Update::none;
    const Csr first = updates ? mirror<Exec>(on_host(other_)) : a;
    const std::int64_t k = columns();
    auto plan = analyse(Exec(), as_given(first), k, options);
    if (settings_.update == Update::values && options.keep_value_map)
      plan.update(Exec(), a.values);
    else if (updates)
      plan.update(Exec(), as_given(a));
    Exec().fence();  // both matrices may go at the end of this function
    return [=, this] {
      operands_.with_views(settings_.rank_one && k_ == 1, [&](const auto& x, const auto& y) {
        spmm(Exec(), alpha_, plan, x, beta_, y);
      });
    };
  }

  [[nodiscard]] bool has_duplicates() const {
    std::vector<int> row;
    for (int i = 0; i < a_.rows; ++i) {
      row.assign(a_.entries.begin() + a_.row_map[i], a_.entries.begin() + a_.row_map[i + 1]);
      std::sort(row.begin(), row.end());
      if (std::adjacent_find(row.begin(), row.end()) != row.end()) return true;
    }
    return false;
  }

  Random random_;
  RandomMatrix a_;
  Settings settings_;
  RandomMatrix of_a_;
  RandomMatrix other_;  ///< that a plan is made for before it is told of A
  /// Of a plan, and of scratch memory.
  [[nodiscard]] std::int64_t columns() const {
    return settings_.plan_k > 0 ? settings_.plan_k : std::max<std::int64_t>(k_, 1);
  }

  std::int64_t k_;
  Operands<T> operands_;
  T alpha_{};
  T beta_{};
  Outcome outcome_;
};

}  // namespace fatvec::test
