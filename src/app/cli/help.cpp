// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <fatvec/generate/generate.hpp>
#include <fatvec/generate/twins.hpp>

#include <memory>
#include <string>
#include <vector>

#include <fatvec/app/cli/common/help.hpp>
#include <fatvec/app/cli/common/values.hpp>

#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

/// App::help() would be that of the chosen subcommand.
std::string whole_help(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
}

}  // namespace

std::string generators_help() {
  return fitted(generate::spec_help() + "Twins:\n" + generate::twin_names("  "));
}

void add_help(CLI::App& app, Action& action) {
  auto* const command =
      app.add_subcommand("help", "The help of a subcommand, or of the generated matrices");
  std::vector<std::string_view> topics = {"generators"};
  for (const auto* other : app.get_subcommands([](const CLI::App*) { return true; }))
    if (other != command) topics.push_back(other->get_name());
  const auto topic = std::make_shared<std::string>();
  one_of(command->add_option("TOPIC", *topic, "Without one: the program's help"), topics)
      ->type_name("");
  command->callback([&app, &action, topic] {
    action = [&app, topic] {
      if (*topic == "generators")
        fmt::print("{}\n", generators_help());
      else
        fmt::print("{}",
                   topic->empty() ? whole_help(app) : app.get_subcommand(*topic)->help("fatvec"));
      return success;
    };
  });
}

}  // namespace fatvec::cli
