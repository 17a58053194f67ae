// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <fatvec/kernels/registry.hpp>

namespace fatvec {
namespace detail {

/// The first registered kernel of a format.
template <class Matrix, class Kernel, class... Others>
auto first_kernel(TypeList<Kernel, Others...>) {
  if constexpr (std::string_view(Matrix::name) == std::string_view(SampleMatrix<Kernel>::name))
    return Kernel{};
  else
    return first_kernel<Matrix>(TypeList<Others...>{});
}

}  // namespace detail

/// The policy table: run(kernel) with the kernel that is chosen for a format, k and the backend
/// where the caller names none. matrix need only know its rows() and nnz(), so that a choice can be
/// made before a conversion.
template <class Format, class ExecSpace, class Matrix, class Run>
void with_default_kernel(const ExecSpace&, const Matrix&, std::int64_t, const Run& run) {
  run(detail::first_kernel<Format>(AllKernels{}));
}

}  // namespace fatvec
