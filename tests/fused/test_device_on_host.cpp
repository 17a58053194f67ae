// SPDX-License-Identifier: Apache-2.0
#include <fatvec/kernels/registry.hpp>

#include "multiply_with.hpp"
#include "oracle.hpp"

/// What devices do, on a host space: teams of lanes, long rows by whole teams.
namespace fatvec::test {
namespace {

class FusedDeviceKernel : public testing::TestWithParam<std::string> {};

/// A fused product with a policy of devices.
template <class Kernel, class M>
void check_on_devices(const HostMatrix& host, const Prepared<M>& a,
                      const typename Kernel::DevicePolicy& policy = {},
                      const std::vector<std::int64_t>& ks = {1, 2, 3, 4, 5, 7, 13, 16, 64, 130}) {
  const Exec exec;
  const fused::Workspace<Exec> workspace(exec, 130, 2);
  for_cases(
      host,
      [&](const auto& one) {
        one.check([&](auto alpha, const auto& x, auto beta, const auto& y, const auto&... parts) {
          detail::SumsOnHost<double> on_host;
          const auto output = detail::fused_output<Exec, double>(a, alpha, beta, y, a.rows(),
                                                                 on_host, parts..., workspace);
          const std::int64_t k = multivector_columns(x);
          detail::run_fused(exec, output, a.rows(), k, [&](const auto& to) {
            detail::launch<Kernel>(exec, policy, detail::slots_of(a), detail::operand_of(x), to, k);
          });
        });
      },
      ks);
}

template <class Kernel>
void check_kernel(const std::string& name) {
  using Matrix = typename Kernel::template Matrix<double, std::int32_t, Exec, std::int32_t>;
  const HostMatrix host = narrow(zoo_matrix(name));
  FormatOptions options;
  options.block_size = 3;
  const auto matrix = Matrix::from_csr(Exec(), mirror<Exec>(host), options);
  check_on_devices<Kernel>(host,
                           prepared_for<Kernel, typename Kernel::DevicePolicy>(Exec(), matrix));
  check_on_devices<Kernel>(host, Prepared<Matrix>(matrix));  // nothing is known of long rows
}

TEST_P(FusedDeviceKernel, OfCsrGivesWhatTheOracleSays) {
  check_kernel<CsrRow>(GetParam());
}
TEST_P(FusedDeviceKernel, OfInterleavedRowsGivesWhatTheOracleSays) {
  check_kernel<HllRow>(GetParam());
}
TEST_P(FusedDeviceKernel, OfBlocksGivesWhatTheOracleSays) {
  check_kernel<BsrRow>(GetParam());
}
TEST_P(FusedDeviceKernel, OfVisitedRowsGivesWhatTheOracleSays) {
  check_kernel<BitTcfWindow>(GetParam());
}
TEST_P(FusedDeviceKernel, OfRowsUnderMasksGivesWhatTheOracleSays) {
  check_kernel<SlicedDiaRow>(GetParam());
}

TEST_P(FusedDeviceKernel, GivesWhatTheOracleSaysInEveryPolicy) {
  const HostMatrix host = narrow(zoo_matrix(GetParam()));
  for (const auto& policy : CsrRow::DevicePolicy::tuning_range()) {
    SCOPED_TRACE(policy.to_string());
    check_on_devices<CsrRow>(host, Prepared<CsrMatrix<double>>(mirror<Exec>(host)), policy,
                             {1, 3, 16, 130});
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, FusedDeviceKernel, testing::ValuesIn(zoo()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace fatvec::test
