// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <fatvec/core/error.hpp>
#include <fatvec/core/execution.hpp>
#include <fatvec/formats/concepts.hpp>

namespace fatvec {

/// Whether kernels are specialised for CPUs and GPUs: CMake's option FATVEC_SPECIALISED. Otherwise
/// all of them are the portable kernel, under their own names.
#if defined(FATVEC_PORTABLE_ONLY)
inline constexpr bool specialised = false;
#else
inline constexpr bool specialised = true;
#endif

/// How a kernel cuts up its work, as data: zeros leave the choice to the kernel. tuning_range() is
/// what `fatvec tune` tries, and `fatvec-bench --sweep` of portable kernels.
template <class P>
concept KernelPolicy = std::default_initializable<P> && requires(const P& policy) {
  { policy.to_string() } -> std::convertible_to<std::string>;
  P::tuning_range();
};

/// A kernel multiplies one format, on hosts with a HostPolicy and on devices with a DevicePolicy
/// (the same type where they do not differ). Beside what is checked here it has
///
///     template <Scalar, Ordinal, Device, Offset> using Matrix     the format it works on
///     static void run(exec, policy, slots, x, output, k)          launches on exec: no allocation, no fence;
///                                                                 slots is detail::slots_of(matrix); the type of x
///                                                                 says whether its columns lie side by side; each
///                                                                 row's sums go to the output (shared/output.hpp)
///     template <Matrix, T> static bool stores_column_major(policy, k)
///                                                                 whether with row-major X of k columns it writes a
///                                                                 column-major Y at less than a row-major Y and a copy
///                                                                 cost, both of T (may be left out: no)
///     template <Scalar> static bool is_recommended(exec)          whether plans should think of it (may be left out: yes, but of no portable one)
///     template <Scalar> static bool heeds_policy(exec)            whether its policies differ there (may be left out: yes)
///
/// for each of its policies. A line of kernels/registry.cmake registers it, and has it compiled
/// once.
template <class K>
concept SpmmKernel =
    SparseFormat<typename K::template Matrix<double, int, Kokkos::DefaultExecutionSpace, int>> &&
    KernelPolicy<typename K::HostPolicy> && KernelPolicy<typename K::DevicePolicy> && requires {
      { K::name } -> std::convertible_to<std::string_view>;
    };

/// The policy that a kernel takes on ExecSpace.
template <class Kernel, class ExecSpace>
using PolicyOn = std::conditional_t<detail::is_host<ExecSpace>, typename Kernel::HostPolicy,
                                    typename Kernel::DevicePolicy>;

namespace detail {

/// The label of a kernel's launches, "fatvec::csr-row", and its name, which is the end of it.
struct KernelLabel {
  static constexpr std::string_view space = "fatvec::";
  char text[48] = {};
  std::size_t length = 0;
  [[nodiscard]] constexpr std::string_view name() const {
    return {text + space.size(), length - space.size()};
  }
};

template <template <class...> class Format>
consteval KernelLabel label_of(std::string_view suffix) {
  KernelLabel label;
  const auto add = [&](std::string_view part) {
    for (const char letter : part) label.text[label.length++] = letter;
  };
  add(KernelLabel::space);
  add(Format<double, int, Kokkos::DefaultExecutionSpace, int>::name);
  add(suffix);
  return label;
}

}  // namespace detail

/// The kernel that spmm() takes for a format where none is named, as `type`: each page of a format
/// in kernels/ specialises it.
template <class Matrix>
struct DefaultKernel {
  static_assert(!SparseFormat<Matrix>,
                "no kernel for this format: include its page, <fatvec/kernels/FORMAT.hpp>, or "
                "<fatvec/fatvec.hpp>");
};

/// Whether the kernel is one source for every backend (kernels/portable): what the specialised ones
/// are measured by.
template <SpmmKernel Kernel>
inline constexpr bool is_portable = requires { Kernel::portable; };

/// The kernel, as `type`, that takes a kernel's place where sums over rows are formed of what is
/// stored (shared/partial_sums.hpp): in its launches each part of the rows adds to a place of its
/// own. The page of a kernel specialises it; one without cannot be fused with sums.
template <class Kernel>
struct ReducingKernel {
  static_assert(sizeof(Kernel) == 0,
                "this kernel forms no sums over rows: specialise fatvec::ReducingKernel");
};

/// What the kernel says of that for a format, X and Y of T, which may be another scalar than A's,
/// and a policy.
template <SpmmKernel Kernel, class Matrix, class T, class Policy>
bool stores_column_major(const Policy& policy, std::int64_t k) {
  if constexpr (requires { Kernel::template stores_column_major<Matrix, T>(policy, k); })
    return Kernel::template stores_column_major<Matrix, T>(policy, k);
  else
    return false;
}

/// Whether a plan for elements Scalar on exec, of a matrix with values Value, should think of the
/// kernel at all.
template <SpmmKernel Kernel, class Scalar, class Value = Scalar, class ExecSpace>
bool is_recommended(const ExecSpace& exec) {
  if constexpr (is_portable<Kernel>)
    return false;
  else if constexpr (requires { Kernel::template is_recommended<Scalar, Value>(exec); })
    return Kernel::template is_recommended<Scalar, Value>(exec);
  else if constexpr (requires { Kernel::template is_recommended<Scalar>(exec); })
    return Kernel::template is_recommended<Scalar>(exec);
  else
    return true;
}

/// Whether the policies of the kernel for elements Scalar differ on exec; otherwise all of them are
/// the same launch, and one need not be compared with another.
template <SpmmKernel Kernel, class Scalar, class ExecSpace>
bool heeds_policy(const ExecSpace& exec) {
  if constexpr (requires { Kernel::template heeds_policy<Scalar>(exec); })
    return Kernel::template heeds_policy<Scalar>(exec);
  else
    return true;
}

/// The policy on ExecSpace that prints itself as `text`, of the kernel's tuning range; the default
/// for an empty text. Throws UsageError, listing the range, for others.
template <SpmmKernel Kernel, class ExecSpace>
PolicyOn<Kernel, ExecSpace> policy_of(std::string_view text) {
  if (text.empty()) return {};
  std::string known;
  for (const auto& policy : PolicyOn<Kernel, ExecSpace>::tuning_range()) {
    if (policy.to_string() == text) return policy;
    known.append(" ").append(policy.to_string());
  }
  throw UsageError("kernel " + std::string(Kernel::name) + " has no policy '" + std::string(text) +
                   "' on " + ExecSpace::name() + "; there are:" + known);
}

}  // namespace fatvec
