// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/dispatch/backends.hpp>
#include <fatvec/app/dispatch/operands.hpp>
#include <fatvec/app/dispatch/symmetric.hpp>
#include <fatvec/kernels/symmetric.hpp>

namespace fatvec::product {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// One triangle, with X and Y beside it.
template <class KokkosLayout>
class SymmetricOnHost final : public Product {
 public:
  explicit SymmetricOnHost(const Case& task) : prepared_(converted(task)), dense_(task) {
    matrix_bytes = prepared_.bytes();
    stored_entries = prepared_.stored_entries();
  }
  void load(const HostMultivector& x, const HostMultivector& y) override {
    dense_.copy_in(dense_.x, x);
    dense_.copy_in(dense_.y, y);
  }
  double run(double alpha, double beta) override {
    return timed(exec_, [&] { spmm(exec_, alpha, prepared_, dense_.x, beta, dense_.y); });
  }
  void store(const HostMultivector& y) const override { dense_.copy_out(y, dense_.y); }

 private:
  using Matrix = SymmetricMatrix<double, std::int32_t, Host, std::int32_t>;

  PreparedSymmetric<Matrix> converted(const Case& task) {
    const Kokkos::Timer timer;
    auto prepared =
        prepare<double>(exec_, fatvec::symmetric(exec_, task.matrix, task.options), task.k);
    exec_.fence("fatvec::product::prepare");
    setup_seconds = timer.seconds();
    return prepared;
  }

  Host exec_;
  PreparedSymmetric<Matrix> prepared_;
  DenseOperands<double, Host, KokkosLayout> dense_;
};

}  // namespace

std::unique_ptr<Product> prepare_symmetric(std::string_view backend, const Case& task) {
  bool on_host = false;
  for_each_backend([&](auto space) {
    if (backend == space.name) on_host = std::is_same_v<typename decltype(space)::Space, Host>;
  });
  if (!on_host)
    throw UsageError(detail::concat("symmetric storage is multiplied on CPUs, not on the backend ",
                                    backend,
                                    ". Choose another --backend, or leave --symmetric out."));
  if (task.layout == Layout::row)
    return std::make_unique<SymmetricOnHost<Kokkos::LayoutRight>>(task);
  return std::make_unique<SymmetricOnHost<Kokkos::LayoutLeft>>(task);
}

}  // namespace fatvec::product
