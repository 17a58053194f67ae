// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include <fatvec/formats/detail/rows.hpp>

/// Rows that lie on a grid: numbered along lines, lines along planes. Rows near each other in all
/// directions share more columns than consecutive ones, and what tells of the grid are the columns
/// of any row in its middle.
namespace fatvec::detail {

/// The rows cut into boxes of `places` of them. A box's places are numbered as rows are; those
/// outside the grid have row -1.
struct RowGrid {
  static constexpr int places = 8;
  std::int64_t rows = 0;
  std::int64_t line = 1;   ///< rows from one line to the next,
  std::int64_t plane = 1;  ///< and from one plane to the next
  int x = places;          ///< extents of a box
  int y = 1;
  int z = 1;

  /// Without structure: consecutive rows.
  static RowGrid in_order(std::int64_t rows) {
    const std::int64_t all = std::max<std::int64_t>(rows, 1);
    return {rows, all, all};
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t boxes_of_line() const { return (line + x - 1) / x; }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t boxes_of_plane() const {
    const std::int64_t lines = (plane + line - 1) / line;
    return (lines + y - 1) / y * boxes_of_line();
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t boxes() const {
    const std::int64_t planes = (rows + plane - 1) / plane;
    return (planes + z - 1) / z * boxes_of_plane();
  }
  [[nodiscard]] KOKKOS_FUNCTION std::int64_t row(std::int64_t box, int place) const {
    const std::int64_t of_plane = boxes_of_plane();
    const std::int64_t layer = box / of_plane;
    const std::int64_t within = box - layer * of_plane;
    const std::int64_t of_line = boxes_of_line();
    const std::int64_t along = within % of_line * x + place % x;
    const std::int64_t across = within / of_line * y + place / x % y;
    const std::int64_t in_plane = across * line + along;
    const std::int64_t row = (layer * z + place / (x * y)) * plane + in_plane;
    return along < line && in_plane < plane && row < rows ? row : -1;
  }
};

/// What the columns of a row, ascending, say of the grid. They come in runs of neighbours, a run
/// for each line that the row couples with: the least distance of two runs' middles is that of
/// lines. Runs further apart belong to other planes.
template <class Csr>
struct GridOfRow {
  static constexpr int most_runs = 64;
  Csr csr;
  Kokkos::View<std::int64_t*, typename Csr::memory_space>
      found;  ///< line and plane of each sample, 0 for none
  std::int64_t rows;
  std::int64_t samples;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    const std::int64_t row = n * (rows / samples) + hashed(n) % (rows / samples);
    std::int64_t middle[most_runs];  // of each run, twice
    int runs = 0;
    const std::int64_t end = csr.row_map(row + 1);
    for (std::int64_t m = csr.row_map(row); m < end && runs < most_runs; ++runs) {
      const std::int64_t first = csr.entries(m);
      std::int64_t last = first;
      for (++m; m < end && csr.entries(m) <= last + 1; ++m) last = csr.entries(m);
      middle[runs] = first + last;
    }
    std::int64_t line = INT64_MAX;
    for (int r = 1; r < runs; ++r) line = Kokkos::min(line, middle[r] - middle[r - 1]);
    std::int64_t plane = INT64_MAX;
    std::int64_t before = -1;  // middle of the plane before
    for (int r = 0; r < runs && line < INT64_MAX;) {
      const int first = r;
      for (++r; r < runs && 2 * (middle[r] - middle[r - 1]) < 3 * line;) ++r;
      const std::int64_t here = (middle[first] + middle[r - 1]) / 2;
      if (before >= 0) plane = Kokkos::min(plane, here - before);
      before = here;
    }
    found(2 * n) = line < INT64_MAX ? line / 2 : 0;
    found(2 * n + 1) = plane < INT64_MAX ? plane / 2 : 0;
  }
};

/// The lines and planes that most of some rows tell of; one line with all rows where they do not
/// agree. Rows sorted by column. Copies a few numbers to the host.
template <class ExecSpace, class Csr>
RowGrid find_grid(const ExecSpace& exec, const Csr& csr) {
  const std::int64_t rows = csr.rows();
  RowGrid grid = RowGrid::in_order(rows);
  const std::int64_t samples = std::min<std::int64_t>(rows, 64);
  if (samples == 0) return grid;
  using Found = Kokkos::View<std::int64_t*, typename Csr::memory_space>;
  const auto found = allocate<Found>(exec, "fatvec::row_grid", 2 * samples);
  Kokkos::parallel_for("fatvec::row_grid", Range<ExecSpace>(exec, 0, samples),
                       GridOfRow<Csr>{csr, found, rows, samples});
  exec.fence("fatvec::row_grid");
  const auto on_host = host_copy(found);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> votes;
  for (std::int64_t n = 0; n < samples; ++n) ++votes[{on_host(2 * n), on_host(2 * n + 1)}];
  const auto most = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto [line, plane] = most->first;
  if (2 * most->second < samples || line < 2 || line >= rows) return grid;
  grid.line = line;
  if (plane > line && plane < rows) grid.plane = plane;
  return grid;
}

}  // namespace fatvec::detail
