// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <fatvec/app/dispatch/operands.hpp>
#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/kernels/shared/output.hpp>

#include "harness/contender.hpp"

/// Products of a row-major X into a column-major Y (Gollmann 2020, listing 6): contenders with the
/// parameter column_major_y(), which have cases in layout row only.
namespace fatvec::bench {

inline Parameter column_major_y() {
  return {"y_layout", "column"};
}

inline bool has_column_major_y(const Contender& contender) {
  return contender.parameter(column_major_y().key) == column_major_y().value;
}

/// multiply(exec, alpha, csr, x, beta, y) and, where there is one, multiply.prepare(exec, csr) are
/// those of product::make_product.
template <class Scalar, class ExecSpace, class Multiply>
class MixedProduct final : public product::Product {
  using Matrix = CsrMatrix<Scalar, std::int32_t, ExecSpace, std::int32_t>;
  using RowMajor = product::DenseOperands<Scalar, ExecSpace, Kokkos::LayoutRight>;
  using ColumnMajor = product::DenseOperands<Scalar, ExecSpace, Kokkos::LayoutLeft>;
  using X = typename RowMajor::View;
  using Y = typename ColumnMajor::View;

 public:
  MixedProduct(const product::Case& task, Multiply multiply)
      : multiply_(std::move(multiply)),
        matrix_(mirror<ExecSpace>(product::matrix_of<Scalar>(task))),
        x_(detail::allocate<X>(ExecSpace(), "X", task.matrix.cols(), task.k)),
        y_(detail::allocate<Y>(ExecSpace(), "Y", task.matrix.rows(), task.k)) {
    if constexpr (requires { multiply_.prepare(exec_, matrix_); })
      multiply_.prepare(exec_, matrix_);
    exec_.fence("fatvec::bench::MixedProduct");
    matrix_bytes = matrix_.bytes();
    stored_entries = matrix_.stored_entries();
  }
  void load(const product::HostMultivector& x, const product::HostMultivector& y) override {
    RowMajor::copy_in(x_, x);
    ColumnMajor::copy_in(y_, y);
  }
  double run(double alpha, double beta) override {
    return product::timed(exec_, [&] {
      if (alpha == 0) return scale(static_cast<Scalar>(beta));
      multiply_(exec_, static_cast<Scalar>(alpha), matrix_, x_, static_cast<Scalar>(beta), y_);
    });
  }
  void store(const product::HostMultivector& y) const override { ColumnMajor::copy_out(y, y_); }

 private:
  void scale(Scalar beta) {
    const detail::ScaledSum<Scalar> y{0, beta, detail::span_of<detail::Columns::strided>(y_)};
    detail::scale_output(exec_, y, static_cast<std::int64_t>(y_.extent(0)),
                         static_cast<std::int64_t>(y_.extent(1)));
  }

  ExecSpace exec_;
  Multiply multiply_;
  Matrix matrix_;
  X x_;
  Y y_;
};

template <class Scalar, class ExecSpace, class Multiply>
std::unique_ptr<product::Product> make_mixed_product(const product::Case& task, Multiply multiply) {
  return std::make_unique<MixedProduct<Scalar, ExecSpace, Multiply>>(task, std::move(multiply));
}

}  // namespace fatvec::bench
