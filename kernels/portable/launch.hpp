// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <fatvec/core/error.hpp>
#include <fatvec/core/execution.hpp>
#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/shared/static_for.hpp>
#include <fatvec/kernels/shared/tile.hpp>
#include <fatvec/kernels/shared/warp.hpp>

/// How the portable kernel is launched.
namespace fatvec::portable {

/// run(Width) with the smallest compiled tile that is at least as wide, or the widest.
template <bool host, detail::Columns columns, class Run>
void with_tile(int width, const Run& run) {
  if constexpr (columns == detail::Columns::strided && host)
    detail::with_width<1, 4>(width < 4 ? 1 : 4, run);
  else if constexpr (columns == detail::Columns::strided)
    detail::with_width<1, 2, 4, 8>(width, run);
  else if constexpr (host)
    detail::with_width<1, 2, 3, 4, 6, 8, 16>(width, run);
  else
    detail::with_width<1, 2, 3, 4>(width, run);
}

/// run(true) where threads of a warp share a row in the range form.
template <class ExecSpace, class Entries, class Run>
void with_lanes(const Choice& policy, const Run& run) {
  if constexpr (Entries::contiguous && detail::has_shuffles<ExecSpace>)
    if (policy.form == Form::range && policy.lanes > 1) return run(std::true_type());
  run(std::false_type());
}

/// Whether every row of X begins where a device can load such tiles, of up to 4 columns.
template <class T>
bool takes(int width, const T* data, std::int64_t row_stride) {
  const int n = detail::piece_width<T>(std::min(width, 4));
  return row_stride % n == 0 && reinterpret_cast<std::uintptr_t>(data) % (n * sizeof(T)) == 0;
}

/// Tiles that the team form is compiled for.
template <bool host, int width>
inline constexpr bool has_teams = host ? width == 4 : width <= 2;

/// Threads of a device's team.
inline constexpr int team_threads = 128;
/// The most teams that divide the columns of a long row.
inline constexpr int most_parts = 16;

/// Launches a kernel in the form of a policy, items in place of teams where these are not compiled;
/// no allocation, no fence.
template <class ExecSpace, class Kernel>
void launch(const char* label, const ExecSpace& exec, const Choice& policy, Kernel kernel) {
  constexpr bool host = detail::is_host<ExecSpace>;
  const std::int64_t count = kernel.a.count();
  if constexpr (has_teams<host, Kernel::tile_width> && !Kernel::has_lanes)
    if (policy.form == Form::team) {
      kernel.lanes = host ? 1 : policy.lanes;
      const int threads = host ? 1 : team_threads / kernel.lanes;
      kernel.rows = host ? 64 : 2 * threads;
      kernel.parts = host ? 1 : std::min(kernel.items_of_row, most_parts);
      kernel.longest = std::max(64 * kernel.lanes, static_cast<int>(4 * kernel.a.mean_length));
      const std::int64_t teams = (count + kernel.rows - 1) / kernel.rows * kernel.parts;
      if (teams > std::numeric_limits<int>::max())
        throw CapacityError(
            detail::concat(label, ": ", teams, " teams are more than one launch can have."));
      using Teams = Kokkos::TeamPolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                       Kokkos::LaunchBounds<team_threads, 8>>;
      Kokkos::parallel_for(label, Teams(exec, static_cast<int>(teams), threads, kernel.lanes),
                           kernel);
      return;
    }
  // Blocks of few threads, and registers for what a thread loads at once.
  using Range = Kokkos::RangePolicy<ExecSpace, Kokkos::Schedule<Kokkos::Dynamic>,
                                    Kokkos::IndexType<int>, Kokkos::LaunchBounds<128, 8>>;
  if constexpr (Kernel::has_lanes) kernel.lanes = policy.lanes;
  const std::int64_t of_row = std::int64_t{kernel.items_of_row} * kernel.lanes;
  const std::int64_t at_once = std::numeric_limits<int>::max() / of_row;
  for (; kernel.first_row < count; kernel.first_row += kernel.rows) {
    kernel.rows = static_cast<int>(std::min(at_once, count - kernel.first_row));
    Kokkos::parallel_for(label, Range(exec, 0, static_cast<int>(kernel.rows * of_row)), kernel);
  }
}

}  // namespace fatvec::portable
