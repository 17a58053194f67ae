// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include <fatvec/core/error.hpp>
#include <fatvec/core/output_file.hpp>
#include <fatvec/plan/cache.hpp>

namespace fatvec::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr int format_version = 3;

/// Held by one writer at a time, on a file of its own: the cache's is replaced.
class Lock {
 public:
  explicit Lock(const std::filesystem::path& path)
      : descriptor_(open(path.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0644)) {
    if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (descriptor_ >= 0) close(descriptor_);
  }

 private:
  int descriptor_;
};

struct Contents {
  Json entries = Json::object();
  Json set_aside = Json::object();  ///< what made no sense, a list under its key
  std::string problem;              ///< why there are none, though there is a file
};

Contents read(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    std::error_code none;
    if (!std::filesystem::exists(path, none)) return {};
    return {.problem = "cannot be read"};
  }
  const Json json = Json::parse(file, nullptr, false);
  if (json.is_discarded()) return {.problem = "is not JSON"};
  if (!json.is_object() || !json.contains("version") || json["version"] != format_version ||
      !json.contains("entries") || !json["entries"].is_object()) {
    return {.problem = "is not a cache of this version"};
  }
  const Json set_aside = json.value("set_aside", Json::object());
  return {json["entries"], set_aside.is_object() ? set_aside : Json::object(), {}};
}

bool known(const Choice& choice) {
  if (std::find(kernel_names.begin(), kernel_names.end(), choice.kernel) == kernel_names.end())
    return false;
  bool found = choice.policy.empty();
  for_each_kernel([&](auto candidate) {
    if (choice.kernel != candidate.name) return;
    const auto look = [&](const auto& range) {
      for (const auto& policy : range) found |= policy.to_string() == choice.policy;
    };
    look(decltype(candidate)::HostPolicy::tuning_range());
    look(decltype(candidate)::DevicePolicy::tuning_range());
  });
  return found;
}

/// Whether these can be the times of a product; NaN is nothing of that.
bool plausible(const Winner& winner) {
  constexpr double least = 1e-9;
  constexpr double most = 1e5;
  return winner.seconds >= least && winner.seconds <= winner.median_seconds &&
         winner.median_seconds <= most && winner.spread >= 0 && std::isfinite(winner.spread) &&
         winner.repetitions >= 1;
}

/// The entry, if all of it makes sense: a cache may come from anywhere.
std::optional<Winner> winner_of(const Json& entry) try {
  const Winner winner{
      .choice = {entry.at("kernel").get<std::string>(), entry.at("policy").get<std::string>(),
                 entry.at("packed").get<bool>()},
      .seconds = entry.at("seconds").get<double>(),
      .median_seconds = entry.at("median_seconds").get<double>(),
      .spread = entry.at("spread").get<double>(),
      .repetitions = entry.at("repetitions").get<std::int64_t>()};
  if (!known(winner.choice) || !plausible(winner)) return {};
  return winner;
} catch (const Json::exception&) {  // no object, a member that is missing or of another type
  return {};
}

Json json_of(const Winner& winner) {
  return {{"kernel", winner.choice.kernel},          {"policy", winner.choice.policy},
          {"packed", winner.choice.packed},          {"seconds", winner.seconds},
          {"median_seconds", winner.median_seconds}, {"spread", winner.spread},
          {"repetitions", winner.repetitions}};
}

}  // namespace

std::string Key::text() const {
  return fatvec::detail::concat(device, " | ", build, " | ", matrix, " | k ", k, " | ",
                                to_string(layout));
}

std::filesystem::path default_cache_path() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const auto given = variable("FATVEC_CACHE"); !given.empty()) return given;
  if (const auto folder = variable("XDG_CACHE_HOME"); !folder.empty())
    return std::filesystem::path(folder) / "fatvec/tune.json";
  if (const auto home = variable("HOME"); !home.empty())
    return std::filesystem::path(home) / ".cache/fatvec/tune.json";
  return "fatvec-tune.json";
}

std::optional<Winner> Cache::find(const Key& key) {
  problem_.clear();
  const Contents contents = read(path_);
  if (!contents.problem.empty()) {
    problem_ = fatvec::detail::concat(path_.string(), " ", contents.problem,
                                      "; nothing of it is used. Run 'fatvec tune' again.");
    return {};
  }
  const auto entry = contents.entries.find(key.text());
  if (entry == contents.entries.end()) return {};
  auto winner = winner_of(*entry);
  if (!winner)
    problem_ = fatvec::detail::concat(path_.string(), ": the entry '", key.text(),
                                      "' makes no sense and is not used. Run 'fatvec tune' again.");
  return winner;
}

bool Cache::store(const Key& key, const Winner& winner, Replace replace) {
  problem_.clear();
  if (!plausible(winner))
    throw UsageError(fatvec::detail::concat(
        "the measurement of ", winner.choice.kernel, " (", winner.seconds, " s, in the median ",
        winner.median_seconds, " s) makes no sense; it is not kept."));
  std::error_code error;
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), error);
  const Lock lock(path_.string() + ".lock");
  Contents contents = read(path_);
  if (!contents.problem.empty()) {
    const std::string aside = path_.string() + ".damaged";
    std::filesystem::rename(path_, aside, error);
    if (error)
      throw UsageError(fatvec::detail::concat(path_.string(), " ", contents.problem,
                                              ", and cannot be renamed to ", aside, ": ",
                                              error.message(), ". Remove it, or name another."));
    problem_ = fatvec::detail::concat(path_.string(), " ", contents.problem, "; it is ", aside,
                                      " now, and a new one is begun.");
  }
  if (const auto entry = contents.entries.find(key.text()); entry != contents.entries.end()) {
    const auto kept = winner_of(*entry);
    if (kept && replace == Replace::slower && kept->seconds <= winner.seconds) return false;
    if (!kept) {
      Json& list = contents.set_aside[key.text()];
      if (!list.is_array()) list = list.is_null() ? Json::array() : Json::array({list});
      list.push_back(*entry);
      problem_ = fatvec::detail::concat(path_.string(), ": the entry '", key.text(),
                                        "' makes no sense; it is under 'set_aside' now.");
    }
  }
  contents.entries[key.text()] = json_of(winner);
  Json json = {{"version", format_version}, {"entries", contents.entries}};
  if (!contents.set_aside.empty()) json["set_aside"] = contents.set_aside;
  fatvec::detail::OutputFile file(path_);
  file.write(json.dump(1) + "\n");
  file.commit();
  return true;
}

}  // namespace fatvec::tune
