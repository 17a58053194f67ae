// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>

#include <fatvec/core/macros.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// Reduces each column of a multivector in one pass over memory, in whatever layout it is.
///
/// Lanes go over the elements side by side: threads of a team on a GPU, the lanes of vector
/// instructions on a CPU. Where a row lies together, neighbouring lanes have neighbouring columns,
/// and several rows if these are short; else neighbouring rows of one column. Teams take chunks of
/// rows. What the lanes of a team have of a column is joined in a tree, what the teams have by a
/// second launch: nothing is added by atomics.
namespace fatvec::detail {

/// The reducer of a source's values, as Kokkos wants one.
template <class Source, class Space = Kokkos::HostSpace>
class Joined {
 public:
  using reducer = Joined;
  using value_type = typename Source::Value;
  using result_view_type = Kokkos::View<value_type, Space, Kokkos::MemoryUnmanaged>;

  KOKKOS_FUNCTION explicit Joined(value_type& value) : value_(&value) {}
  KOKKOS_FUNCTION void join(value_type& value, const value_type& more) const {
    Source::join(value, more);
  }
  KOKKOS_FUNCTION void init(value_type& value) const { value = value_type{}; }
  KOKKOS_FUNCTION value_type& reference() const { return *value_; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(value_); }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }

 private:
  value_type* value_;
};

/// Adds `count` steps of the cursor to the lanes.
template <class Lanes, class Cursor>
FATVEC_FORCEINLINE_FUNCTION void walk(Lanes& lanes, Cursor at, std::int64_t count) {
  Lanes local = lanes;
  if constexpr (Lanes::width == 1) {
    constexpr int ahead = 8;  // loads that do not wait for each other
    for (; count >= ahead; count -= ahead) {
      std::remove_cvref_t<decltype(at[0])> element[ahead];
      unroll<ahead>([&](int n) {
        element[n] = at[0];
        at.advance();
      });
      unroll<ahead>([&](int n) { local.add(0, element[n]); });
    }
  }
  for (; count > 0; --count, at.advance())
    for (int w = 0; w < Lanes::width; ++w) local.add(w, at[w]);
  lanes = local;
}

/// How the work is cut up.
struct ReductionShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  int group = 1;            ///< columns of a team
  int side_by_side = 1;     ///< rows that its lanes take at a time
  bool neighbours = false;  ///< elements that its lanes take at a time lie side by side
  std::int64_t groups = 1;
  std::int64_t chunks = 1;
  std::int64_t chunk_rows = 0;
};

/// Most columns of a CPU's team: their lanes are to stay in the first-level cache.
inline constexpr int most_columns = 256;

/// A team reduces a chunk of rows of a group of columns. width: lanes of a thread; more than one
/// only in teams of one.
template <class ExecSpace, class Source, int width>
struct ColumnReduction {
  using Value = typename Source::Value;
  using Lanes = typename Source::template Lanes<width>;

  Source source;
  ReductionShape shape;
  Value* results;  ///< of chunk and column, the column fastest

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t chunk = team.league_rank() / shape.groups;
    const std::int64_t first = (team.league_rank() % shape.groups) * shape.group;
    const std::int64_t begin = chunk * shape.chunk_rows;
    const int columns =
        static_cast<int>(Kokkos::min<std::int64_t>(shape.group, shape.columns - first));
    const int lane = team.team_rank() * width;
    Lanes lanes;
    add(lanes, begin, Kokkos::min(begin + shape.chunk_rows, shape.rows) - begin, first, columns,
        lane);

    auto* const joined = static_cast<Value*>(team.team_scratch(0).get_shmem_aligned(
        team.team_size() * width * sizeof(Value), alignof(Value)));
    for (int w = 0; w < Kokkos::min(width, shape.group * shape.side_by_side); ++w)
      joined[lane + w] = lanes[w];
    join_rows(team, joined, lane);
    for (int c = lane; c < lane + width && c < columns; ++c)
      results[chunk * shape.columns + first + c] = joined[c];
  }

 private:
  KOKKOS_FUNCTION void add(Lanes& lanes, std::int64_t begin, std::int64_t rows, std::int64_t first,
                           int columns, int lane) const {
    const int together = shape.side_by_side;
    if constexpr (!is_host<ExecSpace>) {
      const int column = lane % shape.group;
      const int row = lane / shape.group;
      if (column < columns && row < together && row < rows)
        walk(lanes, source.at(begin + row, first + column, together),
             (rows - row + together - 1) / together);
    } else if (together > 1) {
      // A step is `together` rows without gaps. Lanes behind them read on in the next row, in vain;
      // so the last rows are apart.
      const std::int64_t steps =
          rows * columns < width ? 0 : (rows * columns - width) / (together * columns) + 1;
      walk(lanes, source.at(begin, first, together), steps);
      for (std::int64_t row = steps * together; row < rows; ++row)
        for (int c = 0; c < columns; ++c) lanes.add(c, source.at(begin + row, first + c, 1)[0]);
    } else if (shape.neighbours) {
      add_rows<true>(lanes, begin, rows, first, columns);
    } else {
      add_rows<false>(lanes, begin, rows, first, columns);
    }
  }

  /// Four short rows at a time move the lanes to registers and back once. Long rows come strictly
  /// in the order of memory: what is read 512 bytes apart, tiles of columns or rows at a
  /// time, the prefetchers do not follow (docs/vectors.md).
  template <bool neighbours>
  KOKKOS_FUNCTION void add_rows(Lanes& lanes, std::int64_t begin, std::int64_t rows,
                                std::int64_t first, int columns) const {
    constexpr int at_once = 4;
    std::int64_t row = 0;
    if (columns * sizeof(source.at(0, 0, 1)[0]) < 512)
      for (; row + at_once <= rows; row += at_once)
        add_row<at_once, neighbours>(lanes, begin + row, first, columns);
    for (; row < rows; ++row) add_row<1, neighbours>(lanes, begin + row, first, columns);
  }

  /// Not inline: GCC would take several rows at a time after all (unroll-and-jam).
  template <int count, bool neighbours>
  [[gnu::noinline]] KOKKOS_FUNCTION void add_row(Lanes& KOKKOS_RESTRICT lanes, std::int64_t row,
                                                 std::int64_t first, int columns) const {
    for (int c = 0; c < columns; ++c)
      unroll<count>([&](int r) {
        lanes.add(
            c, neighbours ? source.at(row + r, first, 1)[c] : source.at(row + r, first + c, 1)[0]);
      });
  }

  /// joined[c] becomes that of lanes c, c + group, c + 2 · group, ...
  template <class Member>
  KOKKOS_FUNCTION void join_rows(const Member& team, Value* joined, int lane) const {
    team.team_barrier();
    for (int rows = shape.side_by_side; rows > 1;) {
      const int half = (rows + 1) / 2;
      for (int at = lane; at < lane + width && at < (rows - half) * shape.group; ++at)
        Source::join(joined[at], joined[at + half * shape.group]);
      team.team_barrier();
      rows = half;
    }
  }
};

/// A team puts together what the chunks have of a column.
template <class Source>
struct JoinChunks {
  using Value = typename Source::Value;
  const Value* partial;
  std::int64_t chunks;
  std::int64_t columns;
  Value* results;

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t column = team.league_rank();
    Value result;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, chunks),
        [&](std::int64_t chunk, Value& value) {
          Source::join(value, partial[chunk * columns + column]);
        },
        Joined<Source>(result));
    Kokkos::single(Kokkos::PerTeam(team), [&] { results[column] = result; });
  }
};

inline constexpr int gpu_lanes = 256;  ///< in a team

/// Teams that a reduction keeps busy.
template <class ExecSpace>
std::int64_t wanted_teams(const ExecSpace& exec, int threads) {
  return is_host<ExecSpace> ? 8 * std::int64_t{exec.concurrency()} : exec.concurrency() / threads;
}

/// Chunks of at least `least` steps, as many as there should be teams, at most `most`.
inline void cut_into_chunks(ReductionShape& shape, std::int64_t wanted, std::int64_t least,
                            std::int64_t most) {
  const std::int64_t steps = (shape.rows + shape.side_by_side - 1) / shape.side_by_side;
  shape.groups = (shape.columns + shape.group - 1) / shape.group;
  shape.chunks = std::clamp<std::int64_t>(steps / least, 1,
                                          std::clamp<std::int64_t>(wanted / shape.groups, 1, most));
  const std::int64_t chunk_steps =
      std::max<std::int64_t>(1, (steps + shape.chunks - 1) / shape.chunks);
  shape.chunks = std::max<std::int64_t>(1, (steps + chunk_steps - 1) / chunk_steps);
  shape.chunk_rows = chunk_steps * shape.side_by_side;
}

/// For `columns` columns the chunks never have more results than this, whatever the rows and the
/// layout: GPU teams have more than half of gpu_lanes, and no group more columns than that.
template <class ExecSpace>
std::int64_t most_partial_results(const ExecSpace& exec, std::int64_t columns) {
  return wanted_teams(exec, gpu_lanes / 2) * std::min<std::int64_t>(columns, gpu_lanes);
}

template <class ExecSpace, class Source>
void run_column_reduction(const char* label, const ExecSpace& exec, const Source& source,
                          std::int64_t rows, std::int64_t columns, typename Source::Value* partial,
                          std::int64_t partials, typename Source::Value* results) {
  using Value = typename Source::Value;
  using Teams =
      Kokkos::TeamPolicy<ExecSpace, Kokkos::IndexType<int>, Kokkos::LaunchBounds<gpu_lanes, 4>>;
  if (columns == 0) return;
  ReductionShape shape{.rows = rows, .columns = columns};
  const bool by_rows =
      columns > 1 && source.all([](auto row, auto column) { return column <= row; });
  const std::int64_t columns_of_row = by_rows ? columns : 1;  // that lie together
  shape.neighbours =
      source.all([&](auto row, auto column) { return (by_rows ? column : row) == 1; });

  const auto launch = [&](auto width, int threads, std::int64_t least) {
    // Made for another instance of exec, the room for partial results may be less.
    cut_into_chunks(shape, wanted_teams(exec, threads), least,
                    std::max<std::int64_t>(1, partials / columns));
    Value* const target = shape.chunks > 1 ? partial : results;
    Kokkos::parallel_for(
        label,
        Teams(exec, static_cast<int>(shape.chunks * shape.groups), threads)
            .set_scratch_size(0, Kokkos::PerTeam(threads * width * sizeof(Value) + 16)),
        ColumnReduction<ExecSpace, Source, decltype(width)::value>{source, shape, target});
    if (shape.chunks == 1) return;
    const int joining = is_host<ExecSpace> ? 1 : 128;
    Kokkos::parallel_for(label,
                         Kokkos::TeamPolicy<ExecSpace>(exec, static_cast<int>(columns), joining),
                         JoinChunks<Source>{partial, shape.chunks, columns, results});
  };

  if constexpr (is_host<ExecSpace>) {
    constexpr int widest = 16;             // GCC vectorises the loops over that many
    constexpr int worth_a_team = 1 << 14;  // elements
    const bool gapless =
        shape.neighbours && source.all([&](auto row, auto) { return row == columns_of_row; });
    if (gapless && columns_of_row <= widest / 2) {
      shape.group = static_cast<int>(columns_of_row);
      shape.side_by_side = widest / shape.group;
      launch(Width<widest>{}, 1, worth_a_team / widest);
    } else {
      shape.group = static_cast<int>(std::min<std::int64_t>(columns_of_row, most_columns));
      launch(Width<most_columns>{}, 1, std::max(1, worth_a_team / shape.group));
    }
  } else {
    shape.group = static_cast<int>(std::min<std::int64_t>(columns_of_row, gpu_lanes));
    shape.side_by_side = gpu_lanes / shape.group;
    const int threads = (shape.group * shape.side_by_side + 31) / 32 * 32;  // whole warps
    launch(Width<1>{}, threads, 16);
  }
}

}  // namespace fatvec::detail
