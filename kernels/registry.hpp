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

/// of(kernel) for each of them, as a value of its type.
template <class Of, SpmmKernel... Kernels>
consteval auto of_kernels(const Of& of, TypeList<Kernels...>) {
  return std::array{of(Kernels{})...};
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
inline constexpr auto kernel_names =
    detail::of_kernels([](auto kernel) { return std::string_view(kernel.name); }, AllKernels{});
/// The name of each kernel's format, in the same order.
inline constexpr auto kernel_formats = detail::of_kernels(
    []<class Kernel>(Kernel) { return std::string_view(detail::SampleMatrix<Kernel>::name); },
    AllKernels{});
/// Whether each kernel is one of the portable ones, in the same order.
inline constexpr auto kernel_is_portable =
    detail::of_kernels([]<class Kernel>(Kernel) { return is_portable<Kernel>; }, AllKernels{});
static_assert(detail::all_different(kernel_names), "two kernels have the same name");

/// f(kernel) for every registered kernel, as a value of its type.
template <class F>
void for_each_kernel(const F& f) {
  [&]<class... Kernels>(TypeList<Kernels...>) { (f(Kernels{}), ...); }(AllKernels{});
}

}  // namespace fatvec
