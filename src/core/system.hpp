// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>

/// What the operating system says of the machine: read before an allocation, or once, by the first
/// product at the latest.
namespace fatvec::detail {

/// The first line of a file that begins with `key`, or an empty one. Of files such as
/// /proc/meminfo.
inline std::string line_of_file(const char* path, const char* key = "") {
  std::string found;
  std::FILE* const file = std::fopen(path, "r");
  if (file == nullptr) return found;
  std::array<char, 512> line{};
  while (found.empty() && std::fgets(line.data(), line.size(), file) != nullptr)
    if (std::strncmp(line.data(), key, std::strlen(key)) == 0) found = line.data();
  std::fclose(file);
  while (!found.empty() && (found.back() == '\n' || found.back() == ' ')) found.pop_back();
  return found;
}

/// Bytes of the machine's memory that nobody uses, whatever this process may have of it.
inline std::uint64_t available_memory() {
  // MemAvailable counts reclaimable caches, which sysconf's free pages do not.
  unsigned long long kibibytes = 0;
  const std::string line = line_of_file("/proc/meminfo", "MemAvailable:");
  if (std::sscanf(line.c_str(), "MemAvailable: %llu", &kibibytes) == 1) return kibibytes * 1024;
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_size > 0)
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_size);
  return std::numeric_limits<std::uint64_t>::max();
}

/// The processor's name as Linux has it, or an empty one.
inline std::string processor_name() {
  const std::string line = line_of_file("/proc/cpuinfo", "model name");
  const auto colon = line.find(": ");
  return colon == std::string::npos ? std::string() : line.substr(colon + 2);
}

/// Processors of the machine, this process's or not.
inline int processors() {
  return static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

/// Bytes of a cache of the processor as Linux tells its size in a file, or 0.
inline double cache_bytes(const char* file) {
  double kibibytes = 0;
  const std::string line = line_of_file(file);
  return std::sscanf(line.c_str(), "%lf", &kibibytes) == 1 ? 1024 * kibibytes : 0;  // "32768K"
}
/// Of its last level.
inline double last_level_cache_bytes() {
  return cache_bytes("/sys/devices/system/cpu/cpu0/cache/index3/size");
}
/// Of its second level, on most processors a core's own.
inline double second_level_cache_bytes() {
  return cache_bytes("/sys/devices/system/cpu/cpu0/cache/index2/size");
}

}  // namespace fatvec::detail
