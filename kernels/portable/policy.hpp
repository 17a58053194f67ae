// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fatvec/core/error.hpp>

namespace fatvec::portable {

/// Who multiplies a row. range (RangePolicy): on hosts a work-item takes a block of rows, on
/// devices a tile of a row's columns, or a part of its entries for the tile; rows that are far
/// longer than the mean have a team there, too, where A does not rule them out. team (TeamPolicy):
/// every row has a team.
enum class Form { automatic, range, team };

/// How the portable kernel cuts up its work; zeros leave the choice to the tables below.
struct Choice {
  Form form = Form::automatic;
  int width = 0;            ///< columns of a tile, whose sums are in registers
  int threads_per_row = 0;  ///< range, on devices: of a row whose entries, or blocks, lie side by
                            ///< side (CSR, BSR; other formats have one); a power of two up to 32

  [[nodiscard]] std::string to_string() const {
    const char* const name = form == Form::team ? "team" : form == Form::range ? "range" : "auto";
    return detail::concat("form:", name, "/width:", width, "/threads_per_row:", threads_per_row);
  }
  bool operator==(const Choice&) const = default;
};

/// A choice among what is compiled: `tune` and the benchmark's sweep try all of `choices`.
template <const auto& choices>
struct PolicyAmong : Choice {
  static std::vector<PolicyAmong> tuning_range() {
    std::vector<PolicyAmong> range;
    for (const Choice& choice : choices) range.push_back({choice});
    return range;
  }
  bool operator==(const PolicyAmong&) const = default;
};

/// What is compiled, by the form, the width, and the threads of a row. Formats that are not walked
/// slot by slot (rows of blocks, and of windows) have no teams.
struct Choices {
  static constexpr Form range = Form::range;
  static constexpr Form team = Form::team;
  static constexpr Choice host[] = {{range, 1}, {range, 2}, {range, 3},  {range, 4},
                                    {range, 6}, {range, 8}, {range, 16}, {team, 4}};
  static constexpr Choice host_tile[] = {{range, 1}, {range, 2}, {range, 3}, {range, 4},
                                         {range, 6}, {range, 8}, {range, 16}};
  /// Of devices: where the entries of a row lie side by side,
  static constexpr Choice device[] = {{range, 1, 1}, {range, 2, 1}, {range, 3, 1}, {range, 4, 1},
                                      {range, 2, 2}, {range, 4, 2}, {range, 1, 4}, {range, 2, 4},
                                      {range, 4, 4}, {range, 1, 8}, {range, 2, 8}, {range, 4, 8},
                                      {team, 1},     {team, 4}};
  /// and where those of several rows are interleaved: a row is one thread's, or a team's.
  static constexpr Choice whole_row[] = {{range, 1}, {range, 2}, {range, 3},
                                         {range, 4}, {team, 1},  {team, 4}};
  static constexpr Choice tile[] = {{range, 1}, {range, 2}, {range, 3}, {range, 4}};
};
using HostPolicy = PolicyAmong<Choices::host>;           ///< of hosts
using HostTilePolicy = PolicyAmong<Choices::host_tile>;  ///< without teams
using DevicePolicy = PolicyAmong<Choices::device>;       ///< of devices
using WholeRowPolicy = PolicyAmong<Choices::whole_row>;  ///< where a row is one thread's
using TilePolicy = PolicyAmong<Choices::tile>;           ///< of devices, without teams

/// Whether devices write a column-major Y directly, by threads of neighbouring rows, and not
/// through a row-major copy. Up to 32 columns a warp has two rows or more, whose elements of a
/// column lie in one sector of memory; beyond, mostly one row, so that each element takes a sector
/// of its own.
inline bool stores_column_major(std::int64_t k) {
  return k <= 32;
}

/// What the choice depends on.
struct Work {
  bool host;             ///< where it runs; otherwise on a device
  bool strided;          ///< the columns of X are apart
  bool contiguous_rows;  ///< the entries of a row lie side by side
  std::int64_t rows;     ///< of A
  double mean_length;    ///< entries of a row, or blocks
  std::int64_t k;        ///< columns of X
  bool blocks = false;   ///< the entries of a row are in blocks of BSR
};

/// A line of a table: columns of a tile and threads that share a row, for k <= most_columns.
struct Rule {
  std::int64_t most_columns;
  int width;
  int threads_per_row = 1;
};
/// For any number of columns.
inline constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

/// Hosts: tiles of a row, one after the other.
inline constexpr Rule host_rules[] = {{1, 1}, {2, 2}, {3, 3}, {5, 4}, {7, 6}, {15, 8}, {any, 16}};
/// Hosts, where the columns of X are apart.
inline constexpr Rule strided_host_rules[] = {{3, 1}, {any, 4}};
/// Devices: an item is a row with one tile.
inline constexpr Rule device_rules[] = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {6, 3}, {any, 4}};
/// The same, for rows of blocks.
inline constexpr Rule block_rules[] = {{1, 1, 4}, {2, 2, 4}, {3, 3, 4},
                                       {4, 4, 4}, {6, 3},    {any, 4}};
/// Devices: rows whose entries lie side by side.
inline constexpr Rule contiguous_row_rules[] = {{1, 1}, {2, 2}, {3, 3}, {8, 2}, {any, 4}};
/// Devices: rows that threads may share, of few entries on average,
inline constexpr Rule shared_row_rules[] = {{1, 1, 4}, {2, 2, 4}, {3, 3, 4},  {4, 4, 4},
                                            {7, 2, 2}, {8, 4, 4}, {32, 4, 2}, {any, 4}};
/// of more,
inline constexpr Rule longer_row_rules[] = {{1, 1, 4}, {2, 2, 4}, {3, 3, 4}, {4, 4, 4}, {any, 2}};
/// and of many.
inline constexpr Rule long_row_rules[] = {{1, 1, 8}, {2, 2, 4}, {3, 3, 4}, {4, 4, 4},
                                          {7, 2, 2}, {8, 4, 4}, {any, 2}};
/// Devices, where the columns of X are apart.
inline constexpr Rule strided_rules[] = {{2, 2}, {4, 4}, {any, 8}};
/// The same, for rows that threads may share.
inline constexpr Rule strided_shared_row_rules[] = {{2, 2, 4}, {4, 4, 4}, {any, 8, 4}};

/// With fewer items than this, tiles of `width` columns are halved.
inline double fewest_items(const Work& work, int width) {
  return width > 2 && !work.strided ? 120'000 : 40'000;
}
/// Below this number of threads, twice as many of them share a row.
inline double enough_threads(const Rule& rule) {
  return rule.threads_per_row > 1 && rule.width <= 2 ? 600'000 : 130'000;
}
/// The most threads for one row.
inline constexpr int most_threads_per_row = 16;
/// Entries of the row, on average, that each of them should have.
inline constexpr double entries_of_thread = 2.5;

/// Entries of the shortest rows, on average, that threads share,
inline constexpr double least_shared_length = 9;
/// and blocks, in BSR.
inline constexpr double least_shared_blocks = 8;
/// Below this many entries, on average, rows of devices are short (row_kernel.hpp).
inline constexpr double short_length = 7.5;
/// Entries of a row from which on longer_row_rules hold,
inline constexpr double longer_length = 24;
/// and long_row_rules.
inline constexpr double long_length = 40;

/// Bytes of a row of X that devices take in one sweep over A.
inline constexpr std::int64_t bytes_at_once = 512;
/// Sweeps over A, each for about `at_once` columns and at most (1 + more) times as many. Each reads
/// A from memory again: less than the rows of X that more columns would drive out of the caches.
inline std::int64_t sweeps_for(std::int64_t k, std::int64_t at_once, double more) {
  const double sweeps = static_cast<double>(k) / static_cast<double>(at_once) + 1 - more;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(sweeps));
}

/// Hosts: multiplications of a product that is worth starting several threads for.
inline constexpr double least_work_of_threads = 30'000;
/// Hosts: multiplications that a thread is handed at a time, as long as all threads have some.
inline constexpr double least_work_of_share = 16'000;
/// Hosts: shares of each thread at most.
inline constexpr int shares_of_thread = 16;

/// The longest row that the range form keeps where others go to teams.
inline int longest_of_items(double mean_length) {
  return static_cast<int>(std::clamp(4 * mean_length, 256.0, 1e9));
}
/// The tile of a team, of the widths that it is compiled for.
inline int team_width(bool host, std::int64_t columns) {
  return host || columns >= 4 ? 4 : 1;
}

/// Whether threads may share rows: their entries, or blocks, lie side by side, and each gets some.
inline bool may_share_rows(const Work& work) {
  if (work.blocks) return work.mean_length >= least_shared_blocks;
  return work.contiguous_rows && work.mean_length >= least_shared_length;
}

/// The rules for such work.
inline std::span<const Rule> rules_for(const Work& work) {
  if (work.host && work.strided) return strided_host_rules;
  if (work.host) return host_rules;
  if (may_share_rows(work) && !work.blocks) {
    if (work.strided) return strided_shared_row_rules;
    return work.mean_length < longer_length ? std::span<const Rule>(shared_row_rules)
           : work.mean_length < long_length ? std::span<const Rule>(longer_row_rules)
                                            : long_row_rules;
  }
  if (work.strided) return strided_rules;
  if (work.contiguous_rows) return contiguous_row_rules;
  return work.blocks ? std::span<const Rule>(block_rules) : device_rules;
}

/// What the first rule that holds says, with narrower tiles or more threads for a row where a
/// device would have little to do.
inline Choice proposed(const Work& work) {
  const std::span<const Rule> rules = rules_for(work);
  const Rule rule = *std::find_if(rules.begin(), rules.end(), [&](const Rule& r) {
    return work.k <= r.most_columns;  // the last one always holds
  });
  Choice choice{Form::range, rule.width, may_share_rows(work) ? rule.threads_per_row : 1};
  if (work.host) return choice;
  const auto items = [&] {
    return static_cast<double>(work.rows) *
           static_cast<double>((work.k + choice.width - 1) / choice.width);
  };
  if (choice.threads_per_row == 1)
    while (choice.width > 1 && items() < fewest_items(work, choice.width)) choice.width /= 2;
  if (may_share_rows(work))
    while (choice.threads_per_row < most_threads_per_row &&
           choice.threads_per_row * 2 * entries_of_thread <= work.mean_length &&
           items() * choice.threads_per_row * 2 <= enough_threads(rule))
      choice.threads_per_row *= 2;
  return choice;
}

/// What was asked for in the range form, the rest as proposed.
inline Choice chosen(const Choice& asked, const Work& work) {
  Choice choice = proposed(work);
  if (asked.width > 0) choice.width = asked.width;
  if (asked.threads_per_row > 0) choice.threads_per_row = asked.threads_per_row;
  choice.threads_per_row = static_cast<int>(
      std::bit_floor(std::clamp(static_cast<unsigned>(choice.threads_per_row), 1U, 32U)));
  if (work.host || !(work.contiguous_rows || work.blocks)) choice.threads_per_row = 1;
  return choice;
}

}  // namespace fatvec::portable
