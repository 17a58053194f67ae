// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace fatvec::detail {

template <class ExecSpace>
using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>>;

/// Whether ExecSpace is a host backend (Serial, OpenMP, Threads, HPX): the executor whose kernels,
/// conversions and measurements it gets. Others are devices.
template <class ExecSpace>
inline constexpr bool is_host = std::is_same_v<typename ExecSpace::memory_space, Kokkos::HostSpace>;

/// Whether a kernel on ExecSpace has ended when its launch returns, so that the caller may as well
/// do the work itself.
template <class ExecSpace>
inline constexpr bool is_synchronous = is_host<ExecSpace>;
#if defined(KOKKOS_ENABLE_HPX)
template <>
inline constexpr bool is_synchronous<Kokkos::Experimental::HPX> = false;
#endif

}  // namespace fatvec::detail
