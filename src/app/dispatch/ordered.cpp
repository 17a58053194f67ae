// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/dispatch/ordered.hpp>

#include <fatvec/app/dispatch/backends.hpp>
#include <fatvec/app/dispatch/measure.hpp>
#include <fatvec/app/dispatch/operands.hpp>
#include <fatvec/plan/plan.hpp>

namespace fatvec::product {
namespace {

template <class ExecSpace, class KokkosLayout>
Ordered ordered(const Case& task, const PlanOptions& options) {
  auto product = make_spmm_product<ExecSpace, KokkosLayout>(
      task, [&](const auto& exec, const auto& csr) { return analyse(exec, csr, task.k, options); });
  product->matrix_bytes = task.matrix.bytes();
  product->stored_entries = task.matrix.nnz();
  const bool reordered = product->prepared().reordered();
  std::string reason = product->prepared().reason();
  return {std::move(product), reordered, std::move(reason)};
}

}  // namespace

Ordered prepare_ordered(std::string_view backend, const Case& task, const Ordering& ordering) {
  const Choice choice{std::string(ordered_kernel), task.policy, task.packed};
  const PlanOptions options{.layout = task.layout,
                            .products = ordering.products,
                            .choice = choice,
                            .machine = machine(backend),
                            .order = ordering.order,
                            .format = task.options};
  Ordered result;
  for_each_backend([&](auto space) {
    using Space = typename decltype(space)::Space;
    if (backend != space.name) return;
    result = with_layout(task.layout, [&]<class KokkosLayout>(KokkosLayout) {
      return ordered<Space, KokkosLayout>(task, options);
    });
  });
  return result;
}

RowOrder order_of(std::string_view name) {
  if (name == "none") return RowOrder::none;
  if (name == "rcm") return RowOrder::rcm;
  if (name == "automatic") return RowOrder::automatic;
  throw UsageError(
      detail::concat("unknown order '", name, "'; there are none, rcm and automatic."));
}

}  // namespace fatvec::product
