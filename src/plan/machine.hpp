// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cstdint>
#include <string>

#include <fatvec/core/instantiate.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/core/system.hpp>
#include <fatvec/formats/concepts.hpp>
#include <fatvec/formats/detail/rows.hpp>
#include <fatvec/plan/measure_prefetching.hpp>

namespace fatvec {

/// What the traffic model knows of a machine: measured, not looked up, so that it holds for
/// machines that nobody has listed.
struct Machine {
  std::string device;     ///< "NVIDIA H200", the processor's model name
  std::string backend;    ///< Kokkos' name of the execution space
  bool cpu = true;        ///< blocks of rows for a few fast cores; otherwise thousands of threads
  int threads = 1;        ///< concurrency of the execution space
  double memory_gbs = 0;  ///< of main memory, 1e9 bytes per second: a CPU reading, a GPU copying
  double cache_gbs =
      0;  ///< reading from the last cache that all of a product's threads share (CPU: its own part)
  double cache_bytes = 0;        ///< of that cache
  double launch_seconds = 0;     ///< from one launch to the next
  double latency_seconds = 0;    ///< of a load that waits for the one before it, from that cache
  double prefetched_beyond = 0;  ///< CPU: bytes of X beyond which prefetching its rows pays
};

namespace detail {

/// For the loop that measures bandwidth: built to be debugged, or with a check of every load, it
/// would take longer than its loads, and memory seem as fast as the cache.
#if defined(__clang__)
#define FATVEC_AT_FULL_SPEED [[clang::no_sanitize("address", "undefined", "thread")]]
#elif defined(__GNUC__) && !defined(__CUDACC__)
#define FATVEC_AT_FULL_SPEED [[gnu::optimize("O3"), gnu::no_sanitize("address,undefined,thread")]]
#else
#define FATVEC_AT_FULL_SPEED
#endif

/// Reads an array `passes` times in all, in blocks of a CPU's or, by threads side by side, element
/// by element.
template <class Array>
struct SumOfBlock {
  Array array;
  std::int64_t block;
  std::int64_t blocks;
  int passes;

  FATVEC_AT_FULL_SPEED KOKKOS_FUNCTION void operator()(std::int64_t n, double& sum) const {
    double sums[8] = {};  // an addition takes several cycles
    if (block == 1) {
      std::int64_t at =
          n;  // each pass another element: a thread's own would stay in its first-level cache
      for (int pass = 0; pass < passes; pass += 8)
        for (double& lane : sums) {
          lane += array(at);
          at += 256 * 1021;
          while (at >= blocks) at -= blocks;
        }
    } else {
      const double* const from = array.data() + n * block;
      for (int pass = 0; pass < passes; ++pass)
        for (std::int64_t i = 0; i < block; i += 8)
          for (int lane = 0; lane < 8; ++lane) sums[lane] += from[i + lane];
    }
    for (const double lane : sums) sum += lane;
  }
};

/// A GPU's pattern of streaming through memory.
template <class Array>
struct CopyArray {
  Array to;
  Array from;
  KOKKOS_FUNCTION void operator()(std::int64_t n) const { to(n) = from(n); }
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
    next(i) = static_cast<int>((i + 7919) %
                               n);  // a prime larger than a page's indices: no prefetcher follows
  }
};

/// Seconds of the fastest run of work(), which is enqueued on exec: of `passes`, or of as many as
/// there is time for. What is short is then measured at some moment that belongs to no other
/// process.
template <class ExecSpace, class Work>
double fastest(const ExecSpace& exec, int passes, const Work& work) {
  constexpr double least_seconds = 0.05;
  double best = 1e30;
  const Kokkos::Timer all;
  for (int pass = 0; pass <= passes || all.seconds() < least_seconds; ++pass) {
    exec.fence("fatvec::measure_machine");
    const Kokkos::Timer timer;
    work();
    exec.fence("fatvec::measure_machine");
    if (pass > 0) best = std::min(best, timer.seconds());  // the first one is a warm-up
  }
  return best;
}

/// GB/s of reading `bytes`, `passes` times over (multiples of 8 on a GPU).
template <class ExecSpace>
double read_gbs(const ExecSpace& exec, double bytes, int passes) {
  using Array = Kokkos::View<double*, ExecSpace>;
  const std::int64_t block = is_host<ExecSpace> ? 2048 : 1;
  const auto blocks =
      std::max<std::int64_t>(static_cast<std::int64_t>(bytes / sizeof(double)) / block, 1);
  const auto array = allocate<Array>(exec, "fatvec::measure_machine", blocks * block);
  Kokkos::deep_copy(exec, array, 0.0);
  double sum = 0;
  const double seconds = fastest(exec, 6, [&] {
    Kokkos::parallel_reduce("fatvec::measure_machine", Range<ExecSpace>(exec, 0, blocks),
                            SumOfBlock<Array>{array, block, blocks, passes}, sum);
  });
  return passes * sizeof(double) * static_cast<double>(blocks * block) / seconds * 1e-9;
}

/// GB/s of copying `bytes`, half of them read; 16 bytes at a time, the widest access of a GPU's
/// thread.
template <class ExecSpace>
double copy_gbs(const ExecSpace& exec, double bytes) {
  using Array = Kokkos::View<Kokkos::complex<double>*, ExecSpace>;
  const auto n = static_cast<std::int64_t>(std::max(bytes / 32, 1.0));
  const CopyArray<Array> copy{allocate_zeros<Array>(exec, "fatvec::measure_machine", n),
                              allocate_zeros<Array>(exec, "fatvec::measure_machine", n)};
  const double seconds = fastest(exec, 6, [&] {
    Kokkos::parallel_for("fatvec::measure_machine", Range<ExecSpace>(exec, 0, n), copy);
  });
  return 32 * static_cast<double>(n) / seconds * 1e-9;
}

template <class ExecSpace>
double launch_seconds(const ExecSpace& exec) {
  constexpr int launches = is_host<ExecSpace> ? 10 : 50;  // few fit between two disturbances
  return fastest(exec, 5,
                 [&] {
                   for (int n = 0; n < launches; ++n)
                     Kokkos::parallel_for("fatvec::measure_machine",
                                          Range<ExecSpace>(exec, 0, exec.concurrency()), Nothing{});
                 }) /
         launches;
}

template <class ExecSpace>
double latency_seconds(const ExecSpace& exec, double cache_bytes) {
  using Indices = Kokkos::View<int*, ExecSpace>;
  constexpr int steps = 20'000;
  const auto next =
      allocate<Indices>(exec, "fatvec::measure_machine",
                        static_cast<std::size_t>(std::max(cache_bytes / 4, 65536.0)) / sizeof(int));
  Kokkos::parallel_for("fatvec::measure_machine",
                       Range<ExecSpace>(exec, 0, static_cast<std::int64_t>(next.extent(0))),
                       LinkCycle<Indices>{next});
  int end = 0;
  return fastest(exec, 2,
                 [&] {
                   Kokkos::parallel_reduce("fatvec::measure_machine", Range<ExecSpace>(exec, 0, 1),
                                           Chase<Indices>{next, steps}, end);
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
    if (cudaGetDevice(&device) == cudaSuccess &&
        cudaGetDeviceProperties(&properties, device) == cudaSuccess)
      return properties.name;
  }
#endif
  const std::string name = processor_name();
  return name.empty() ? ExecSpace::name() : name;
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
  const double bytes = last_level_cache_bytes();
  return bytes > 0 ? bytes : 32e6;
}

}  // namespace detail

/// Measures the machine as exec sees it, once and whatever comes of it (this_machine() checks
/// that): about a second, and memory of four times its cache, of large caches twice (at most an
/// eighth of what is free), for as long. On a CPU, products of this process then prefetch X as was
/// measured to pay. Throws CapacityError where there is none.
template <class ExecSpace>
Machine measure_machine(const ExecSpace& exec) {
  const Kokkos::Profiling::ScopedRegion region("fatvec::measure_machine");
  constexpr bool cpu = detail::is_host<ExecSpace>;
  Machine machine;
  machine.device = detail::device_name<ExecSpace>();
  machine.backend = ExecSpace::name();
  machine.cpu = cpu;
  machine.threads = exec.concurrency();
  machine.cache_bytes = detail::shared_cache_bytes<ExecSpace>();
  const double affordable =
      static_cast<double>(free_memory<typename ExecSpace::memory_space>()) / 8;
  // Of an array twice as large as a cache nothing is left there when it is read again. Caches of a
  // processor may be several of the size that the system tells, but not of large ones.
  const double wanted = std::max(std::min(4 * machine.cache_bytes, 512e6), 2 * machine.cache_bytes);
  const double beyond_cache = std::min(std::max(wanted, cpu ? 64e6 : 2e9), affordable);
  machine.memory_gbs =
      cpu ? detail::read_gbs(exec, beyond_cache, 1) : detail::copy_gbs(exec, beyond_cache);
  const double within_cache = cpu ? 512e3 * machine.threads : machine.cache_bytes / 4;
  machine.cache_gbs = detail::read_gbs(exec, within_cache, cpu ? 16 : 64);
  machine.launch_seconds = detail::launch_seconds(exec);
  machine.latency_seconds = detail::latency_seconds(exec, cpu ? 8e6 : machine.cache_bytes);
  if constexpr (cpu) {
    const auto beyond = detail::measure_prefetching(exec, machine.cache_bytes, affordable);
    host::prefetched_beyond() = beyond;
    machine.prefetched_beyond = static_cast<double>(beyond);
  }
  return machine;
}

}  // namespace fatvec

#undef FATVEC_AT_FULL_SPEED

#define FATVEC_MEASURE_MACHINE(how, Space) \
  how template fatvec::Machine fatvec::measure_machine(const Space&);
FATVEC_EXTERN_ON_SPACES(FATVEC_MEASURE_MACHINE)
