// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/dispatch/ordered.hpp>

#include <fatvec/app/dispatch/backends.hpp>
#include <fatvec/app/dispatch/measure.hpp>
#include <fatvec/app/dispatch/operands.hpp>
#include <fatvec/plan/plan.hpp>

namespace fatvec::product {
namespace {

/// A plan with X and Y beside it.
template <class ExecSpace, class KokkosLayout>
class PlanProduct final : public Product {
 public:
  using Csr = CsrMatrix<double, std::int32_t, ExecSpace, std::int32_t>;

  PlanProduct(const Case& task, const PlanOptions& options)
      : plan_(planned(task, options)), dense_(task) {
    matrix_bytes = task.matrix.bytes();
    stored_entries = task.matrix.nnz();
  }
  void load(const HostMultivector& x, const HostMultivector& y) override {
    dense_.copy_in(dense_.x, x);
    dense_.copy_in(dense_.y, y);
  }
  double run(double alpha, double beta) override {
    return timed(exec_, [&] { spmm(exec_, alpha, plan_, dense_.x, beta, dense_.y); });
  }
  void store(const HostMultivector& y) const override { dense_.copy_out(y, dense_.y); }
  [[nodiscard]] const auto& plan() const { return plan_; }

 private:
  auto planned(const Case& task, const PlanOptions& options) {
    const Csr csr = mirror<ExecSpace>(task.matrix);
    exec_.fence("fatvec::product::prepare");
    const Kokkos::Timer timer;
    auto plan = analyse(exec_, csr, task.k, options);
    setup_seconds = timer.seconds();
    return plan;
  }

  ExecSpace exec_;
  CsrPlan<double, std::int32_t, ExecSpace, std::int32_t> plan_;
  DenseOperands<double, ExecSpace, KokkosLayout> dense_;
};

template <class ExecSpace, class KokkosLayout>
Ordered ordered(const Case& task, const PlanOptions& options) {
  auto product = std::make_unique<PlanProduct<ExecSpace, KokkosLayout>>(task, options);
  const bool reordered = product->plan().reordered();
  std::string reason = product->plan().reason();
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
    result = task.layout == Layout::row ? ordered<Space, Kokkos::LayoutRight>(task, options)
                                        : ordered<Space, Kokkos::LayoutLeft>(task, options);
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
