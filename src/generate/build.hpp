// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <thread>

#include <fatvec/core/error.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/generate/generate.hpp>

namespace fatvec::generate {

/// A kind of matrix: any row can be computed alone. row_length(row) says how many entries
/// fill_row(row, columns, values) writes, columns ascending and distinct. Constructed from a Spec;
/// throws where the Spec makes no sense.
template <class K>
concept Kind = requires(const K& kind, std::int64_t row, std::int32_t* columns, double* values) {
  { kind.rows() } -> std::same_as<std::int32_t>;
  { kind.cols() } -> std::same_as<std::int32_t>;
  { kind.row_length(row) } -> std::same_as<std::int64_t>;
  { kind.fill_row(row, columns, values) } -> std::same_as<void>;
};

/// The product of non-negative factors as a 32-bit extent; CapacityError where it exceeds one.
inline std::int32_t checked_extent(const Spec& spec, const char* what,
                                   std::initializer_list<std::int64_t> factors) {
  constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();
  double product = 1;  // double: the product may exceed 2^63
  for (const std::int64_t factor : factors) product *= static_cast<double>(factor);
  if (product <= largest) return static_cast<std::int32_t>(product);
  char digits[400];
  std::snprintf(digits, sizeof digits, "%.0f", product);
  throw CapacityError(detail::concat(spec.text, ": ", digits, " ", what,
                                     " exceed the largest 32-bit index ", largest,
                                     "; choose a smaller size."));
}

/// What is built of a kind.
struct Wanted {
  std::optional<std::uint64_t> memory_limit;
  std::function<RowRange(std::int64_t rows)> choose;  ///< of all rows; empty: all of them
  std::function<void(double done)> progress;          ///< as of generate(); empty: nobody asks
};

/// Two passes: offsets by a scan over the row lengths, then each row where the offsets say. Every
/// page is first touched by the thread that owns the row under Kokkos' static schedule.
template <Kind K>
HostCsr build(const K& kind, const Spec& spec, const Wanted& wanted) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::generate");
  using Policy = Kokkos::RangePolicy<HostCsr::execution_space, Kokkos::IndexType<std::int64_t>>;
  const HostCsr::execution_space exec;
  const RowRange range = wanted.choose ? wanted.choose(kind.rows()) : RowRange{0, kind.rows()};
  const std::int64_t first = range.first;
  const std::int64_t rows = range.last - first;

  // Counted some rows at a time: what cannot fit is refused as soon as that is known.
  constexpr std::int64_t step = std::int64_t{1} << 20;
  const std::uint64_t limit = wanted.memory_limit.value_or(free_memory<HostCsr::memory_space>());
  std::int64_t nnz = 0;
  for (std::int64_t begin = 0; begin <= rows; begin += step) {
    const std::int64_t end = std::min(rows, begin + step);
    std::int64_t more = 0;
    Kokkos::parallel_reduce(
        "fatvec::generate::count", Policy(exec, begin, end),
        [=](std::int64_t row, std::int64_t& sum) { sum += kind.row_length(first + row); }, more);
    nnz += more;
    const double bytes =
        (static_cast<double>(rows) + 1) * sizeof(HostCsr::offset_type) +
        static_cast<double>(nnz) * (sizeof(HostCsr::ordinal_type) + sizeof(HostCsr::value_type));
    if (bytes > static_cast<double>(limit))
      detail::require_fits<HostCsr::memory_space>(
          "csr", {static_cast<double>(nnz), bytes}, wanted.memory_limit,
          detail::concat(spec.text, ": ", rows, " rows, ", end < rows ? "more than " : "", nnz,
                         " entries"));
  }

  const auto row_map = detail::allocate<HostCsr::Offsets>(exec, "fatvec::csr::row_map",
                                                          static_cast<std::size_t>(rows) + 1);
  const auto entries = detail::allocate<HostCsr::Ordinals>(exec, "fatvec::csr::entries",
                                                           static_cast<std::size_t>(nnz));
  const auto values = detail::allocate<HostCsr::Scalars>(exec, "fatvec::csr::values",
                                                         static_cast<std::size_t>(nnz));

  Kokkos::parallel_scan("fatvec::generate::offsets", Policy(exec, 0, rows + 1),
                        [=](std::int64_t row, std::int64_t& sum, bool final) {
                          if (final) row_map(row) = sum;
                          if (row < rows) sum += kind.row_length(first + row);
                        });
  // All threads count the rows that they have filled; only the calling one passes their share on.
  constexpr std::int64_t some = 4096;
  std::atomic<std::int64_t> filled{0};
  const auto caller = std::this_thread::get_id();
  const auto count = [&wanted, &filled, caller, rows](std::int64_t row) {
    if (!wanted.progress || row % some != some - 1) return;
    const std::int64_t done = filled += some;
    if (std::this_thread::get_id() == caller)
      wanted.progress(static_cast<double>(done) / static_cast<double>(rows));
  };
  Kokkos::parallel_for("fatvec::generate::fill", Policy(exec, 0, rows), [=](std::int64_t row) {
    kind.fill_row(first + row, entries.data() + row_map(row), values.data() + row_map(row));
    count(row);
  });
  exec.fence("fatvec::generate");
  return HostCsr(static_cast<std::int32_t>(rows), kind.cols(), row_map, entries, values);
}

}  // namespace fatvec::generate
