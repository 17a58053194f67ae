// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>

#include <fatvec/core/error.hpp>

#include <fatvec/core/system.hpp>

/// What a process may still allocate on a machine that has more: control groups and limits.
namespace fatvec::detail {

/// Stands for "no limit".
inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// The number behind `key` in a file of lines such as "inactive_file 4096"; `otherwise` where the
/// file or the key is missing, or where there is no number ("max").
inline std::uint64_t number_in_file(const std::string& path, const char* key,
                                    std::uint64_t otherwise) {
  std::string text = line_of_file(path.c_str(), key);
  text.erase(0, std::strlen(key));
  char* end = nullptr;
  const auto number = std::strtoull(text.c_str(), &end, 10);
  return end == text.c_str() ? otherwise : number;
}

/// How the two versions of control groups name their files.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* reclaimable;  ///< key in memory.stat: caches, which make room when asked
};
inline constexpr GroupFiles group_files_v1{"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                           "total_inactive_file "};
inline constexpr GroupFiles group_files_v2{"/memory.max", "/memory.current", "inactive_file "};

/// Bytes that a group and those above it leave. `root` is where the hierarchy is mounted; a group
/// that is not there (a container sees its own as the root) has no limit.
inline std::uint64_t left_by_groups(const std::string& root, std::string group,
                                    const GroupFiles& files) {
  std::uint64_t left = unlimited;
  while (true) {
    const std::string folder = root + group;
    const std::uint64_t limit = number_in_file(folder + files.limit, "", unlimited);
    const std::uint64_t used = number_in_file(folder + files.used, "", 0);
    const std::uint64_t cache = number_in_file(folder + "/memory.stat", files.reclaimable, 0);
    const std::uint64_t held = used - std::min(used, cache);
    if (limit != unlimited) left = std::min(left, limit - std::min(limit, held));
    if (group.empty() || group == "/") return left;
    group.erase(group.rfind('/'));
  }
}

/// The least that the process's control groups of both versions leave. Tests name other files than
/// Linux's.
inline std::uint64_t left_by_control_groups(const char* groups_of_process = "/proc/self/cgroup",
                                            const std::string& root = "/sys/fs/cgroup") {
  std::uint64_t left = unlimited;
  std::ifstream groups(groups_of_process);
  for (std::string line; std::getline(groups, line);) {  // "0::/group", "4:cpu,memory:/group"
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string controllers = concat(",", line.substr(first + 1, second - first - 1), ",");
    const std::string group = line.substr(second + 1);
    if (controllers == ",,")
      left = std::min(left, left_by_groups(root, group, group_files_v2));
    else if (controllers.find(",memory,") != controllers.npos)
      left = std::min(left, left_by_groups(root + "/memory", group, group_files_v1));
  }
  return left;
}

/// What the limit of the address space (ulimit -v) leaves.
inline std::uint64_t left_of_address_space() {
  struct rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  const std::uint64_t page_size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t used = number_in_file("/proc/self/statm", "", 0) * page_size;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

/// Bytes of the host's memory that can still be allocated.
inline std::uint64_t free_host_memory() {
  return std::min({available_memory(), left_by_control_groups(), left_of_address_space()});
}

}  // namespace fatvec::detail
