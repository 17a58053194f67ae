// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <fatvec/core/error.hpp>
#include <fatvec/kernels/concepts.hpp>
#include <fatvec/registered_formats.hpp>

namespace fatvec {

/// A list of types, as a value.
template <class... Ts>
struct TypeList {
  static constexpr std::size_t size = sizeof...(Ts);
};

/// Every kernel, of the list kernels/registry.cmake. Formats, tests, benchmarks and help texts
/// follow from it.
using AllKernels = TypeList<FATVEC_REGISTERED_KERNELS>;

namespace detail {

template <class Kernel>
using SampleMatrix =
    typename Kernel::template Matrix<double, int, Kokkos::DefaultExecutionSpace, int>;

template <SpmmKernel... Kernels>
consteval std::array<std::string_view, sizeof...(Kernels)> kernel_names(TypeList<Kernels...>) {
  return {Kernels::name...};
}

template <SpmmKernel... Kernels>
consteval std::array<std::string_view, sizeof...(Kernels)> kernel_formats(TypeList<Kernels...>) {
  return {SampleMatrix<Kernels>::name...};
}

template <SpmmKernel... Kernels>
consteval std::array<bool, sizeof...(Kernels)> portable_kernels(TypeList<Kernels...>) {
  return {is_portable<Kernels>...};
}

template <std::size_t n>
consteval bool all_different(const std::array<std::string_view, n>& names) {
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (names[a] == names[b]) return false;
  return true;
}

}  // namespace detail

/// Names of all kernels.
inline constexpr auto kernel_names = detail::kernel_names(AllKernels{});
/// The name of each kernel's format, in the same order.
inline constexpr auto kernel_formats = detail::kernel_formats(AllKernels{});
/// Whether each kernel is one of the portable ones, in the same order.
inline constexpr auto kernel_is_portable = detail::portable_kernels(AllKernels{});
static_assert(detail::all_different(kernel_names), "two kernels have the same name");

namespace detail {
template <class F, class... Kernels>
void for_each_kernel(const F& f, TypeList<Kernels...>) {
  (f(Kernels{}), ...);
}
}  // namespace detail

/// f(kernel) for every registered kernel, as a value of its type.
template <class F>
void for_each_kernel(const F& f) {
  detail::for_each_kernel(f, AllKernels{});
}

}  // namespace fatvec
