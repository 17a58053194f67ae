// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/plan/kept_machine.hpp>

#include "choice.hpp"
#include "options.hpp"
#include "report.hpp"
#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

Json list_json() {
  Json list = {{"version", version()},
               {"backends", product::backends()},
               {"default_backend", product::default_backend()},
               {"formats", product::formats()},
               {"kernels", Json::array()},
               {"machines", Json::array()}};
  for (const auto& [kernel, format, portable] : product::kernels())
    list["kernels"].push_back({{"name", kernel}, {"format", format}, {"portable", portable}});
  for (const auto& [key, machine] : tune::kept_machines())
    list["machines"].push_back(to_json(machine));
  return list;
}

int list(bool json) {
  if (json) {
    write_json(stdout, list_json());
    return success;
  }
  fmt::print("{}\n", version());
  write_line(stdout, "backends", "{} (default: {})", joined(product::backends(), ", "),
             product::default_backend());
  write_line(stdout, "formats", "{}", joined(product::formats(), ", "));
  const char* label = "kernels";
  for (const auto& [kernel, format, portable] : product::kernels()) {
    write_line(stdout, label, "{:<20}{}", kernel, format);
    label = "";
  }
  label = "machines";
  for (const auto& [key, machine] : tune::kept_machines()) {
    write_line(stdout, label, "{}", summary(machine));
    label = "";
  }
  return success;
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  auto* const command = app.add_subcommand("list", "Formats, kernels and backends of this build");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON object");
  command->callback([&action, json] { action = [json] { return list(*json); }; });
}

}  // namespace fatvec::cli
