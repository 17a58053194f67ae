// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <fatvec/formats/multivector.hpp>
#include <fatvec/kernels/portable/launch.hpp>
#include <fatvec/kernels/portable/policy.hpp>
#include <fatvec/kernels/shared/entries.hpp>
#include <fatvec/kernels/shared/output.hpp>
#include <fatvec/kernels/shared/row_segments.hpp>

/// Rows that are far longer than the mean, in segments for all multiprocessors: a launch of their
/// own, whose sums meet in Y.
namespace fatvec::detail {

/// The rows as the launch before sees them: those in segments look empty.
template <class S, class Ordinal, class Device>
RowEntries<S> without_segments(const RowEntries<S>& rows,
                               const RowSegments<Ordinal, Device>& segments) {
  return segments.known ? rows.without_longer_rows(segments.longest) : rows;
}

/// Y += alpha · A · X for the rows in segments.
template <class ExecSpace, class S, class Ordinal, class Device, class X, class T>
void multiply_segments(const char* label, const ExecSpace& exec, const RowEntries<S>& rows,
                       const RowSegments<Ordinal, Device>& segments, const X& x,
                       const Epilogue<T>& epilogue, std::int64_t k) {
  const auto number = static_cast<std::int64_t>(segments.list.extent(0));
  if (number == 0) return;
  // About a warp for each: its threads over tiles of two columns first, then over the entries.
  const auto width = static_cast<int>(std::min<std::int64_t>(k, 2));
  const auto tiles = static_cast<unsigned>(std::min<std::int64_t>((k + width - 1) / width, 16));
  const auto threads_per_row = static_cast<int>(32 / std::bit_ceil(tiles));
  portable::multiply_by_items<false>(label, exec, {portable::Form::range, width, threads_per_row},
                                     SegmentEntries<S>{rows, segments.list.data(), number}, x,
                                     AddingEpilogue<T>{epilogue}, k);
}

}  // namespace fatvec::detail
