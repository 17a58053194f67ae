// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fatvec/kernels/spmm.hpp>
#include <fatvec/product/matrix_product.hpp>

/// Private to the products: how a registered kernel becomes a Product. Each kernel and backend is compiled in a file of its own
/// (kernel_product.cpp.in), so that builds are parallel and no translation unit is large.
namespace fatvec::product {

/// A registered kernel in its default policy.
template <class Kernel>
struct KernelMultiply {
  template <class ExecSpace, class Matrix, class X, class Y>
  void operator()(const ExecSpace& exec, double alpha, const Matrix& matrix, const X& x, double beta, const Y& y) const {
    spmm<Kernel>(exec, typename Kernel::Policy{}, alpha, matrix, x, beta, y);
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
  return make_product<Kernel::template Matrix, ExecSpace>(task, KernelMultiply<Kernel>{});
}
#endif

}  // namespace fatvec::product
