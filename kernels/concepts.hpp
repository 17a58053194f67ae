// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include <fatvec/formats/concepts.hpp>

namespace fatvec {

/// A kernel multiplies one format, written once for every backend. Beside what is checked here it has
///
///     template <Scalar, Ordinal, Device, Offset> using Matrix     the format it works on
///     static void run(exec, policy, matrix, x, epilogue, k)       launches on exec: no allocation, no fence
///     static std::optional<std::string> unsupported(exec, k)      why it cannot run there, if so
///
/// and is registered by one line in kernels/registry.hpp.
template <class K>
concept SpmmKernel = SparseFormat<typename K::template Matrix<double, int, Kokkos::DefaultExecutionSpace, int>> &&
    std::default_initializable<typename K::Policy> && requires(const typename K::Policy& policy) {
  { K::name } -> std::convertible_to<std::string_view>;
  { policy.to_string() } -> std::convertible_to<std::string>;
  K::Policy::tuning_range();
};

}  // namespace fatvec
