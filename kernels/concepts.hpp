// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/concepts.hpp>

namespace fatvec {

/// A kernel multiplies one format, written once for every backend. Beside what is checked here it
/// has
///
///     template <Scalar, Ordinal, Device, Offset> using Matrix     the format it works on
///     static void run(exec, policy, matrix, x, epilogue, k)       launches on exec: no allocation, no fence
///     static std::optional<std::string> unsupported(exec, k)      why it cannot run there, if so
///     template <on_cpu, Matrix> static bool writes_columns(policy, k)   whether with row-major X of k columns it writes a
///                                                                 column-major Y at less than a row-major Y and a copy cost
///                                                                 (may be left out: no)
///     template <Scalar> static bool suits(exec)                   whether plans should think of it (may be left out: yes)
///
/// and is registered by one line in kernels/registry.hpp.
template <class K>
concept SpmmKernel =
    SparseFormat<typename K::template Matrix<double, int, Kokkos::DefaultExecutionSpace, int>> &&
    std::default_initializable<typename K::Policy> && requires(const typename K::Policy& policy) {
      { K::name } -> std::convertible_to<std::string_view>;
      { policy.to_string() } -> std::convertible_to<std::string>;
      K::Policy::tuning_range();
    };

/// What the kernel says of that for a format on CPUs or GPUs.
template <SpmmKernel Kernel, bool on_cpu, class Matrix>
bool writes_columns(const typename Kernel::Policy& policy, std::int64_t k) {
  if constexpr (requires { Kernel::template writes_columns<on_cpu, Matrix>(policy, k); })
    return Kernel::template writes_columns<on_cpu, Matrix>(policy, k);
  else
    return false;
}

/// Whether a plan for elements Scalar on exec should think of the kernel at all.
template <SpmmKernel Kernel, class Scalar, class ExecSpace>
bool suits(const ExecSpace& exec) {
  if constexpr (requires { Kernel::template suits<Scalar>(exec); })
    return Kernel::template suits<Scalar>(exec);
  else
    return true;
}

/// The policy of a kernel's tuning range that prints itself as `text`; the default for an empty
/// text. Throws UsageError, listing the range, for others.
template <SpmmKernel Kernel>
typename Kernel::Policy policy_of(std::string_view text) {
  if (text.empty()) return {};
  std::string known;
  for (const auto& policy : Kernel::Policy::tuning_range()) {
    if (policy.to_string() == text) return policy;
    known.append(" ").append(policy.to_string());
  }
  throw UsageError("kernel " + std::string(Kernel::name) + " has no policy '" + std::string(text) +
                   "'; there are:" + known);
}

}  // namespace fatvec
