// SPDX-License-Identifier: Apache-2.0
#include <fatvec/kernels/registry.hpp>

#include "oracle.hpp"
#include "with_layout.hpp"

namespace fatvec::test {
namespace {

class FusedProduct : public testing::TestWithParam<std::string> {};

/// By the kernel of each format, of matrices that are prepared, as users' programs have it.
TEST_P(FusedProduct, IsThatOfTheOracleInEveryFormat) {
  const HostMatrix host = narrow(zoo_matrix(GetParam()));
  const auto csr = mirror<Exec>(host);
  const Exec exec;
  for (const bool row_major : {false, true}) {
    FormatOptions options;
    options.hack_size = row_major ? 7 : 32;
    options.slice_size = row_major ? 7 : 0;
    options.block_size = row_major ? 1 : 3;
    for_each_kernel([&](auto kernel) {
      using Kernel = decltype(kernel);
      using Format = typename Kernel::template Matrix<double, std::int32_t, Exec, std::int32_t>;
      if constexpr (std::is_same_v<typename DefaultKernel<Format>::type, Kernel>) {
        SCOPED_TRACE(Kernel::name);
        with_layout<Format>(row_major, [&]<class M>(std::type_identity<M>) {
          const auto a = prepare(exec, M::from_csr(exec, csr, options), 130);
          for_cases(host, [&](const auto& one) {
            one.check([&](auto alpha, const auto& x, auto beta, const auto& y,
                          const auto&... parts) { spmm(exec, alpha, a, x, beta, y, parts...); });
          });
        });
      }
    });
    if (HasFailure()) return;
  }
}

/// By a plan, which may pack, and has the workspace.
TEST_P(FusedProduct, IsThatOfTheOracleByAPlan) {
  const HostMatrix host = narrow(zoo_matrix(GetParam()));
  const auto csr = mirror<Exec>(host);
  const Exec exec;
  for (const char* const kernel : {"csr-row", "sell-row", "bsr-row", "csr-portable"}) {
    PlanOptions options;
    options.choice = Choice{.kernel = kernel, .packed = true};
    options.layout = Layout::column;
    options.machine = Machine{};
    const auto plan = analyse(exec, csr, 130, options);
    for_cases(host, [&](const auto& one) {
      one.check([&](auto alpha, const auto& x, auto beta, const auto& y, const auto&... parts) {
        spmm(exec, alpha, plan, x, beta, y, parts...);
      });
    });
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, FusedProduct, testing::ValuesIn(zoo()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace fatvec::test
