// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Core.hpp>

#include <fatvec/app/dispatch/backends.hpp>
#include <fatvec/app/dispatch/compare_backends.hpp>
#include <fatvec/formats/concepts.hpp>

namespace fatvec::product {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

template <class Space>
TransferBandwidth measured(const Space& exec) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  constexpr const char* label = "fatvec::product::transfer_bandwidth";
  const auto device =
      detail::allocate_zeros<Kokkos::View<char*, typename Space::memory_space>>(exec, label, bytes);
  const auto host =
      detail::allocate_zeros<Kokkos::View<char*, Kokkos::HostSpace>>(Host(), label, bytes);
  const auto fastest = [&](const auto& to, const auto& from) {
    double best = 0;
    for (int n = 0; n < 5; ++n) {
      exec.fence(label);
      const Kokkos::Timer timer;
      Kokkos::deep_copy(exec, to, from);
      exec.fence(label);
      best = std::max(best, static_cast<double>(bytes) / timer.seconds() * 1e-9);
    }
    return best;
  };
  return {fastest(device, host), fastest(host, device)};
}

}  // namespace

TransferBandwidth transfer_bandwidth(std::string_view backend) {
  TransferBandwidth found;
  for_each_backend([&](auto space) {
    using Space = typename decltype(space)::Space;
    if constexpr (!Kokkos::SpaceAccessibility<Host, typename Space::memory_space>::accessible) {
      if (backend == space.name) found = measured(Space());
    }
  });
  return found;
}

}  // namespace fatvec::product
