// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include <fatvec/algebra/detail/task.hpp>

/// gram() and update() by cuBLAS, where fatvec::kernels was built with it. Its headers are included
/// by cublas.cpp alone.
namespace fatvec::detail::tall {

#if defined(FATVEC_HAVE_CUBLAS)

template <class T>
inline constexpr bool is_of_blas =
    std::is_same_v<T, float> || std::is_same_v<T, double> ||
    std::is_same_v<T, Kokkos::complex<float>> || std::is_same_v<T, Kokkos::complex<double>>;
template <class ExecSpace, class Sum, class T>
inline constexpr bool has_cublas_form =
    std::is_same_v<ExecSpace, Kokkos::Cuda> && std::is_same_v<Sum, T> && is_of_blas<T>;

/// Enqueues the call and returns true; or does nothing and returns false: few columns, for which
/// the portable form is faster, operands that are neither row-major nor column-major, more than
/// 2³¹ - 1 rows, and an instance that is captured before cuBLAS was prepared for it. T: float,
/// double, Kokkos::complex of them. Throws Error where cuBLAS reports one.
template <class T>
bool gram_by_cublas(const Kokkos::Cuda& exec, const GramTask<T, T>& task);
template <class T>
bool update_by_cublas(const Kokkos::Cuda& exec, const UpdateTask<T>& task);

/// Allocates what calls on this instance with up to `columns` columns want of cuBLAS.
void prepare_cublas(const Kokkos::Cuda& exec, std::int64_t columns);

#else

template <class ExecSpace, class Sum, class T>
inline constexpr bool has_cublas_form = false;

#endif

}  // namespace fatvec::detail::tall
