// SPDX-License-Identifier: Apache-2.0
#include "harness/contender.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include <fatvec/core/error.hpp>

namespace fatvec::bench {
namespace {

void require_plain(const std::string& text, const std::string& label) {
  if (!text.empty() && text.find_first_of("/:, ") == std::string::npos) return;
  throw Error(detail::concat("contender ", label, ": '", text,
                             "' cannot be part of a case name; it must not be empty nor hold ",
                             "'/', ':', ',' or a space."));
}

std::string begin_of_label(const std::string& name, const std::string& backend) {
  return "contender:" + name + (product::backends().size() > 1 ? "/backend:" + backend : "");
}

std::string settings(const std::vector<Parameter>& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters) text += "/" + key + ":" + value;
  return text;
}

/// A setting of a format that --sweep varies.
struct FormatSweep {
  using Option = std::int64_t FormatOptions::*;
  std::string format;
  std::string setting;
  Option option;
  std::vector<int> values;
};

const FormatSweep format_sweeps[] = {
    {"hll", "hack_size", &FormatOptions::hack_size, {8, 16, 32, 64, 128, 256}},
    {"sell", "slice_size", &FormatOptions::slice_size, {8, 16, 32, 64, 128, 256}},
    {"sell", "sort_window", &FormatOptions::sort_window, {1, 128, 1024, 8192, 65536, INT32_MAX}},
    {"pjad", "slice_size", &FormatOptions::slice_size, {8, 16, 32, 64, 128, 256}},
    {"bsr",
     "block_size",
     &FormatOptions::block_size,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}},
};

}  // namespace

Contender varied(Contender contender, const std::string& setting, const std::string& value,
                 const std::function<void(product::Case&)>& change) {
  contender.parameters.push_back({setting, value});
  contender.sweep = setting;
  contender.prepare = [prepare = contender.prepare, change](product::Case task) {
    change(task);
    return prepare(task);
  };
  return contender;
}

bool runs_on_request(std::string_view backend) {
  return backend == "serial" && product::backends().size() > 1;
}

std::string_view to_string(Operation operation) {
  constexpr std::array<std::string_view, operations.size()> names = {"statistics", "dot", "asum",
                                                                     "nrm2"};
  return names[static_cast<std::size_t>(operation)];
}

std::string Contender::label() const {
  return begin_of_label(name, backend) + "/format:" + format + settings(parameters);
}

std::string VectorContender::label() const {
  return begin_of_label(name, backend) + settings(parameters);
}

std::string Contender::parameter(const std::string& key) const {
  const auto found = std::ranges::find(parameters, key, &Parameter::key);
  return found == parameters.end() ? "" : found->value;
}

/// What names of cases consist of beside the parameters of a contender.
constexpr std::string_view keys_of_cases[] = {"matrix",  "vector",   "operation", "contender",
                                              "backend", "format",   "layout",    "k",
                                              "ranks",   "exchange", "partition", "scalar"};

void Registry::add(Contender contender) {
  const std::string label = contender.label();
  for (const auto& text : {contender.name, contender.backend, contender.format})
    require_plain(text, label);
  for (const auto& [key, value] : contender.parameters) {
    require_plain(key, label);
    require_plain(value, label);
    if (std::ranges::find(keys_of_cases, key) != std::end(keys_of_cases))
      throw Error(detail::concat(label, ": the parameter ", key, " has the name of a case's key."));
  }
  for (const auto& other : contenders_)
    if (other.label() == label)
      throw Error(detail::concat("two contenders are registered as ", label, "."));
  contenders_.push_back(std::move(contender));
}

void Registry::add_with_sweep(const Contender& contender) {
  add(contender);
  for (const auto& sweep : format_sweeps) {
    if (contender.format != sweep.format) continue;
    for (const int value : sweep.values)
      add(varied(
          contender, sweep.setting, std::to_string(value),
          [option = sweep.option, value](product::Case& task) { task.options.*option = value; }));
  }
}

}  // namespace fatvec::bench
