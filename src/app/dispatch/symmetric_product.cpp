// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/dispatch/backends.hpp>
#include <fatvec/app/dispatch/operands.hpp>
#include <fatvec/app/dispatch/symmetric.hpp>
#include <fatvec/kernels/symmetric.hpp>

namespace fatvec::product {

std::unique_ptr<Product> prepare_symmetric(std::string_view backend, const Case& task) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  bool on_host = false;
  for_each_backend([&](auto space) {
    if (backend == space.name) on_host = std::is_same_v<typename decltype(space)::Space, Host>;
  });
  if (!on_host)
    throw UsageError(detail::concat("symmetric storage is multiplied on CPUs, not on the backend ",
                                    backend,
                                    ". Choose another --backend, or leave --symmetric out."));
  const auto one_triangle = [&](const auto& exec, const auto& csr) {
    return prepare<double>(exec, fatvec::symmetric(exec, csr, task.options), task.k);
  };
  return with_layout(task.layout,
                     [&]<class KokkosLayout>(KokkosLayout) -> std::unique_ptr<Product> {
                       auto product = make_spmm_product<Host, KokkosLayout>(task, one_triangle);
                       product->matrix_bytes = product->prepared().bytes();
                       product->stored_entries = product->prepared().stored_entries();
                       return product;
                     });
}

}  // namespace fatvec::product
