// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include <fatvec/core/execution.hpp>
#include <fatvec/core/macros.hpp>

/// Sums over rows that an output forms column by column: dot products and norms of what it stores.
///
/// Nothing is added by atomics. The rows of a launch are divided into parts, in a way that the
/// matrix, k and exec fix: a CPU's shares of rows, a device's teams. Each part has a place of its
/// own, to which one thread at a time adds, in the order of its rows; a second launch puts the
/// parts together. Results are the same bits in every run.
namespace fatvec::detail {

/// Where a sum of each column goes; one of the two is given.
template <class Sum>
struct ColumnResult {
  Sum* sums = nullptr;
  double* real_parts = nullptr;

  KOKKOS_FUNCTION void set(std::int64_t c, const Sum& value, bool add) const {
    if (sums != nullptr)
      sums[c] = add ? sums[c] + value : value;
    else
      real_parts[c] = add ? real_parts[c] + real_of(value) : real_of(value);
  }

 private:
  KOKKOS_FUNCTION static double real_of(const double& value) { return value; }
  KOKKOS_FUNCTION static double real_of(const Kokkos::complex<double>& value) {
    return value.real();
  }
};

/// The most sums of a product. Kernels count them at compile time: what is indexed at run time
/// would not stay in registers.
inline constexpr int most_sums = 3;

/// Puts the parts together: a team for each sum and column.
template <class Sum>
struct JoinParts {
  const Sum* parts;
  std::int64_t number;
  std::int64_t step;  ///< from part to part
  std::int64_t first_column;
  std::int64_t columns;
  bool add;  ///< to what is there already
  ColumnResult<Sum> results[most_sums];

  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::int64_t of_part = team.league_rank();
    Sum total{};
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, number),
        [&](std::int64_t part, Sum& sum) { sum += parts[part * step + of_part]; }, total);
    Kokkos::single(Kokkos::PerTeam(team), [&] { set(of_part, total); });
  }
  /// The same by one thread.
  void join(std::int64_t of_part) const {
    Sum total{};
    for (std::int64_t part = 0; part < number; ++part) total += parts[part * step + of_part];
    set(of_part, total);
  }

 private:
  KOKKOS_FUNCTION void set(std::int64_t of_part, const Sum& total) const {
    results[of_part / columns].set(first_column + of_part % columns, total, add);
  }
};

/// What only the host knows of the sums of a product, while it is launched.
template <class Sum>
struct SumsOnHost {
  ColumnResult<Sum> results[most_sums];
  std::int64_t first_column = 0;  ///< of the launches at hand
  std::int64_t columns = 0;
  std::int64_t parts = 0;  ///< whose places are taken
  int products = 0;        ///< begun; all but the first add to the results
};

/// The sums of an output, `number` for each column, and the places for their parts. Copied with the
/// output into kernels; only `place` and what follows differ from part to part.
template <class Sum_>
struct PartialSums {
  using Sum = Sum_;
  /// A CPU's threads add to lines of memory of their own.
  static constexpr std::int64_t line = 16;

  int number = 0;
  Sum* room = nullptr;
  std::int64_t capacity = 0;    ///< elements of it
  std::int64_t most_parts = 0;  ///< that a product has, whatever the number of its sums
  SumsOnHost<Sum>* on_host = nullptr;

  Sum* of_launch = nullptr;  ///< places of its parts
  std::int64_t part_step = 0;
  std::int64_t launch_column = 0;  ///< the first one of the launch
  std::int64_t columns = 0;        ///< of the launch

  Sum* place = nullptr;  ///< of the part at hand
  std::int64_t first_column = 0;
  std::int64_t column_step = 1;
  std::int64_t sum_step = 0;

  /// Adds to sum n of columns c, c + 1, ...
  template <int width>
  FATVEC_FORCEINLINE_FUNCTION void add(int n, std::int64_t c, const Sum (&values)[width]) const {
    Sum* const to = place + n * sum_step + (c - first_column) * column_step;
    if (column_step == 1)
      for (int w = 0; w < width; ++w) to[w] += values[w];
    else
      for (int w = 0; w < width; ++w) to[w * column_step] += values[w];
  }

  /// The place of a part, in memory; whose sums begin with 0.
  KOKKOS_INLINE_FUNCTION void begin_part(std::int64_t part) {
    go_to_part(part);
    for (std::int64_t n = 0; n < number * columns; ++n) place[n] = Sum{};
  }
  KOKKOS_INLINE_FUNCTION void go_to_part(std::int64_t part) {
    place = of_launch + part * part_step;
    first_column = launch_column;
    column_step = 1;
    sum_step = columns;
  }

  /// Host: launches for these columns follow. A product begins with the first.
  void begin(std::int64_t first, std::int64_t some_columns) const {
    on_host->products += first == 0 ? 1 : 0;
    on_host->first_column = first;
    on_host->columns = some_columns;
    on_host->parts = 0;
  }
  /// Host: elements of a part.
  [[nodiscard]] std::int64_t step() const {
    return (number * on_host->columns + line - 1) / line * line;
  }
  /// Host: parts for which there are places yet.
  [[nodiscard]] std::int64_t left() const {
    if (number == 0) return std::int64_t{1} << 40;
    return std::max<std::int64_t>(1, std::min(most_parts, capacity / step()) - on_host->parts);
  }
  /// Host: takes the places of the parts of a launch: as many as are wanted, or as there are.
  std::int64_t take(std::int64_t wanted) {
    const std::int64_t parts = std::min(wanted, left());
    part_step = step();
    of_launch = room + on_host->parts * part_step;
    launch_column = on_host->first_column;
    columns = on_host->columns;
    on_host->parts += parts;
    return parts;
  }
  /// Host: puts the parts of all launches since begin() together.
  template <class ExecSpace>
  void join(const ExecSpace& exec) const {
    if (number == 0) return;
    JoinParts<Sum> parts{.parts = room,
                         .number = on_host->parts,
                         .step = step(),
                         .first_column = on_host->first_column,
                         .columns = on_host->columns,
                         .add = on_host->products > 1,
                         .results = {}};
    for (int n = 0; n < number; ++n) parts.results[n] = on_host->results[n];
    const auto sums = static_cast<int>(number * on_host->columns);
    if constexpr (is_synchronous<ExecSpace>) {
      for (int n = 0; n < sums; ++n) parts.join(n);
    } else {
      constexpr int threads = is_host<ExecSpace> ? 1 : 128;
      Kokkos::parallel_for("fatvec::fused::join",
                           Kokkos::TeamPolicy<ExecSpace>(exec, sums, threads), parts);
    }
  }
};

/// An output that forms sums over rows: launches give its parts places.
template <class Output>
concept Reducing = requires(Output& output) { output.partial_sums(); };

/// What launches do before and after those for some columns; nothing for other outputs.
template <class Output>
void begin_sums(const Output& output, std::int64_t first_column, std::int64_t columns) {
  if constexpr (Reducing<Output>) Output(output).partial_sums().begin(first_column, columns);
}
template <class ExecSpace, class Output>
void join_sums(const ExecSpace& exec, const Output& output) {
  if constexpr (Reducing<Output>) Output(output).partial_sums().join(exec);
}
/// Parts for a launch, at most as many as are wanted.
template <class Output>
std::int64_t take_parts(Output& output, std::int64_t wanted) {
  if constexpr (Reducing<Output>)
    return output.partial_sums().take(wanted);
  else
    return wanted;
}
/// What a thread does before it stores rows of a part.
template <class Output>
KOKKOS_INLINE_FUNCTION void begin_part(Output& output, std::int64_t part) {
  if constexpr (Reducing<Output>) output.partial_sums().begin_part(part);
}

}  // namespace fatvec::detail
