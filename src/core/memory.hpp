// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include <fatvec/core/error.hpp>
#include <fatvec/core/memory_limits.hpp>

namespace fatvec {

/// Bytes that can still be allocated in MemorySpace, as the device driver tells it; on the host the
/// least of what Linux has available, what control groups (containers, batch systems) leave, and
/// what the limit of the address space leaves.
template <class MemorySpace>
std::uint64_t free_memory() {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<MemorySpace, Kokkos::CudaSpace>) {
    std::size_t free = 0;
    std::size_t total = 0;
    if (cudaMemGetInfo(&free, &total) == cudaSuccess) return free;
    return std::numeric_limits<std::uint64_t>::max();
  }
#endif
#if defined(KOKKOS_ENABLE_HIP)
  if constexpr (std::is_same_v<MemorySpace, Kokkos::HIPSpace>) {
    std::size_t free = 0;
    std::size_t total = 0;
    if (hipMemGetInfo(&free, &total) == hipSuccess) return free;
    return std::numeric_limits<std::uint64_t>::max();
  }
#endif
  return detail::free_host_memory();
}

/// Asks Linux for huge pages under a View in host memory that nobody has written to yet; elsewhere,
/// and under less than 4 MB, nothing is done. Returns the View. All matrices that fatvec allocates
/// are treated so; X and Y are the caller's:
///
///     const auto X = prefer_huge_pages(View(Kokkos::view_alloc(Kokkos::WithoutInitializing, "X"), n, k));
///
/// Where huge pages are given to those who ask (/sys/kernel/mm/transparent_hugepage/enabled says
/// madvise), a product with one or two columns, which streams A, takes less time
/// (docs/lab/archive/0030).
template <class View>
View prefer_huge_pages(const View& view) {
#if defined(__linux__)
  if constexpr (std::is_same_v<typename View::memory_space, Kokkos::HostSpace>) {
    constexpr std::size_t page = std::size_t{2} << 20;
    auto* const data = reinterpret_cast<char*>(view.data());
    const std::size_t bytes = view.span() * sizeof(typename View::value_type);
    const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(data) % page) % page;
    if (bytes >= before + 2 * page)
      (void)madvise(data + before, (bytes - before) / page * page, MADV_HUGEPAGE);  // a wish
  }
#endif
  return view;
}

/// A byte count for people: "160.1 GB" (powers of ten, as memory bandwidths are given).
inline std::string human_bytes(double bytes) {
  const char* const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 6) {
    bytes /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

/// What a format stores for a given matrix; known before anything is allocated.
struct Footprint {
  double stored_entries =
      0;  ///< entries stored, padding included (double: counts beyond 2^63 must not wrap)
  double bytes = 0;      ///< bytes of all arrays of the format
  double left_over = 0;  ///< of sliced diagonals: elements that have a column each
};

namespace detail {

/// What make() gives, a View; where Kokkos has no memory for it, CapacityError with Kokkos' words,
/// which tell the label and the size. The arrays of formats, plans and multivectors are made so.
template <class Make>
auto allocated(const Make& make) try {
  return make();
} catch (const Error&) {
  throw;
} catch (const std::exception& error) {  // Kokkos throws what differs from version to version
  throw CapacityError(concat("out of memory: ", error.what(),
                             " Choose a smaller matrix, fewer columns, or a format with less "
                             "padding."));
}

/// The View's elements in host memory: the View itself where it is there, else a copy. Throws
/// CapacityError where there is no memory for one.
template <class View>
auto host_copy(const View& view) {
  return allocated([&] { return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, view); });
}

/// Refuses a format whose footprint exceeds the limit (or the free memory of MemorySpace when there
/// is none), before allocation.
template <class MemorySpace>
void require_fits(const char* format, const Footprint& footprint,
                  std::optional<std::uint64_t> memory_limit, const std::string& why) {
  const std::uint64_t limit = memory_limit ? *memory_limit : free_memory<MemorySpace>();
  if (footprint.bytes <= static_cast<double>(limit)) return;
  throw CapacityError(
      concat(format, " needs ", human_bytes(footprint.bytes), " (", why, "), more than the ",
             human_bytes(static_cast<double>(limit)), " that ",
             memory_limit ? "the memory limit allows" : concat(MemorySpace::name(), " has free"),
             "; nothing was allocated."));
}

/// The count as an Offset; refuses what that type cannot hold.
template <class Offset>
Offset checked_count(double count, const char* what) {
  if (count <= static_cast<double>(std::numeric_limits<Offset>::max()))
    return static_cast<Offset>(count);
  throw CapacityError(concat(static_cast<std::int64_t>(count), " ", what, " exceed the largest ",
                             sizeof(Offset) * 8, "-bit offset ", std::numeric_limits<Offset>::max(),
                             "; use 64-bit offsets (the format's Offset template argument)."));
}

}  // namespace detail
}  // namespace fatvec
