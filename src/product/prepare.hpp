// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/kernels/packing.hpp>
#include <fatvec/kernels/spmm.hpp>
#include <fatvec/product/matrix_product.hpp>

/// Private to the products: how a registered kernel becomes a Product. Each kernel and backend is
/// compiled in a file of its own (kernel_product.cpp.in), so that builds are parallel and no
/// translation unit is large.
namespace fatvec::product {

/// A registered kernel with a policy.
template <class Kernel>
struct KernelMultiply {
  typename Kernel::Policy policy{};

  template <class ExecSpace, class Matrix, class X, class Y>
  void operator()(const ExecSpace& exec, double alpha, const Matrix& matrix, const X& x,
                  double beta, const Y& y) const {
    spmm<Kernel>(exec, policy, alpha, matrix, x, beta, y);
  }
};

/// The same on row-major copies.
template <class Kernel, class ExecSpace>
struct PackedMultiply {
  KernelMultiply<Kernel> multiply;
  std::int64_t k;
  Packing<double, ExecSpace> packing{};

  template <class Matrix>
  void prepare(const ExecSpace& exec, const Matrix& matrix) {
    packing = Packing<double, ExecSpace>::template of<Kernel>(exec, multiply.policy, matrix, k);
  }
  template <class Matrix, class X, class Y>
  void operator()(const ExecSpace& exec, double alpha, const Matrix& matrix, const X& x,
                  double beta, const Y& y) const {
    packing.run(exec, x, beta, y, [&](const auto& of_x, double of_beta, const auto& of_y) {
      multiply(exec, alpha, matrix, of_x, of_beta, of_y);
    });
  }
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
  const KernelMultiply<Kernel> multiply{policy_of<Kernel>(task.policy)};
  if (task.packed && task.layout == Layout::column && task.k > 1)
    return make_product<Kernel::template Matrix, ExecSpace>(
        task, PackedMultiply<Kernel, ExecSpace>{multiply, task.k});
  return make_product<Kernel::template Matrix, ExecSpace>(task, multiply);
}
#endif

}  // namespace fatvec::product
