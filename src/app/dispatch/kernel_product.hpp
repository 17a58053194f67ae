// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include <fatvec/app/dispatch/backends.hpp>
#include <fatvec/app/dispatch/matrix_product.hpp>
#include <fatvec/kernels/registry.hpp>
#include <fatvec/plan/packing.hpp>

/// Private to the products: those of the registered kernels.
namespace fatvec::product {

/// A kernel with a policy, as a value: the products below are compiled for each format, not for
/// each kernel.
template <class ExecSpace, class Matrix, class Scalar>
using Launch = std::function<void(const ExecSpace&, const detail::SlotsOf<Matrix>&,
                                  const detail::Operand<const Scalar>&,
                                  const detail::ScaledSum<Scalar>&, std::int64_t k)>;

template <class ExecSpace, class Matrix, class Scalar>
struct KernelMultiply {
  Launch<ExecSpace, Matrix, Scalar> launch;
  std::int64_t k;
  Prepared<Matrix> prepared{};

  void prepare(const ExecSpace& exec, const Matrix& matrix) {
    prepared = fatvec::prepare<Scalar>(exec, matrix, k);
  }
  template <class X, class Y>
  void operator()(const ExecSpace& exec, Scalar alpha, const Matrix&, const X& x, Scalar beta,
                  const Y& y) const {
    launch(exec, detail::slots_of(prepared), detail::operand_of(x),
           {alpha, beta, detail::span_of<detail::Columns::strided>(y)}, multivector_columns(x));
  }
};

/// The same on row-major copies.
template <class ExecSpace, class Matrix, class Scalar>
struct PackedMultiply {
  Launch<ExecSpace, Matrix, Scalar> launch;
  std::function<Packing<Scalar, ExecSpace>(const ExecSpace&, const Matrix&)> pack;
  std::int64_t k;
  Prepared<Matrix> prepared{};
  Packing<Scalar, ExecSpace> packing{};

  void prepare(const ExecSpace& exec, const Matrix& matrix) {
    prepared = fatvec::prepare<Scalar>(exec, matrix, k);
    packing = pack(exec, matrix);
  }
  template <class X, class Y>
  void operator()(const ExecSpace& exec, Scalar alpha, const Matrix&, const X& x, Scalar beta,
                  const Y& y) const {
    packing.run(exec, detail::operand_of(x), beta, detail::span_of<detail::Columns::strided>(y), k,
                [&](const auto& packed_x, Scalar packed_beta, const auto& packed_y) {
                  launch(exec, detail::slots_of(prepared), packed_x, {alpha, packed_beta, packed_y},
                         k);
                });
  }
};

/// Scalar: of X and Y. Value: of A.
template <class Scalar, class Kernel, class ExecSpace, class Value>
std::unique_ptr<Product> prepare_kernel(const Case& task) {
  using Format = typename Kernel::template Matrix<Value, std::int32_t, ExecSpace, std::int32_t>;
  const auto policy = policy_of<Kernel, ExecSpace>(task.policy);
  const std::int64_t k = task.k;
  return with_storage<Format>(task.storage, [&]<class Matrix>(std::type_identity<Matrix>) {
    const Launch<ExecSpace, Matrix, Scalar> launch = [policy](const auto& exec, const auto& a,
                                                              const auto& x, const auto& output,
                                                              std::int64_t columns) {
      detail::launch<Kernel>(exec, policy, a, x, output, columns);
    };
    if (!task.packed || task.layout == Layout::row || k == 1)
      return make_product<Matrix, Scalar>(task,
                                          KernelMultiply<ExecSpace, Matrix, Scalar>{launch, k});
    const auto pack = [policy, k](const auto& exec, const auto& matrix) {
      return Packing<Scalar, ExecSpace>::template of<Kernel>(exec, policy, matrix, k);
    };
    return make_product<Matrix, Scalar>(task,
                                        PackedMultiply<ExecSpace, Matrix, Scalar>{launch, pack, k});
  });
}

/// The product of a kernel on a backend, whose name is known. Those with floats are compiled in
/// units of their own (cmake/programs.cmake).
template <class Scalar, class Kernel, class Value = Scalar>
std::unique_ptr<Product> prepare_on(std::string_view backend, const Case& task) {
  std::unique_ptr<Product> product;
  for_each_backend([&](auto space) {
    if (backend == space.name)
      product = prepare_kernel<Scalar, Kernel, typename decltype(space)::Space, Value>(task);
  });
  return product;
}

/// The product in float of a kernel on a backend, whose names are known; none where this build has
/// not the kernel's format in float.
std::unique_ptr<Product> prepare_in_float(std::string_view kernel, std::string_view backend,
                                          const Case& task);
/// The same with values of A in float, X and Y in double.
std::unique_ptr<Product> prepare_in_single_precision(std::string_view kernel,
                                                     std::string_view backend, const Case& task);

}  // namespace fatvec::product
