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
/// them they are cut into segments, for all multiprocessors: the sums of the segments go to scratch
/// memory, and a further product adds them up. Otherwise a row is a team's.
namespace fatvec::portable {

/// What segments of rows are multiplied in: about a warp for each, its threads over tiles of two
/// columns first, then over the entries.
inline Choice choice_for_segments(int k) {
  const int width = std::min(k, 2);
  const auto tiles = static_cast<unsigned>(std::min((k + width - 1) / width, 16));
  return {Form::range, width, static_cast<int>(32 / std::bit_ceil(tiles))};
}

template <class ExecSpace, class S, class Segments, class T, detail::Columns columns, class Output>
void multiply_long_rows(const char* label, const ExecSpace& exec, const detail::SlotRows<S>& rows,
                        const Segments& segments,
                        const detail::MultiVectorSpan<const T, columns>& x, const Output& output,
                        const Share& share) {
  const auto number = static_cast<std::int64_t>(segments.list.extent(0));
  if (segments.known && number == 0) return;
  const auto room = static_cast<int>(segments.template columns<T>(share.columns));
  if (room == 0) return multiply_by_teams<false>(label, exec, 0, rows, x, output, share);

  using SegmentRows = detail::SegmentRows<S>;
  using Sum = detail::ScaledSum<T>;
  const SegmentRows of_rows{rows, segments.list.data(), number};
  for (int c = 0; c < share.columns; c += room) {
    const int k = std::min(room, share.columns - c);
    T* const sums = reinterpret_cast<T*>(segments.sums.data());
    const std::int64_t step = detail::columns_of_sums(k);
    const Choice choice = choice_for_segments(k);
    const auto launch = launch_of<false, ExecSpace, SegmentRows, T, columns, Sum>(choice, x, k);
    launch(label, exec, of_rows, x.from_column(c), Sum{T{1}, T{}, {sums, step, 1}}, {0, k},
           choice.threads_per_row);
    using Contiguous = detail::MultiVectorSpan<const T, detail::Columns::contiguous>;
    using RowsOfSums = detail::RowsOfSums<S, T>;
    const auto add_up =
        launch_of<false, ExecSpace, RowsOfSums, T, detail::Columns::contiguous, Output>(
            choice, Contiguous{sums, step}, k);
    add_up(label, exec, RowsOfSums{of_rows}, Contiguous{sums, step}, output,
           {share.first_column + c, k}, choice.threads_per_row);
  }
}

}  // namespace fatvec::portable
