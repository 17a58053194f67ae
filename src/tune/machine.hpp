// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include <fatvec/core/memory.hpp>
#include <fatvec/formats/detail/rows.hpp>

namespace fatvec {

/// What the traffic model knows of a machine: measured, not looked up, so that it holds for machines that nobody has listed.
struct Machine {
  std::string device;          ///< "NVIDIA H200", the processor's model name
  std::string backend;         ///< Kokkos' name of the execution space
  bool cpu = true;             ///< blocks of rows for a few fast cores; otherwise lanes for thousands of threads
  int threads = 1;             ///< concurrency of the execution space
  double memory_gbs = 0;       ///< reading from main memory, 1e9 bytes per second
  double cache_gbs = 0;        ///< reading from the last cache that all of a product's threads share (CPU: its own part)
  double cache_bytes = 0;      ///< of that cache
  double launch_seconds = 0;   ///< from one launch to the next
  double latency_seconds = 0;  ///< of a load that waits for the one before it, from that cache
};

namespace detail {

template <class Array>
struct SumOfBlock {
  Array array;
  std::int64_t block;

  KOKKOS_FUNCTION void operator()(std::int64_t n, double& sum) const {
    if (block == 1) {
      sum += array(n);
      return;
    }
    double sums[8] = {};  // an addition takes several cycles
    const double* const from = array.data() + n * block;
    for (std::int64_t i = 0; i < block; i += 8)
      for (int lane = 0; lane < 8; ++lane) sums[lane] += from[i + lane];
    for (const double lane : sums) sum += lane;
  }
};

struct Nothing {
  KOKKOS_FUNCTION void operator()(std::int64_t) const {}
};

/// Follows a cycle of indices: each load's address is the last one's value.
template <class Indices>
struct Chase {
  Indices next;
  int steps;

  KOKKOS_FUNCTION void operator()(std::int64_t, int& at) const {
    for (int n = 0; n < steps; ++n) at = next(at);
  }
};

template <class Indices>
struct LinkCycle {
  Indices next;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto n = static_cast<std::int64_t>(next.extent(0));
    next(i) = static_cast<int>((i + 7919) % n);  // a prime larger than a page's indices: no prefetcher follows
  }
};

/// Seconds of the fastest of `passes` runs of work(), which is enqueued on exec.
template <class ExecSpace, class Work>
double fastest(const ExecSpace& exec, int passes, const Work& work) {
  double best = 1e30;
  for (int pass = 0; pass <= passes; ++pass) {
    exec.fence("fatvec::measure_machine");
    const Kokkos::Timer timer;
    work();
    exec.fence("fatvec::measure_machine");
    if (pass > 0) best = std::min(best, timer.seconds());  // the first one is a warm-up
  }
  return best;
}

/// GB/s of reading `bytes` again and again, for some 2 ms a pass.
template <class ExecSpace>
double read_gbs(const ExecSpace& exec, double bytes) {
  using Array = Kokkos::View<double*, ExecSpace>;
  const std::int64_t block = is_cpu<ExecSpace> ? 2048 : 1;
  const auto blocks = std::max<std::int64_t>(static_cast<std::int64_t>(bytes / sizeof(double)) / block, 1);
  const Array array("fatvec::measure_machine", static_cast<std::size_t>(blocks * block));
  const double size = sizeof(double) * static_cast<double>(blocks * block);
  double sum = 0;
  const double seconds = fastest(exec, 6, [&] {
    Kokkos::parallel_reduce("fatvec::measure_machine", Range<ExecSpace>(exec, 0, blocks), SumOfBlock<Array>{array, block}, sum);
  });
  return size / seconds * 1e-9;
}

template <class ExecSpace>
double launch_seconds(const ExecSpace& exec) {
  constexpr int launches = 50;
  return fastest(exec, 5,
                 [&] {
                   for (int n = 0; n < launches; ++n)
                     Kokkos::parallel_for("fatvec::measure_machine", Range<ExecSpace>(exec, 0, exec.concurrency()), Nothing{});
                 }) /
         launches;
}

template <class ExecSpace>
double latency_seconds(const ExecSpace& exec, double cache_bytes) {
  using Indices = Kokkos::View<int*, ExecSpace>;
  constexpr int steps = 20'000;
  const Indices next("fatvec::measure_machine", static_cast<std::size_t>(std::max(cache_bytes / 4, 65536.0)) / sizeof(int));
  Kokkos::parallel_for("fatvec::measure_machine", Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(next.extent(0))),
                       LinkCycle<Indices>{next});
  int end = 0;
  return fastest(exec, 2,
                 [&] {
                   Kokkos::parallel_reduce("fatvec::measure_machine", Range<ExecSpace>(exec, 0, 1), Chase<Indices>{next, steps},
                                           end);
                 }) /
         steps;
}

/// The name that the driver, or Linux, gives to what ExecSpace runs on.
template <class ExecSpace>
std::string device_name() {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<ExecSpace, Kokkos::Cuda>) {
    int device = 0;
    cudaDeviceProp properties;
    if (cudaGetDevice(&device) == cudaSuccess && cudaGetDeviceProperties(&properties, device) == cudaSuccess)
      return properties.name;
  }
#endif
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return ExecSpace::name();
}

template <class ExecSpace>
double shared_cache_bytes() {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<ExecSpace, Kokkos::Cuda>) {
    int device = 0;
    int bytes = 0;
    if (cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device) == cudaSuccess && bytes > 0)
      return bytes;
  }
#endif
#if defined(_SC_LEVEL3_CACHE_SIZE)
  const long bytes_on_chip = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (bytes_on_chip > 0) return static_cast<double>(bytes_on_chip);
#endif
  return 32e6;
}

}  // namespace detail

/// Measures the machine as exec sees it: a tenth of a second, and memory of four times its cache (at most an eighth of what is
/// free) for as long.
template <class ExecSpace>
Machine measure_machine(const ExecSpace& exec) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::measure_machine");
  constexpr bool cpu = detail::is_cpu<ExecSpace>;
  Machine machine;
  machine.device = detail::device_name<ExecSpace>();
  machine.backend = ExecSpace::name();
  machine.cpu = cpu;
  machine.threads = exec.concurrency();
  machine.cache_bytes = detail::shared_cache_bytes<ExecSpace>();
  const double affordable = static_cast<double>(free_memory<typename ExecSpace::memory_space>()) / 8;
  machine.memory_gbs = detail::read_gbs(exec, std::min(std::max(4 * machine.cache_bytes, cpu ? 64e6 : 1e9), affordable));
  machine.cache_gbs =
      std::max(detail::read_gbs(exec, cpu ? 512e3 * machine.threads : machine.cache_bytes / 4), machine.memory_gbs);
  machine.launch_seconds = detail::launch_seconds(exec);
  machine.latency_seconds = detail::latency_seconds(exec, cpu ? 8e6 : machine.cache_bytes);
  return machine;
}

/// The same, measured the first time that the process asks.
template <class ExecSpace>
const Machine& this_machine(const ExecSpace& exec) {
  static const Machine machine = measure_machine(exec);
  return machine;
}

}  // namespace fatvec
