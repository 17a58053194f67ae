// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <fatvec/algebra/detail/cublas.hpp>
#include <fatvec/algebra/detail/host_gram.hpp>
#include <fatvec/algebra/detail/host_update.hpp>
#include <fatvec/algebra/detail/portable.hpp>
#include <fatvec/core/execution.hpp>
#include <fatvec/core/instantiate.hpp>

/// Which form a call takes: that of CPUs for float and double, cuBLAS's for many columns on GPUs,
/// else the portable one.
namespace fatvec::detail::tall {

template <class ExecSpace, class Sum, class T>
inline constexpr bool has_host_form =
#if defined(FATVEC_HAS_GNU_VECTORS) && !defined(FATVEC_PORTABLE_ONLY)
    is_host<ExecSpace> && HasRegisters<Sum> && HasRegisters<T>;
#else
    false;
#endif

template <class ExecSpace, class Sum>
std::int64_t room(const ExecSpace& exec, std::int64_t k, std::int64_t m) {
#if defined(FATVEC_HAS_GNU_VECTORS)
  if constexpr (has_host_form<ExecSpace, Sum, Sum>)
    return exec.concurrency() * HostGram<Sum, Sum>::share(k, m);
#endif
  return portable_room(exec, k, m);
}

/// Makes what the first of such calls on exec would have to allocate.
template <class ExecSpace, class Sum>
void prepare(const ExecSpace& exec, std::int64_t k, std::int64_t m) {
  if constexpr (has_cublas_form<ExecSpace, Sum, Sum>) prepare_cublas(exec, std::min(k, m));
}

template <class ExecSpace, class Sum, class T>
void launch_gram(const ExecSpace& exec, const GramTask<Sum, T>& task) {
#if defined(FATVEC_HAS_GNU_VECTORS)
  if constexpr (has_host_form<ExecSpace, Sum, T>) {
    using Gram = HostGram<Sum, T>;
    const std::int64_t share = Gram::share(task.k, task.m);
    // With very many columns packing pays.
    const bool by_columns = task.x.row_stride == 1 && task.y.row_stride == 1 &&
                            std::min(task.k, task.m) <= Gram::most_in_columns;
    Gram gram{task, 0, by_columns};
    const std::int64_t shares = shares_of(
        task.rows, 1024, std::min<std::int64_t>(exec.concurrency(), task.capacity / share));
    gram.share_rows = rounded_up((task.rows + shares - 1) / shares, Gram::column_block);
    Kokkos::parallel_for("fatvec::gram", Range<ExecSpace>(exec, 0, shares).set_chunk_size(1), gram);
    return join_shares(
        exec, JoinShares<Sum>{task.room, shares, share, Gram::g_step(task.m), task.g, task.m},
        task.k);
  }
#endif
  if constexpr (has_cublas_form<ExecSpace, Sum, T>)
    if (gram_by_cublas(exec, task)) return;
  portable_gram(exec, task);
}

template <class ExecSpace, class T>
void launch_update(const ExecSpace& exec, const UpdateTask<T>& task) {
  if (task.rows == 0 || task.m == 0) return;
#if defined(FATVEC_HAS_GNU_VECTORS)
  if constexpr (has_host_form<ExecSpace, T, T>) {
    using Update = HostUpdate<T>;
    const bool by_columns = task.x.row_stride == 1 && task.y.row_stride == 1;
    const std::int64_t stride = by_columns ? task.y.column_stride : task.y.row_stride;
    const bool gapless = !by_columns && task.y.column_stride == 1 && stride == task.m &&
                         task.m <= Update::width &&
                         8 * task.m % Update::lanes == 0;  // 8 rows are whole vectors
    const bool lines = reinterpret_cast<std::uintptr_t>(task.y.data) % simd_bytes == 0 &&
                       (gapless || stride * sizeof(T) % simd_bytes == 0);
    const std::int64_t shares = shares_of(task.rows, 1024, 8 * std::int64_t{exec.concurrency()});
    const std::int64_t rows = rounded_up((task.rows + shares - 1) / shares, Update::rows_of_block);
    const bool large = task.rows * task.m * std::int64_t{sizeof(T)} > streaming_bytes;
    Kokkos::parallel_for(
        "fatvec::update",
        Range<ExecSpace>(exec, 0, (task.rows + rows - 1) / rows).set_chunk_size(1),
        Update{task, rows, by_columns, large && lines && task.beta == T{}, gapless});
    return;
  }
#endif
  if constexpr (has_cublas_form<ExecSpace, T, T>)
    if (update_by_cublas(exec, task)) return;
  portable_update(exec, task);
}

}  // namespace fatvec::detail::tall

#define FATVEC_ALGEBRA(how, Space, Scalar)                                  \
  how template void fatvec::detail::tall::launch_gram(                      \
      const Space&, const fatvec::detail::tall::GramTask<Scalar, Scalar>&); \
  how template void fatvec::detail::tall::launch_update(                    \
      const Space&, const fatvec::detail::tall::UpdateTask<Scalar>&);
FATVEC_EXTERN_FOR_SCALARS(FATVEC_ALGEBRA)
