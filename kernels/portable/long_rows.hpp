// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/portable/row_kernel.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/row_segments.hpp>
#include <fatvec/kernels/shared/rows.hpp>

/// Rows that are far longer than the mean, on devices. Where prepare() or a plan has looked for
/// them they are cut into segments, for all multiprocessors. Otherwise a row is a team's.
namespace fatvec::portable {

/// What segments of rows are multiplied in: about a warp for each, its threads over tiles of two
/// columns first, then over the entries.
inline Choice choice_for_segments(int k) {
  const int width = std::min(k, 2);
  const auto tiles = static_cast<unsigned>(std::min((k + width - 1) / width, 16));
  return {Form::range, width, static_cast<int>(32 / std::bit_ceil(tiles))};
}

/// The output of segments. The sums of a row's only segment go to the output of the product; those
/// of others to scratch memory, where the last one of a group to arrive adds the group up, in the
/// order of the segments, and arrives for it in a group of groups. Nobody waits, and sums are the
/// same bits in every run.
template <class S, class T, class Output>
struct SumsOfSegments {
  static constexpr std::int64_t most_in_group = 32;
  detail::SegmentRows<S> rows;
  Output output;
  int first_column;   ///< of the output
  T* sums;            ///< of the segments, row-major
  int* arrived;       ///< of a group's segments, in the place of one of them; the same shape
  std::int64_t step;  ///< columns of both

  template <int width>
  KOKKOS_FUNCTION void store(std::int64_t s, std::int64_t c, const T (&sum)[width]) const {
    const auto segment = rows.segments[s];
    const std::int64_t number = segment.row_segments;
    std::int64_t place = segment.first / detail::entries_of_segment;  // in the row
    const std::int64_t first = (s - place) * step + c;                // of the row, in scratch
    alignas(16) T total[width];
    for (int w = 0; w < width; ++w) total[w] = sum[w];
    int level = 0;
    for (std::int64_t apart = 1; apart < number; apart *= most_in_group, ++level) {
      for (int w = 0; w < width; ++w) sums[first + place * step + w] = total[w];
      place -= place % (most_in_group * apart);
      const std::int64_t members =
          Kokkos::min(std::int64_t{most_in_group}, (number - place - 1) / apart + 1);
      if (members == 1) continue;
      // Groups of a level begin most_in_group^(level + 1) segments apart, and one of several
      // members has more than `level` segments: no two groups share a counter.
      int& others = arrived[first + (place + level) * step];
      Kokkos::memory_fence();
      if (Kokkos::atomic_fetch_add(&others, 1) + 1 < members) return;
      Kokkos::memory_fence();
      others = 0;
      for (int w = 0; w < width; ++w) total[w] = T{};
      for (std::int64_t m = 0; m < members; ++m)
        for (int w = 0; w < width; ++w) total[w] += sums[first + (place + m * apart) * step + w];
    }
    output.store(rows.whole.matrix_row(segment.row), first_column + c, total);
  }
};

/// Long rows by their segments, or where these have no room by teams.
template <class ExecSpace, class S, class Segments, class T, detail::Columns columns, class Output>
void multiply_segments(const char* label, const ExecSpace& exec, const detail::SlotRows<S>& rows,
                       const Segments& segments, const detail::MultiVectorSpan<const T, columns>& x,
                       const Output& output, const Share& share) {
  const auto number = static_cast<std::int64_t>(segments.list.extent(0));
  const auto room = static_cast<int>(segments.template columns<T>(share.columns));
  if (room == 0) return multiply_by_teams<false>(label, exec, 0, rows, x, output, share);

  using Rows = detail::SegmentRows<S>;
  using Sums = SumsOfSegments<S, T, Output>;
  const Rows parts{rows, segments.list.data(), number};
  for (int c = 0; c < share.columns; c += room) {
    const int k = std::min(room, share.columns - c);
    const Sums sums{.rows = parts,
                    .output = output,
                    .first_column = share.first_column + c,
                    .sums = reinterpret_cast<T*>(segments.sums.data()),
                    .arrived = segments.arrived.data(),
                    .step = detail::columns_of_sums(k)};
    const Choice choice = choice_for_segments(k);
    const auto launch = launch_of<false, ExecSpace, Rows, T, columns, Sums>(choice, parts, x, k);
    launch(label, exec, parts, x.from_column(c), sums, {0, k}, choice.threads_per_row);
  }
}

template <class ExecSpace, class S, class Segments, class T, detail::Columns columns, class Output>
void multiply_long_rows(const char* label, const ExecSpace& exec, const detail::SlotRows<S>& rows,
                        const Segments& segments,
                        const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                        const Share& share) {
  if (segments.known && segments.list.extent(0) == 0) return;
  // Which segment of a row is the last to arrive differs from run to run: an output that forms sums
  // over rows gets whole rows.
  if constexpr (detail::Reducing<Output>)
    return multiply_by_teams<false>(label, exec, 0, rows, x, output, share);
  else
    multiply_segments(label, exec, rows, segments, x, output, share);
}

}  // namespace fatvec::portable
