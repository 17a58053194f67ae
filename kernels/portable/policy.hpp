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

/// What a work-item of the portable kernel is. range: a row and a tile of columns, or on devices a
/// part of the row's entries (RangePolicy). team: a team of rows, vector lanes over the tiles of a
/// row or, where there is one tile, over its entries; a long row has the whole team (TeamPolicy).
enum class Form { automatic, range, team };

/// How the portable kernel cuts up its work; zeros leave the choice to the tables below.
struct Choice {
  Form form = Form::automatic;
  int width = 0;  ///< columns of a tile, whose sums are in registers
  int lanes = 0;  ///< on devices: threads that share a row (range) or its tiles (team); a power of
                  ///< two up to 32

  [[nodiscard]] std::string to_string() const {
    const char* const name = form == Form::team ? "team" : form == Form::range ? "range" : "auto";
    return detail::concat("form:", name, "/width:", width, "/lanes:", lanes);
  }
  bool operator==(const Choice&) const = default;
};

/// What hosts are compiled for: `tune` and the benchmark's sweep try all of it.
struct HostPolicy : Choice {
  static std::vector<HostPolicy> tuning_range() {
    using enum Form;
    return {{{range, 1}}, {{range, 2}}, {{range, 3}},  {{range, 4}},
            {{range, 6}}, {{range, 8}}, {{range, 16}}, {{team, 4}}};
  }
  bool operator==(const HostPolicy&) const = default;
};

/// What devices are compiled for.
struct DevicePolicy : Choice {
  static std::vector<DevicePolicy> tuning_range() {
    using enum Form;
    return {{{range, 1, 1}}, {{range, 2, 1}}, {{range, 3, 1}}, {{range, 4, 1}},
            {{range, 1, 4}}, {{range, 2, 4}}, {{range, 4, 4}}, {{range, 1, 8}},
            {{range, 2, 8}}, {{range, 4, 8}}, {{team, 1, 4}},  {{team, 2, 8}}};
  }
  bool operator==(const DevicePolicy&) const = default;
};

/// What the choice depends on.
struct Work {
  bool host;             ///< where it runs; otherwise on a device
  bool strided;          ///< the columns of X are apart
  bool contiguous_rows;  ///< the entries of a row lie side by side
  bool long_rows;        ///< some are known to be far longer than the mean
  std::int64_t rows;     ///< of A
  double mean_length;    ///< entries of a row
  std::int64_t k;        ///< columns of X
};

/// A line of a table: what is taken for up to most_columns.
struct Rule {
  std::int64_t most_columns;
  Choice choice;
};
/// For any number of columns.
inline constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

/// Hosts: an item is a row with all of its columns.
inline constexpr Rule host_rules[] = {
    {1, {Form::range, 1}}, {2, {Form::range, 2}},  {3, {Form::range, 3}},   {5, {Form::range, 4}},
    {7, {Form::range, 6}}, {15, {Form::range, 8}}, {any, {Form::range, 16}}};
/// Devices: an item is a row with one tile.
inline constexpr Rule device_rules[] = {{1, {Form::range, 1, 1}},
                                        {2, {Form::range, 2, 1}},
                                        {3, {Form::range, 3, 1}},
                                        {any, {Form::range, 4, 1}}};
/// Devices: rows that threads may share.
inline constexpr Rule shared_row_rules[] = {{1, {Form::range, 1, 4}},
                                            {2, {Form::range, 2, 4}},
                                            {3, {Form::range, 3, 4}},
                                            {4, {Form::range, 4, 4}},
                                            {any, {Form::range, 2, 1}}};
/// Devices, where the columns of X are apart.
inline constexpr Rule strided_rules[] = {
    {2, {Form::range, 2, 1}}, {4, {Form::range, 4, 1}}, {any, {Form::range, 8, 1}}};
/// The same, for rows that threads may share.
inline constexpr Rule strided_shared_row_rules[] = {
    {2, {Form::range, 2, 4}}, {4, {Form::range, 4, 4}}, {any, {Form::range, 8, 4}}};
/// Devices, where rows are known to be far longer than the mean.
inline constexpr Rule long_row_rules[] = {{4, {Form::team, 1, 4}}, {any, {Form::team, 2, 8}}};

/// Items that a device should have before each is given more columns: some for every
/// multiprocessor of a large one.
inline constexpr double fewest_items = 40'000;
/// Threads up to which more of them share a row.
inline constexpr double enough_threads = 130'000;
/// The most threads for one row.
inline constexpr int most_lanes = 16;

/// The shortest rows, on average, that threads share.
inline constexpr double least_shared_length = 12;

/// Whether threads may share rows: their entries lie side by side, and each gets some.
inline bool may_share_rows(const Work& work) {
  return work.contiguous_rows && work.mean_length >= least_shared_length;
}

/// The rules for such work.
inline std::span<const Rule> rules_for(const Work& work) {
  if (work.host) return host_rules;
  if (work.long_rows) return long_row_rules;
  if (may_share_rows(work)) {
    if (work.strided) return strided_shared_row_rules;
    return shared_row_rules;
  }
  if (work.strided) return strided_rules;
  return device_rules;
}

/// What the first rule that holds says, with narrower tiles or more threads for a row where a
/// device would have little to do.
inline Choice proposed(const Work& work) {
  const std::span<const Rule> rules = rules_for(work);
  Choice choice = std::find_if(rules.begin(), rules.end(), [&](const Rule& rule) {
                    return work.k <= rule.most_columns;
                  })->choice;  // the last one always holds
  if (work.host || choice.form == Form::team) return choice;
  const auto items = [&] {
    return static_cast<double>(work.rows) *
           static_cast<double>((work.k + choice.width - 1) / choice.width);
  };
  if (choice.lanes == 1)
    while (choice.width > 1 && items() < fewest_items) choice.width /= 2;
  if (may_share_rows(work))
    while (choice.lanes < most_lanes && items() * choice.lanes * 2 <= enough_threads)
      choice.lanes *= 2;
  return choice;
}

/// What was asked for, the rest as proposed.
inline Choice chosen(const Choice& asked, const Work& work) {
  Choice choice = proposed(work);
  if (asked.form != Form::automatic) choice.form = asked.form;
  if (asked.width > 0) choice.width = asked.width;
  if (asked.lanes > 0) choice.lanes = asked.lanes;
  choice.lanes =
      static_cast<int>(std::bit_floor(std::clamp(static_cast<unsigned>(choice.lanes), 1U, 32U)));
  if (choice.form == Form::team)  // what it is compiled for
    choice.width = work.host ? 4 : std::min(choice.width, 2);
  else if (work.host || !work.contiguous_rows)
    choice.lanes = 1;
  return choice;
}

}  // namespace fatvec::portable
