// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <fatvec/core/execution.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/parts.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/partial_sums.hpp>
#include <fatvec/kernels/shared/static_for.hpp>
#include <fatvec/kernels/shared/tile.hpp>
#include <fatvec/kernels/shared/warp.hpp>

/// How portable kernels are launched: what their work-items are, and the policies of Kokkos.
namespace fatvec::portable {

/// What of a product a launch does: X begins with its columns.
struct Share {
  int first_column;  ///< in Y
  int columns;
  int longest = std::numeric_limits<int>::max();  ///< rows with more entries are left to teams
};

/// Division of numbers below 2^31 by one that stays the same: a multiplication.
struct Divisor {
  std::uint32_t divisor = 1;
  std::uint32_t factor = 1U << 31;
  int shift = 31;

  Divisor() = default;
  explicit Divisor(std::uint32_t by)
      : divisor(by),
        factor(static_cast<std::uint32_t>(((1ULL << (31 + std::bit_width(by - 1))) + by - 1) / by)),
        shift(31 + std::bit_width(by - 1)) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int quotient(int number) const {
    return static_cast<int>(static_cast<std::uint64_t>(number) * factor >> shift);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int remainder(int number, int quotient) const {
    return number - quotient * static_cast<int>(divisor);
  }
};

/// Which row and tile of columns a work-item of a device has. Neighbouring items have what lies
/// side by side in X: columns of a row, or rows of a column.
struct Items {
  int tiles = 1;  ///< of a row
  std::int64_t first_row = 0;
  int rows = 0;     ///< of this launch
  Divisor by = {};  ///< tiles, or where columns are apart the rows of whole warps

  /// Of one work-item.
  struct RowAndTile {
    std::int64_t row;
    int tile;
  };
  template <bool contiguous>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION RowAndTile at(int item) const {
    const int quotient = by.quotient(item);
    const int remainder = by.remainder(item, quotient);
    if constexpr (contiguous) return {first_row + quotient, remainder};
    return {first_row + remainder, quotient};
  }
  /// Whether a row is of this launch: not so for the last threads of the last warp.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool have(std::int64_t row) const {
    return row - first_row < rows;
  }
};

/// The tiles that are compiled for such rows and output; for devices of 8 columns, too, if `wide`.
template <bool host, detail::Columns columns, class Rows, class Output, bool wide = false>
constexpr auto tiles() {
  if constexpr (requires { Rows::of_segments; } && columns == detail::Columns::strided)
    return detail::Widths<1, 2>{};
  else if constexpr (requires { Rows::of_segments; })
    return detail::Widths<1, 2, 3>{};
  else if constexpr (columns == detail::Columns::strided && host)
    return detail::Widths<1, 4>{};
  else if constexpr (columns == detail::Columns::strided && detail::Reducing<Output>)
    return detail::Widths<1, 2, 4>{};  // sums are in scratch memory, too
  else if constexpr (columns == detail::Columns::strided)
    return detail::Widths<1, 2, 4, 8>{};
  else if constexpr (host)
    return detail::Widths<1, 2, 3, 4, 6, 8, 16>{};
  else if constexpr (wide)
    return detail::Widths<1, 2, 3, 4, 8>{};
  else
    return detail::Widths<1, 2, 3, 4>{};
}

/// Whether rows of X begin where a device can load tiles of that width.
template <class T, detail::Columns columns>
bool is_aligned(int width, const detail::MultiVectorSpan<const T, columns>& x) {
  const int n = detail::vector_width<T, 16, true>(width);
  return x.row_stride % n == 0 && reinterpret_cast<std::uintptr_t>(x.data) % (n * sizeof(T)) == 0;
}

/// Columns of a tile: on devices `wanted`, 8 for 4 if `wide`, or two, where rows of X begin with
/// whole vectors and k columns are whole tiles; otherwise three (may_overlap), or one for k < 3.
template <bool host, bool wide = false, class T, detail::Columns columns>
int tile_width(int wanted, const detail::MultiVectorSpan<const T, columns>& x, int k) {
  if (host || columns == detail::Columns::strided) return wanted;
  if (wide && wanted == 4 && k % 8 == 0 && is_aligned(4, x)) return 8;
  for (const int width : {std::min(wanted, 4), 2})
    if (width <= wanted && k % width == 0 && is_aligned(width, x)) return width;
  return k < 3 ? 1 : 3;
}

/// The blocks of rows of a host's work-items.
struct HostBlocks {
  int count;
  double work;  ///< of a block: multiplications

  HostBlocks(std::int64_t rows, int rows_of_block, double mean_length, int columns)
      : count(static_cast<int>((rows + rows_of_block - 1) / rows_of_block)),
        work(rows_of_block * (mean_length + 4) * columns) {}

  /// Whether they take less time than threads need to begin.
  [[nodiscard]] bool are_little_work() const { return work * count < least_work_of_threads; }

  /// Shares of blocks with so much work that handing them out costs little.
  template <class ExecSpace>
  [[nodiscard]] auto policy(const ExecSpace& exec) const {
    const int threads = exec.concurrency();
    const int most = std::max(1, (count + threads - 1) / threads);
    const int least = static_cast<int>(std::min<double>(most, least_work_of_share / work)) + 1;
    const int share = std::min(most, std::max(least, count / (threads * shares_of_thread)));
    return Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                               Kokkos::IndexType<int>>(exec, 0, count, Kokkos::ChunkSize(share));
  }
};

/// Launches the items of a device, as many at a time as a launch can have; no allocation, no fence.
/// Where threads share rows, warps are complete.
template <class ExecSpace, class Kernel>
void launch_items(const char* label, const ExecSpace& exec, Kernel kernel,
                  int threads_per_row = 1) {
  if constexpr (detail::Reducing<decltype(kernel.output)>) {
    launch_teams_of_tiles(label, exec, kernel, threads_per_row);
  } else {
    // Blocks of few threads, and registers for what a thread loads at once.
    using Range = Kokkos::RangePolicy<
        ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>, Kokkos::IndexType<int>,
        Kokkos::LaunchBounds<128, detail::least_resident<Kernel::resident_blocks>>>;
    const int rows_of_warp = threads_per_row > 1 ? detail::warp_size / threads_per_row : 1;
    const std::int64_t count = kernel.a.count();
    const std::int64_t of_row = std::int64_t{kernel.items.tiles} * threads_per_row;
    const std::int64_t at_once = std::numeric_limits<int>::max() / of_row - rows_of_warp;
    for (Items& items = kernel.items; items.first_row < count; items.first_row += items.rows) {
      items.rows = static_cast<int>(std::min(at_once, count - items.first_row));
      const int whole = (items.rows + rows_of_warp - 1) / rows_of_warp * rows_of_warp;
      items.by = Divisor(static_cast<std::uint32_t>(Kernel::contiguous ? items.tiles : whole));
      Kokkos::parallel_for(label, Range(exec, 0, static_cast<int>(whole * of_row)), kernel);
    }
  }
}

/// Launches teams for long rows, or for all, whose columns make `tiles` tiles; no allocation, no
/// fence. Those that look for long rows are about as many as a large GPU runs at a time: even where
/// no row is long, each takes time.
template <bool host, class ExecSpace, class Kernel>
void launch_teams(const char* label, const ExecSpace& exec, Kernel kernel, int tiles) {
  constexpr int threads = detail::is_host<ExecSpace> ? 1 : 256;
  constexpr int most_parts = 8;
  constexpr bool reduces = detail::Reducing<decltype(kernel.output)>;
  std::int64_t most_teams = 512;
  const std::int64_t count = kernel.a.count();
  kernel.lane_bits = threads == 1 ? 0 : 5;
  kernel.parts = host ? 1 : std::min(tiles, most_parts);
  if constexpr (reduces) {
    most_teams = std::min(most_teams, kernel.output.partial_sums().left());
    kernel.parts = static_cast<int>(std::min<std::int64_t>(kernel.parts, most_teams));
  }
  const bool look = kernel.longest >= 0;
  const std::int64_t of_rows = look || reduces ? most_teams / kernel.parts : most_teams;
  kernel.rows_of_team =
      host ? 64 : static_cast<int>(std::max(count / of_rows / 32 + 1, std::int64_t{8}) * 32);
  kernel.group = kernel.a.rows_of_group(kernel.longest);
  const auto teams =
      static_cast<int>((count + kernel.rows_of_team - 1) / kernel.rows_of_team * kernel.parts);
  using Teams =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                         Kokkos::LaunchBounds<threads, detail::least_resident<threads == 1 ? 1
                                                                              : reduces    ? 2
                                                                                           : 4>>>;
  const int lanes = 1 << kernel.lane_bits;
  const Teams policy(exec, teams, threads / lanes, lanes);
  if constexpr (reduces) {
    detail::take_parts(kernel.output, teams);
    Kokkos::parallel_for(label, light(policy), TeamsWithPlaces<ExecSpace, Kernel>{kernel});
  } else {
    Kokkos::parallel_for(label, policy, kernel);
  }
}

/// Hosts: the blocks of a kernel's rows, by threads or, where they are little work, by the caller.
template <class ExecSpace, class Kernel>
void launch_blocks(const char* label, const ExecSpace& exec, double mean_length,
                   const Kernel& kernel) {
  const HostBlocks blocks(kernel.a.count(), Kernel::rows_of_block, mean_length, kernel.k);
  if constexpr (detail::Reducing<decltype(kernel.output)>)
    launch_parts_of_blocks(label, exec, kernel, blocks.count, blocks.are_little_work());
  else if (detail::is_synchronous<ExecSpace> && blocks.are_little_work())
    for (int block = 0; block < blocks.count; ++block) kernel(block);
  else
    Kokkos::parallel_for(label, blocks.policy(exec), kernel);
}

/// Columns that devices take in one sweep over A; hosts take all.
template <bool host, class T, class Output>
std::int64_t columns_at_once(std::int64_t k) {
  if (host) return k;
  const std::int64_t sweeps = sweeps_for(k, bytes_at_once / std::int64_t{sizeof(T)}, 0.5);
  const std::int64_t columns = sweeps <= 1 ? k : ((k + sweeps - 1) / sweeps + 7) / 8 * 8;
  return detail::Reducing<Output> ? std::min(columns, most_columns_of_team) : columns;
}

}  // namespace fatvec::portable
