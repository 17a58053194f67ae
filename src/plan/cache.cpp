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
#include <fatvec/io/detail/output_file.hpp>
#include <fatvec/plan/cache.hpp>

namespace fatvec::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr int format_version = 2;

/// Held by one writer at a time, on a file of its own: the cache's is replaced.
class Lock {
 public:
  explicit Lock(const std::filesystem::path& path)
      : descriptor_(open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644)) {
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
  std::string problem;  ///< why there are none, though there is a file
};

Contents read(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) return {};
  const Json json = Json::parse(file, nullptr, false);
  if (json.is_discarded()) return {.problem = "is not JSON"};
  if (!json.is_object() || json.value("version", 0) != format_version ||
      !json.contains("entries") || !json["entries"].is_object()) {
    return {.problem = "is not a cache of this version"};
  }
  return {json["entries"], {}};
}

/// The entry, if all of it makes sense: a cache may come from anywhere.
std::optional<Winner> winner_of(const Json& entry) {
  if (!entry.is_object()) return {};
  const auto kernel = entry.find("kernel");
  const auto policy = entry.find("policy");
  const auto packed = entry.find("packed");
  const auto seconds = entry.find("seconds");
  const auto end = entry.end();
  if (kernel == end || policy == end || packed == end || seconds == end) return {};
  if (!kernel->is_string() || !policy->is_string() || !packed->is_boolean() ||
      !seconds->is_number())
    return {};
  const Winner winner{{*kernel, *policy, *packed}, *seconds};
  if (std::find(kernel_names.begin(), kernel_names.end(), winner.choice.kernel) ==
      kernel_names.end())
    return {};
  bool known = winner.choice.policy.empty();
  for_each_kernel([&](auto candidate) {
    if (winner.choice.kernel != candidate.name) return;
    const auto look = [&](const auto& range) {
      for (const auto& policy : range) known |= policy.to_string() == winner.choice.policy;
    };
    look(decltype(candidate)::HostPolicy::tuning_range());
    look(decltype(candidate)::DevicePolicy::tuning_range());
  });
  if (!known || !std::isfinite(winner.seconds) || winner.seconds <= 0) return {};
  return winner;
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
                                      "' makes no sense and is not used.");
  return winner;
}

void Cache::store(const Key& key, const Winner& winner) {
  problem_.clear();
  std::error_code error;
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), error);
  const Lock lock(path_.string() + ".lock");
  Contents contents = read(path_);
  if (!contents.problem.empty()) {
    const std::string aside = path_.string() + ".damaged";
    std::filesystem::rename(path_, aside, error);
    problem_ = fatvec::detail::concat(path_.string(), " ", contents.problem, "; it is ", aside,
                                      " now, and a new one is begun.");
  }
  contents.entries[key.text()] = {{"kernel", winner.choice.kernel},
                                  {"policy", winner.choice.policy},
                                  {"packed", winner.choice.packed},
                                  {"seconds", winner.seconds}};
  io::detail::OutputFile file(path_);
  file.write(Json{{"version", format_version}, {"entries", contents.entries}}.dump(1) + "\n");
  file.commit();
}

}  // namespace fatvec::tune
