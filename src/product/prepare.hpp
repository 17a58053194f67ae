// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/kernels/convert.hpp>
#include <fatvec/kernels/spmm.hpp>
#include <fatvec/product/operands.hpp>
#include <fatvec/product/product.hpp>

/// Private to the products: how a registered kernel becomes a Product. Each kernel and backend is compiled in a file of its own
/// (kernel_product.cpp.in), so that builds are parallel and no translation unit is large.
namespace fatvec::product {

template <class Kernel, class ExecSpace, class KokkosLayout>
class KernelProduct final : public Product {
  using Csr = CsrMatrix<double, std::int32_t, ExecSpace, std::int32_t>;
  using Matrix = typename Kernel::template Matrix<double, std::int32_t, ExecSpace, std::int32_t>;

 public:
  explicit KernelProduct(const Case& task) : matrix_(converted(task)), dense_(task) {
    matrix_bytes = matrix_.bytes();
    stored_entries = matrix_.stored_entries();
  }

  void load(const HostMultivector& x, const HostMultivector& y) override {
    dense_.copy_in(dense_.x, x);
    dense_.copy_in(dense_.y, y);
  }
  double run(double alpha, double beta) override {
    return timed(exec_, [&] { spmm<Kernel>(exec_, typename Kernel::Policy{}, alpha, matrix_, dense_.x, beta, dense_.y); });
  }
  void store(const HostMultivector& y) const override { dense_.copy_out(y, dense_.y); }

 private:
  /// Before X and Y are allocated: a format that does not fit is refused with the memory still free.
  Matrix converted(const Case& task) {
    const Csr csr = mirror<ExecSpace>(task.matrix);
    exec_.fence("fatvec::product::prepare");
    const Kokkos::Timer timer;
    Matrix matrix = convert<Matrix>(exec_, csr, task.options);
    exec_.fence("fatvec::product::prepare");
    setup_seconds = timer.seconds();
    return matrix;
  }

  ExecSpace exec_;
  Matrix matrix_;
  DenseOperands<ExecSpace, KokkosLayout> dense_;
};

/// The door between the lookup by name and the kernels, instantiated once per kernel and backend.
template <class Kernel, class ExecSpace>
struct Factory {
  static std::unique_ptr<Product> prepare(const Case& task);
};

#if defined(FATVEC_INSTANTIATE_FACTORY)
template <class Kernel, class ExecSpace>
std::unique_ptr<Product> Factory<Kernel, ExecSpace>::prepare(const Case& task) {
  if (const auto reason = Kernel::unsupported(ExecSpace(), task.k)) throw UsageError(*reason);
  if (task.layout == Layout::row) return std::make_unique<KernelProduct<Kernel, ExecSpace, Kokkos::LayoutRight>>(task);
  return std::make_unique<KernelProduct<Kernel, ExecSpace, Kokkos::LayoutLeft>>(task);
}
#endif

}  // namespace fatvec::product
