// SPDX-License-Identifier: Apache-2.0
#include "harness/provenance.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fatvec/app/dispatch/timing.hpp>
#include <fatvec/kernels/host/prefetch.hpp>

#include "build_info.hpp"
#include "git_info.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace fatvec::bench {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string cpu_model() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  utsname system{};
  return uname(&system) == 0 ? system.machine : "unknown";
}

std::string first_line(const char* path) {
  std::string line;
  std::getline(std::ifstream(path) >> std::ws, line);
  return line.empty() ? "unknown" : line;
}

/// Processors that the process may use; a container's quota is not visible here. OpenMP knows how
/// many there were before it bound this thread to one of them.
int usable_processors() {
#if defined(_OPENMP)
  return omp_get_num_procs();
#else
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
#endif
}

std::string kokkos_configuration() {
  std::ostringstream text;
  Kokkos::print_configuration(text);
  return text.str();
}

/// What steers the OpenMP runtime, and the selection of GPUs.
void add_environment(Facts& facts) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    for (const char* const prefix :
         {"OMP_", "GOMP_", "KMP_", "KOKKOS_", "CUDA_VISIBLE_DEVICES", "MKL_"}) {
      if (std::strncmp(*entry, prefix, std::strlen(prefix)) != 0) continue;
      const std::string text = *entry;
      const auto equals = text.find('=');
      facts.emplace_back("env_" + text.substr(0, equals), text.substr(equals + 1));
    }
  }
}

void add_gpu([[maybe_unused]] Facts& facts) {
#if defined(KOKKOS_ENABLE_CUDA)
  const cudaDeviceProp gpu = Kokkos::Cuda().cuda_device_prop();
  int driver = 0;
  cudaDriverGetVersion(&driver);
  facts.emplace_back("gpu", gpu.name);
  facts.emplace_back("gpu_memory_bytes", std::to_string(gpu.totalGlobalMem));
  facts.emplace_back("gpu_l2_bytes", std::to_string(gpu.l2CacheSize));
  facts.emplace_back("gpu_multiprocessors", std::to_string(gpu.multiProcessorCount));
  facts.emplace_back("cuda_runtime", std::to_string(CUDART_VERSION));
  facts.emplace_back("cuda_driver", std::to_string(driver));
#endif
}

std::string number(double value) {
  return fmt::format("{:.1f}", value);
}

/// The fewest digits that read back to the same number.
std::string exact(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string device_name() {
#if defined(KOKKOS_ENABLE_CUDA)
  return std::string(Kokkos::Cuda().cuda_device_prop().name) + ", host " + cpu_model();
#else
  return cpu_model();
#endif
}

}  // namespace

Facts provenance(const Options& options, const Bandwidths& bandwidths) {
  utsname system{};
  uname(&system);
  Facts facts = {
      {"fatvec_version", build_info::version},
      {"git_hash", build_info::git_hash},
      {"git_dirty", build_info::git_dirty},
      {"compiler", build_info::compiler},
      {"compiler_flags", build_info::flags},
      {"build_type", build_info::build_type},
      {"kokkos_version", build_info::kokkos_version},
      {"kokkoskernels_version", build_info::kokkoskernels_version},
      {"kokkos_configuration", kokkos_configuration()},
      {"device", device_name()},
      {"cpu", cpu_model()},
      {"cpu_governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
      {"operating_system", std::string(system.sysname) + " " + system.release},
      {"usable_processors", std::to_string(usable_processors())},
      {"threads", std::to_string(Kokkos::DefaultHostExecutionSpace().concurrency())},
      {"last_level_cache_bytes", number(last_level_cache_bytes())},
      {"suite", options.suite},
      {"scalar", options.scalar},
      {"alpha", exact(options.alpha)},
      {"beta", exact(options.beta)},
      {"dry_run", options.dry_run ? "true" : "false"},
      {"cache", "hot"},
      {"transfers", options.transfers},
  };
  facts.emplace_back("prefetched_beyond_bytes", std::to_string(host::prefetched_beyond()));
  for (const auto& stream : bandwidths.streams)
    facts.emplace_back("bandwidth_" + stream.device + "_" + stream.pattern + "_GBs",
                       number(stream.gbs));
  add_gpu(facts);
  add_environment(facts);
  return facts;
}

std::string summary(const Bandwidths& bandwidths) {
  std::string text = fmt::format("{}, {} host threads", device_name(),
                                 Kokkos::DefaultHostExecutionSpace().concurrency());
  for (const auto& stream : bandwidths.streams)
    text += fmt::format("{} {} {} {:.1f}", &stream == bandwidths.streams.data() ? ";" : ",",
                        stream.device, stream.pattern, stream.gbs);
  if (!bandwidths.streams.empty()) text += " GB/s";
  const std::string note = product::load_note();
  return note.empty() ? text : text + "\n" + note;
}

}  // namespace fatvec::bench
