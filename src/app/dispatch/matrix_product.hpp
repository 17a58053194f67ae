// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include <fatvec/app/dispatch/operands.hpp>
#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/app/dispatch/storage.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/plan/convert.hpp>

namespace fatvec::product {

/// A matrix in one of fatvec's formats, with X and Y beside it, and whatever multiplies them:
///   multiply(exec, alpha, matrix, x, beta, y)   enqueues Y = beta · Y + alpha · A · X on exec; x and y are rank-2 Views;
///                                               not called with alpha = 0, which scales Y
///   multiply.prepare(exec, matrix)              optional; what it finds out once per matrix counts as set-up
/// Our kernels and the hand-written ones that they are compared with thus read the same bytes.
/// Scalar: of X and Y, which may be another one than A's.
template <class Matrix, class XLayout, class YLayout, class Multiply,
          class Scalar = typename Matrix::value_type>
class MatrixProduct final : public Product {
  using ExecSpace = typename Matrix::execution_space;

 public:
  MatrixProduct(const Case& task, Multiply multiply)
      : multiply_(std::move(multiply)), matrix_(converted(task)), dense_(task) {
    matrix_bytes = matrix_.bytes();
    stored_entries = matrix_.stored_entries();
  }

  void load(const HostMultivector& x, const HostMultivector& y) override {
    dense_.copy_in(dense_.x, x);
    dense_.copy_in(dense_.y, y);
  }
  double run(double alpha, double beta) override {
    return timed(exec_, [&] {
      if (alpha == 0) return scale(static_cast<Scalar>(beta));
      multiply_(exec_, static_cast<Scalar>(alpha), matrix_, dense_.x, static_cast<Scalar>(beta),
                dense_.y);
    });
  }
  void store(const HostMultivector& y) const override { dense_.copy_out(y, dense_.y); }

 private:
  void scale(Scalar beta) {
    const detail::ScaledSum<Scalar> y{0, beta, detail::span_of<detail::Columns::strided>(dense_.y)};
    detail::scale_output(exec_, y, static_cast<std::int64_t>(dense_.y.extent(0)),
                         static_cast<std::int64_t>(dense_.y.extent(1)));
  }
  /// Before X and Y are allocated: a format that does not fit is refused with the memory still
  /// free.
  Matrix converted(const Case& task) {
    const auto csr = mirror<ExecSpace>(matrix_of<typename Matrix::value_type>(task));
    FormatOptions options = task.options;
    if constexpr (!std::is_same_v<Scalar, typename Matrix::value_type>)  // vectors of X and Y
      options.slice_size = detail::slice_size<ExecSpace, Scalar>(options);
    exec_.fence("fatvec::product::prepare");
    const Kokkos::Timer timer;
    Matrix matrix = convert<Matrix>(exec_, csr, options);
    if constexpr (requires { multiply_.prepare(exec_, matrix); }) multiply_.prepare(exec_, matrix);
    exec_.fence("fatvec::product::prepare");
    setup_seconds = timer.seconds();
    return matrix;
  }

  ExecSpace exec_;
  Multiply multiply_;
  Matrix matrix_;
  DenseOperands<Scalar, ExecSpace, XLayout, YLayout> dense_;
};

/// The product of a task, whose layout is that of X and Y, with its matrix in the format Matrix.
template <class Matrix, class Scalar = typename Matrix::value_type, class Multiply>
std::unique_ptr<Product> make_product(const Case& task, Multiply multiply) {
  return with_layout(task.layout,
                     [&]<class KokkosLayout>(KokkosLayout) -> std::unique_ptr<Product> {
                       return std::make_unique<
                           MatrixProduct<Matrix, KokkosLayout, KokkosLayout, Multiply, Scalar>>(
                           task, std::move(multiply));
                     });
}
/// The same; Format is CsrMatrix, EllMatrix, ..., of Scalars, in the layout of task.storage where
/// it has several.
template <template <class...> class Format, class Scalar, class ExecSpace, class Multiply>
std::unique_ptr<Product> make_product(const Case& task, Multiply multiply) {
  using Matrix = Format<Scalar, std::int32_t, ExecSpace, std::int32_t>;
  return with_storage<Matrix>(task.storage, [&]<class Stored>(std::type_identity<Stored>) {
    return make_product<Stored>(task, std::move(multiply));
  });
}

}  // namespace fatvec::product
