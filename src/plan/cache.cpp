// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include <fatvec/core/error.hpp>
#include <fatvec/core/json_nesting.hpp>
#include <fatvec/core/output_file.hpp>
#include <fatvec/plan/cache.hpp>

namespace fatvec::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr int format_version = 3;

/// Held by one writer at a time, on a file of its own: the cache's is replaced. Where there can be
/// no lock, there is none.
class Lock {
 public:
  explicit Lock(std::string path)
      : path_(std::move(path)),
        descriptor_(open(path_.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0644)) {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  void take(const Waiting& waiting) const {
    const auto begin = std::chrono::steady_clock::now();
    bool told = !waiting.tell;
    while (is_with_another()) {
      const auto waited = std::chrono::steady_clock::now() - begin;
      if (waited >= waiting.limit)
        throw UsageError(fatvec::detail::concat(
            path_, ": another process has held this lock for ",
            std::chrono::duration<double>(waiting.limit).count(),
            " s; nothing is kept. End that process, or name another file by FATVEC_CACHE."));
      if (!told && waited >= waiting.silence) {
        told = true;
        waiting.tell(fatvec::detail::concat("waiting for another process to release ", path_));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

 private:
  [[nodiscard]] bool is_with_another() const {
    return descriptor_ >= 0 && flock(descriptor_, LOCK_EX | LOCK_NB) != 0 &&
           (errno == EWOULDBLOCK || errno == EINTR);
  }

  std::string path_;
  int descriptor_;
};

struct Contents {
  Json entries = Json::object();
  Json set_aside = Json::object();  ///< what made no sense, a list under its key
  std::string problem;              ///< why there are none, though there is a file
  bool replaceable = true;          ///< false: what stands there is nothing of this program's
};

/// Of a cache: the file, an object of entries or lists of them, an entry; and one to spare.
constexpr int deepest_nesting = 5;

Contents parse(const std::string& text) {
  if (fatvec::detail::json_nesting(text) > deepest_nesting)
    return {.problem = "is nested more deeply than a cache"};
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return {.problem = "is not JSON"};
  const auto member = [&json](const char* name) {
    return json.is_object() && json.contains(name) ? json[name] : Json();
  };
  const Json version = member("version");
  const Json entries = member("entries");
  const Json set_aside = member("set_aside");
  if (version.is_number_unsigned() && version.get<std::uint64_t>() > format_version)
    return {.problem = fatvec::detail::concat("was written by a newer fatvec (version ",
                                              version.get<std::uint64_t>(), " of the cache, not ",
                                              format_version, ")"),
            .replaceable = false};
  if (!version.is_number_unsigned() || version.get<std::uint64_t>() != format_version ||
      !entries.is_object() || !(set_aside.is_null() || set_aside.is_object()))
    return {.problem = "is not a cache of this version"};
  return {entries, set_aside.is_null() ? Json::object() : set_aside, {}};
}

Contents read(const std::filesystem::path& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return {};
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return {.problem = "is no plain file", .replaceable = false};
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof()) return {.problem = "cannot be read", .replaceable = false};
  return parse(text);
}

std::string left_alone(const std::filesystem::path& path, const std::string& problem) {
  return fatvec::detail::concat(path.string(), " ", problem, "; it is left alone, and nothing is ",
                                "kept. Name another file by FATVEC_CACHE.");
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
std::optional<Winner> winner_of(const Json& entry) {
  const auto member = [&entry](const char* name) {
    return entry.is_object() && entry.contains(name) ? entry[name] : Json();
  };
  const Json kernel = member("kernel");
  const Json policy = member("policy");
  const Json packed = member("packed");
  const Json repetitions = member("repetitions");
  if (!kernel.is_string() || !policy.is_string() || !packed.is_boolean() ||
      !repetitions.is_number_unsigned())
    return {};
  const auto seconds = [&member](const char* name) {
    const Json value = member(name);
    return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
  };
  const Winner winner{
      .choice = {kernel.get<std::string>(), policy.get<std::string>(), packed.get<bool>()},
      .seconds = seconds("seconds"),
      .median_seconds = seconds("median_seconds"),
      .spread = seconds("spread"),
      .repetitions = repetitions.get<std::int64_t>()};
  if (!known(winner.choice) || !plausible(winner)) return {};
  return winner;
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
    problem_ = contents.replaceable
                   ? fatvec::detail::concat(path_.string(), " ", contents.problem,
                                            "; nothing of it is used. Run 'fatvec tune' again.")
                   : left_alone(path_, contents.problem);
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
  const auto leave_alone = [this](const Contents& contents) {
    if (!contents.replaceable) problem_ = left_alone(path_, contents.problem);
    return !contents.replaceable;
  };
  if (leave_alone(read(path_))) return false;  // before a lock is made beside it
  std::error_code error;
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), error);
  const Lock lock(path_.string() + ".lock");
  lock.take(waiting_);
  Contents contents = read(path_);
  if (leave_alone(contents)) return false;
  if (!contents.problem.empty())
    problem_ = fatvec::detail::concat(path_.string(), " ", contents.problem, "; it is ",
                                      fatvec::detail::set_aside(path_).string(),
                                      " now, and a new one is begun.");
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
  file.write(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  file.commit();
  return true;
}

}  // namespace fatvec::tune
