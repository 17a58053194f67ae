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

/// What a work-item of the portable kernel is. range: a row and a tile of columns (RangePolicy).
/// team: a team of rows, vector lanes over the tiles of a row or, where there is one tile, over its
/// entries; a long row has the whole team (TeamPolicy).
enum class Form { automatic, range, team };

/// How the portable kernel cuts up its work; zeros leave the choice to the tables below.
struct Choice {
  Form form = Form::automatic;
  int width = 0;  ///< columns of a tile, whose sums are in registers
  int lanes = 0;  ///< team, on devices: vector lanes, a power of two up to 32

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
    return {{{range, 1}},   {{range, 2}},   {{range, 3}},   {{range, 4}},
            {{team, 1, 2}}, {{team, 1, 4}}, {{team, 1, 8}}, {{team, 1, 16}},
            {{team, 2, 2}}, {{team, 2, 4}}, {{team, 2, 8}}, {{team, 2, 16}}};
  }
  bool operator==(const DevicePolicy&) const = default;
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
inline constexpr Rule device_rules[] = {
    {1, {Form::range, 1}}, {2, {Form::range, 2}}, {3, {Form::range, 3}}, {any, {Form::range, 2}}};
/// Devices, where rows are known to be far longer than the mean.
inline constexpr Rule long_row_rules[] = {{4, {Form::team, 1, 4}}, {any, {Form::team, 2, 8}}};

/// What was asked for, what it leaves open being filled in by the first rule that holds.
inline Choice chosen(const Choice& asked, bool host, bool has_long_rows, std::int64_t k) {
  const std::span<const Rule> rules = host            ? std::span<const Rule>(host_rules)
                                      : has_long_rows ? std::span<const Rule>(long_row_rules)
                                                      : std::span<const Rule>(device_rules);
  Choice choice = std::find_if(rules.begin(), rules.end(), [k](const Rule& rule) {
                    return k <= rule.most_columns;
                  })->choice;  // the last one always holds
  if (asked.form != Form::automatic) choice.form = asked.form;
  if (asked.width > 0) choice.width = asked.width;
  if (asked.lanes > 0) choice.lanes = asked.lanes;
  if (choice.lanes == 0) choice.lanes = 4;
  choice.lanes =
      static_cast<int>(std::bit_floor(std::clamp(static_cast<unsigned>(choice.lanes), 1U, 32U)));
  if (choice.form == Form::team)  // what it is compiled for
    choice.width = host ? 4 : std::min(choice.width, 2);
  return choice;
}

}  // namespace fatvec::portable
