// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_NestedSort.hpp>
#include <algorithm>
#include <cstdint>
#include <utility>

#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/detail/rows.hpp>

/// Orders in which a format stores the rows: order(p) is the matrix's row that comes p-th.
namespace fatvec::detail {

struct InOrder {
  KOKKOS_FUNCTION constexpr std::int64_t operator()(std::int64_t p) const { return p; }
};

/// What rows are sorted by, ascending: first their window, then their length, the longest first.
template <class Offsets>
struct LengthKey {
  Offsets row_map;
  std::int64_t window;
  std::int64_t longest;

  KOKKOS_FUNCTION std::uint64_t operator()(std::int64_t row) const {
    return of(row, static_cast<std::int64_t>(row_map(row + 1) - row_map(row)));
  }
  KOKKOS_FUNCTION std::uint64_t of(std::int64_t row, std::int64_t length) const {
    return static_cast<std::uint64_t>(row / window * (longest + 1) + longest - length);
  }
};

/// A pass of a radix sort, over eight bits of the keys. Chunks of consecutive positions count their
/// digits, a scan makes the counts places, and each chunk then puts its rows there, one after the
/// other: stable, and the same on every machine.
template <class Ordinals, class Key>
struct RadixPass {
  struct Count {};
  struct Place {};
  static constexpr int bits = 8;
  static constexpr std::int64_t digits = 1 << bits;
  static constexpr std::int64_t chunk = 256;

  Key key;
  int shift;
  Ordinals from;
  Ordinals to;
  Ordinals places;  ///< by digit, then by chunk
  std::int64_t rows;

  [[nodiscard]] KOKKOS_FUNCTION std::int64_t chunks() const { return (rows + chunk - 1) / chunk; }

  KOKKOS_FUNCTION void operator()(Count, std::int64_t part) const {
    for (std::int64_t digit = 0; digit < digits; ++digit) places(digit * chunks() + part) = 0;
    for_each_place(part, [](std::int64_t, auto& count) { ++count; });
  }
  KOKKOS_FUNCTION void operator()(Place, std::int64_t part) const {
    const Ordinals sorted = to;
    for_each_place(part, [&](std::int64_t row, auto& place) { sorted(place++) = row; });
  }

  template <class Visit>
  KOKKOS_FUNCTION void for_each_place(std::int64_t part, const Visit& visit) const {
    const std::int64_t last = (part + 1) * chunk < rows ? (part + 1) * chunk : rows;
    for (std::int64_t p = part * chunk; p < last; ++p) {
      const auto digit = static_cast<std::int64_t>(key(from(p)) >> shift) & (digits - 1);
      visit(from(p), places(digit * chunks() + part));
    }
  }
};

template <class Ordinals>
struct CountUp {
  Ordinals list;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    list(i) = static_cast<typename Ordinals::non_const_value_type>(i);
  }
};

/// Sorts a window by a GPU's team in its scratch memory. Keys that hold the row are all different,
/// so that the order is the matrix's among equal lengths though the sort is not stable.
template <class Ordinals, class Offsets>
struct SortWindows {
  static constexpr std::int64_t largest = 4096;  ///< window: 32 kB of scratch memory
  static constexpr int team_size = 256;
  Offsets row_map;
  Ordinals order;
  std::int64_t rows;
  std::int64_t window;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    using Keys = Kokkos::View<std::uint64_t*, typename Member::scratch_memory_space,
                              Kokkos::MemoryUnmanaged>;
    constexpr std::uint64_t longest = UINT32_MAX;
    const std::int64_t first = team.league_rank() * window;
    const auto count = static_cast<int>(rows - first < window ? rows - first : window);
    const Keys keys(team.team_scratch(0), count);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int i) {
      const auto length = static_cast<std::uint64_t>(row_map(first + i + 1) - row_map(first + i));
      keys(i) =
          (longest - (length < longest ? length : longest)) << 32 | static_cast<std::uint64_t>(i);
    });
    team.team_barrier();
    Kokkos::Experimental::sort_team(team, keys);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), [&](int i) {
      const auto within = static_cast<std::int64_t>(keys(i) & longest);
      order(first + i) = static_cast<typename Ordinals::non_const_value_type>(first + within);
    });
  }
};

/// The rows by decreasing length within windows of `window` consecutive rows; equal lengths keep
/// the matrix's order. In parallel on exec: on GPUs windows by teams, where a team is not too large
/// or too small for one; else a pass of a radix sort for every eight bits of (windows · longest
/// row).
template <class ExecSpace, class Csr>
typename Csr::Ordinals rows_by_length(const ExecSpace& exec, const Csr& csr, std::int64_t window) {
  using Ordinals = typename Csr::Ordinals;
  using Key = LengthKey<typename Csr::ConstOffsets>;
  using Pass = RadixPass<Ordinals, Key>;
  const std::int64_t rows = csr.rows();
  auto order = allocate<Ordinals>(exec, "fatvec::row_order", static_cast<std::size_t>(rows));
  if constexpr (!is_host<ExecSpace>) {
    using Sort = SortWindows<Ordinals, typename Csr::ConstOffsets>;
    using Teams = Kokkos::TeamPolicy<ExecSpace>;
    const std::int64_t windows = (rows + window - 1) / window;
    const auto bytes =
        static_cast<std::size_t>(window + 1) * sizeof(std::uint64_t);  // and their alignment
    if (rows > 0 && window >= Sort::team_size / 4 && window <= Sort::largest &&
        windows <= INT32_MAX && bytes <= static_cast<std::size_t>(Teams::scratch_size_max(0))) {
      Teams policy(exec, static_cast<int>(windows), Sort::team_size);
      policy.set_scratch_size(0, Kokkos::PerTeam(bytes));
      Kokkos::parallel_for("fatvec::row_order", policy, Sort{csr.row_map, order, rows, window});
      return order;
    }
  }
  const Key key{csr.row_map, window, longest_row(exec, csr)};
  auto sorted = allocate<Ordinals>(exec, "fatvec::row_order", static_cast<std::size_t>(rows));
  Kokkos::parallel_for("fatvec::row_order", Range<ExecSpace>(exec, 0, rows),
                       CountUp<Ordinals>{order});
  const std::int64_t counters = Pass::digits * ((rows + Pass::chunk - 1) / Pass::chunk);
  const auto places =
      allocate<Ordinals>(exec, "fatvec::row_order::places", static_cast<std::size_t>(counters + 1));

  std::uint64_t left = key.of(std::max<std::int64_t>(rows, 1) - 1, 0);  // bits of the largest key
  for (int shift = 0; left != 0;
       left >>= Pass::bits, shift += Pass::bits, std::swap(order, sorted)) {
    const Pass pass{key, shift, order, sorted, places, rows};
    const auto run = [&](const char* label, auto phase) {
      using Chunks =
          Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::int64_t>, decltype(phase)>;
      Kokkos::parallel_for(label, Chunks(exec, 0, pass.chunks()), pass);
    };
    run("fatvec::row_order::count", typename Pass::Count{});
    offsets_from_lengths(exec, places, counters, places);
    run("fatvec::row_order::place", typename Pass::Place{});
  }
  exec.fence("fatvec::rows_by_length");  // the scratch goes
  return order;
}

}  // namespace fatvec::detail
