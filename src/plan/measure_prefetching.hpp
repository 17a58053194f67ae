// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/formats/csr.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/kernels/host/prefetch.hpp>

/// From which size of X on prefetching its rows pays on this CPU.
namespace fatvec::detail {

/// Rows of `length` entries in random columns.
template <class Offsets, class Ordinals>
struct FillRandomRows {
  Offsets row_map;
  Ordinals entries;
  std::uint64_t columns;
  std::int64_t length;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    row_map(i + 1) = static_cast<std::int32_t>((i + 1) * length);
    for (std::int64_t n = i * length; n < (i + 1) * length; ++n) {
      auto random = static_cast<std::uint64_t>(n) * 0x9e3779b97f4a7c15ULL;
      random = (random ^ (random >> 29)) * 0xbf58476d1ce4e5b9ULL;
      entries(n) = static_cast<std::int32_t>((random >> 32) * columns >> 32);
    }
  }
};

/// Whether products with an X of this size are faster with its rows prefetched.
template <class ExecSpace>
bool prefetching_pays(const ExecSpace& exec, double bytes_of_x) {
  using Csr = CsrMatrix<double, std::int32_t, ExecSpace>;
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, ExecSpace>;
  constexpr std::int64_t k = 8;  // a row is a cache line
  constexpr std::int64_t row_length = 16;
  constexpr int rounds = 5;
  const auto x_rows =
      std::max<std::int64_t>(static_cast<std::int64_t>(bytes_of_x / (k * sizeof(double))), 1);
  const std::int64_t rows = std::max<std::int64_t>(x_rows / row_length, 4096);
  constexpr const char* label = "fatvec::measure_prefetching";
  using Offsets = typename Csr::Offsets;
  using Ordinals = typename Csr::Ordinals;
  const auto row_map = allocate_zeros<Offsets>(exec, label, rows + 1);
  const auto entries = allocate_zeros<Ordinals>(exec, label, rows * row_length);
  Kokkos::parallel_for(label, Range<ExecSpace>(exec, 0, rows),
                       FillRandomRows<Offsets, Ordinals>{
                           row_map, entries, static_cast<std::uint64_t>(x_rows), row_length});
  const Csr a(static_cast<std::int32_t>(rows), static_cast<std::int32_t>(x_rows), row_map, entries,
              allocate_zeros<typename Csr::Scalars>(exec, label, rows * row_length));
  const auto x = allocate_zeros<Vectors>(exec, label, x_rows, k);
  const auto y = allocate_zeros<Vectors>(exec, label, rows, k);
  const auto seconds = [&](std::int64_t beyond) {
    host::prefetched_beyond() = beyond;
    exec.fence(label);
    const Kokkos::Timer timer;
    spmm(exec, 1.0, a, x, 0.0, y);
    exec.fence(label);
    return timer.seconds();
  };
  const std::int64_t before = host::prefetched_beyond();
  double without = 1e30;
  double with = 1e30;
  for (int round = 0; round < rounds; ++round) {  // in turns: both have the same disturbances
    without = std::min(without, seconds(std::numeric_limits<std::int64_t>::max()));
    with = std::min(with, seconds(0));
  }
  host::prefetched_beyond() = before;
  constexpr double least_gain = 1.05;
  return least_gain * with < without;
}

/// Bytes of X beyond which prefetching its rows pays: a little below the first of an eighth, a
/// quarter, a half and the whole of the last-level cache for which it does; twice the cache where
/// it does for none. Where X of more than `affordable` bytes were wanted, or more than a second, it
/// stays what it was. Meanwhile products of other threads prefetch by chance.
template <class ExecSpace>
std::int64_t measure_prefetching(const ExecSpace& exec, double cache_bytes, double affordable) {
  constexpr double most_seconds = 1;
  const Kokkos::Timer timer;
  for (double bytes = cache_bytes / 8; bytes <= cache_bytes; bytes *= 2) {
    if (bytes > affordable || timer.seconds() > most_seconds) return host::prefetched_beyond();
    if (prefetching_pays(exec, bytes)) return static_cast<std::int64_t>(0.7 * bytes);
  }
  return static_cast<std::int64_t>(2 * cache_bytes);
}

}  // namespace fatvec::detail
