// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <concepts>
#include <set>
#include <string>

#include <fatvec/kernels/registry.hpp>

/// What `fatvec tune` and the benchmark's sweep try of each kernel.
namespace fatvec {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Whether threads of a device may share the rows of this kernel's format.
template <class Kernel>
constexpr bool entries_lie_side_by_side() {
  using Matrix = typename Kernel::template Matrix<double, int, Host, int>;
  if constexpr (requires(const Matrix& a) { a.block_access(); })
    return false;
  else if constexpr (detail::HasSlots<Matrix>)
    return Matrix::Rows::contiguous;
  else
    return false;
}

/// What a launch with much to do takes of a policy.
template <class Kernel, class Policy>
std::string launch_of(const Policy& policy, bool host) {
  constexpr std::int64_t k = 64;
  if constexpr (std::derived_from<Policy, portable::Choice>) {
    if (policy.form == portable::Form::team)
      return detail::concat("teams ", portable::team_width(host, policy.width));
    return portable::chosen(policy, {.host = host,
                                     .strided = false,
                                     .contiguous_rows = entries_lie_side_by_side<Kernel>(),
                                     .rows = 1'000'000,
                                     .mean_length = 50,
                                     .k = k})
        .to_string();
  } else if constexpr (std::same_as<Policy, host::Policy>) {
    return detail::concat(detail::parts_for(Host(), policy, 50'000'000, k), " parts");
  } else {
    return policy.to_string();
  }
}

template <class Kernel, class Policy>
void expect_different_launches(bool host) {
  std::set<std::string> launches;
  for (const Policy& policy : Policy::tuning_range())
    EXPECT_TRUE(launches.insert(launch_of<Kernel>(policy, host)).second)
        << Kernel::name << (host ? " on hosts: " : " on devices: ") << policy.to_string()
        << " is the launch of another policy";
}

TEST(Policies, OfATuningRangeAreDifferentLaunches) {
  for_each_kernel([](auto kernel) {
    using Kernel = decltype(kernel);
    if (heeds_policy<Kernel, double>(Host()))
      expect_different_launches<Kernel, typename Kernel::HostPolicy>(true);
    expect_different_launches<Kernel, typename Kernel::DevicePolicy>(false);
  });
}

TEST(Policies, ThatHostsLeaveAsideAreNotHeeded) {
  EXPECT_EQ((heeds_policy<CsrRow, double>(Host())), specialised);
  EXPECT_EQ((heeds_policy<BsrRow, double>(Host())), specialised);
  EXPECT_FALSE((heeds_policy<BsrRow, Kokkos::complex<double>>(Host())));
  EXPECT_TRUE((heeds_policy<CsrPortable, double>(Host())));
}

}  // namespace
}  // namespace fatvec
