// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include <fatvec/core/json_nesting.hpp>
#include <fatvec/core/output_file.hpp>
#include <fatvec/plan/kept_machine.hpp>

namespace fatvec::tune {
namespace {

using Json = nlohmann::ordered_json;

struct Figure {
  const char* name;
  double Machine::* member;
};
constexpr Figure figures[] = {{"memory_gbs", &Machine::memory_gbs},
                              {"cache_gbs", &Machine::cache_gbs},
                              {"cache_bytes", &Machine::cache_bytes},
                              {"launch_seconds", &Machine::launch_seconds},
                              {"latency_seconds", &Machine::latency_seconds},
                              {"prefetched_beyond", &Machine::prefetched_beyond}};

/// Of the file: an object of entries, whose members are no lists.
Json read() {
  constexpr int deepest_nesting = 2;
  std::error_code error;
  if (!std::filesystem::is_regular_file(machine_path(), error)) return Json::object();
  std::ifstream file(machine_path(), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (fatvec::detail::json_nesting(text) > deepest_nesting) return Json::object();
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json::object();
}

std::optional<double> number(const Json& entry, const char* name) {
  if (!entry.is_object() || !entry.contains(name) || !entry[name].is_number()) return {};
  return entry[name].get<double>();
}

std::optional<Machine> machine_of(const Json& entry) {
  if (!entry.is_object()) return {};
  const auto text = [&entry](const char* name) {
    return entry.contains(name) && entry[name].is_string() ? entry[name].get<std::string>() : "";
  };
  Machine machine;
  machine.device = text("device");
  machine.backend = text("backend");
  machine.cpu = entry.value("cpu", Json()) == true;
  machine.threads = static_cast<int>(std::clamp(number(entry, "threads").value_or(0), 0.0, 1e9));
  for (const auto& [name, member] : figures)
    machine.*member = number(entry, name).value_or(std::nan(""));
  const bool plausible =
      machine.threads > 0 && machine.prefetched_beyond >= 0 && machine_problem(machine).empty();
  return plausible ? std::optional(machine) : std::nullopt;
}

}  // namespace

std::filesystem::path machine_path() {
  return default_cache_path().parent_path() / "machine.json";
}

std::map<std::string, Machine> kept_machines() {
  std::map<std::string, Machine> machines;
  const Json json = read();
  for (const auto& [key, entry] : json.items())
    if (const auto machine = machine_of(entry)) machines[key] = *machine;
  return machines;
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

std::optional<Machine> find_machine(const std::string& key, double load) {
  const Json json = read();
  const auto entry = json.find(key);
  if (entry == json.end()) return {};
  constexpr double quiet = 0.5;
  const double then = number(*entry, "load_average").value_or(1e9);
  if (then > quiet && load < then / 2) return {};
  return machine_of(*entry);
}

void keep_machine(const std::string& key, const Machine& machine, double load) {
  std::error_code error;
  const auto status = std::filesystem::status(default_cache_path(), error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return;  // /dev/null: a user who keeps nothing
  Json json = read();
  Json& entry = json[key] = {{"device", machine.device},
                             {"backend", machine.backend},
                             {"cpu", machine.cpu},
                             {"threads", machine.threads},
                             {"load_average", load}};
  for (const auto& [name, member] : figures) entry[name] = machine.*member;
  try {
    if (machine_path().has_parent_path())
      std::filesystem::create_directories(machine_path().parent_path(), error);
    fatvec::detail::OutputFile file(machine_path());
    file.write(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    file.commit();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it will be measured again
  }
}

}  // namespace fatvec::tune
