// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <fatvec/plan/cache.hpp>
#include <fatvec/plan/this_machine.hpp>

/// What was measured of this machine, in a file of its user beside that of `fatvec tune`: compiled,
/// in fatvec::io.
namespace fatvec {
namespace tune {

/// machine.json in the folder of default_cache_path().
std::filesystem::path machine_path();

/// All that are kept, by device and build. What makes no sense is left out: it is measured again.
std::map<std::string, Machine> kept_machines();

/// Processes that wanted to compute, in the mean of the last minute.
double load_average();

/// What is kept under the key; nothing where the computer was busier then than at `load`.
std::optional<Machine> find_machine(const std::string& key, double load);

/// Keeps the figures, and the load average before they were measured. Where the file cannot be
/// written nothing happens, and of two writers at a time the entry of one may be lost: it will be
/// measured again.
void keep_machine(const std::string& key, const Machine& machine, double load);

}  // namespace tune

/// this_machine(exec), measured once for this processor, number of threads and build, not once in a
/// process: read from what an earlier process has kept. Products of this process then prefetch X as
/// these figures say. For PlanOptions::machine.
template <class ExecSpace>
Machine kept_machine(const ExecSpace& exec) {
  const std::string key = tune::device_key(exec) + " | " + tune::build_name<double>();
  const double cache_bytes = detail::shared_cache_bytes<ExecSpace>();
  const double load = tune::load_average();
  if (const auto kept = tune::find_machine(key, load); kept && kept->cache_bytes == cache_bytes) {
    if constexpr (detail::is_host<ExecSpace>)
      host::prefetched_beyond() =
          static_cast<std::int64_t>(std::min(kept->prefetched_beyond, 1e18));
    return *kept;
  }
  const Machine& measured = this_machine(exec);
  if (machine_problem(measured).empty() && measured.threads == exec.concurrency())
    tune::keep_machine(key, measured, load);
  return measured;
}

}  // namespace fatvec
