// SPDX-License-Identifier: Apache-2.0
#include "harness/bandwidth.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <fatvec/app/dispatch/operands.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/plan/this_machine.hpp>

namespace fatvec::bench {

// Functors that a GPU may run need external linkage under nvcc; hence no anonymous namespace.
namespace streams {

using Host = Kokkos::DefaultHostExecutionSpace;
using HostArray = Kokkos::View<double*, Host>;

/// Doubles per work-item on the host; divides the arrays' lengths, and whole cache lines keep
/// threads apart.
constexpr std::int64_t block = 4096;

/// to[0, 1], past the caches where the machine can: an ordinary store would first read the line it
/// overwrites.
inline void stream_store(double* to, double first, double second) {
#if defined(__SSE2__)
  _mm_stream_pd(
      to,
      _mm_set_pd(second,
                 first));  // two of them fill half of a write-combining line, as wider ones would
#else
  to[0] = first;
  to[1] = second;
#endif
}

inline void finish_streaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

struct Read {
  static constexpr const char* name = "read";
  static constexpr double arrays = 1;
  HostArray a, b, c;
  void operator()(std::int64_t n) const {
    constexpr int lanes = 32;  // independent sums: an addition takes several cycles
    double sum[lanes] = {};
    const double* const from = a.data() + n * block;
    for (std::int64_t i = 0; i < block; i += lanes)
      for (int lane = 0; lane < lanes; ++lane) sum[lane] += from[i + lane];
    benchmark::DoNotOptimize(sum);
  }
};

struct Copy {
  static constexpr const char* name = "copy";
  static constexpr double arrays = 2;
  HostArray a, b, c;
  void operator()(std::int64_t n) const {
    const double* const from = a.data() + n * block;
    double* const to = b.data() + n * block;
    for (std::int64_t i = 0; i < block; i += 2) stream_store(to + i, from[i], from[i + 1]);
    finish_streaming();
  }
};

struct Triad {
  static constexpr const char* name = "triad";
  static constexpr double arrays = 3;
  HostArray a, b, c;
  void operator()(std::int64_t n) const {
    const double* const x = a.data() + n * block;
    const double* const y = b.data() + n * block;
    double* const to = c.data() + n * block;
    for (std::int64_t i = 0; i < block; i += 2)
      stream_store(to + i, x[i] + 3 * y[i], x[i + 1] + 3 * y[i + 1]);
    finish_streaming();
  }
};

struct FirstTouch {
  HostArray a, b, c;
  void operator()(std::int64_t n) const {
    for (std::int64_t i = n * block; i < (n + 1) * block; ++i) a(i) = b(i) = c(i) = 1;
  }
};

template <class Pattern>
Stream measure(const HostArray& a, const HostArray& b, const HostArray& c, int passes) {
  const Host exec;
  const auto blocks = static_cast<std::int64_t>(a.extent(0)) / block;
  const Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Static>> policy(exec, 0, blocks);
  double best = 0;
  for (int pass = 0; pass < passes; ++pass) {
    const double seconds = product::timed(
        exec, [&] { Kokkos::parallel_for("fatvec::bench::stream", policy, Pattern{a, b, c}); });
    best = std::max(
        best, Pattern::arrays * sizeof(double) * static_cast<double>(a.extent(0)) / seconds * 1e-9);
  }
  return {"host", Pattern::name, best};
}

void measure_host(bool quick, std::vector<Stream>& results) {
  const double wanted = quick ? 4e6 : std::max(64e6, 4 * last_level_cache_bytes());
  const double affordable = static_cast<double>(free_memory<Kokkos::HostSpace>()) / 8;
  const auto blocks = static_cast<std::int64_t>(std::min(wanted, affordable)) /
                      static_cast<std::int64_t>(block * sizeof(double));
  const auto allocate = [&](const std::string& label) {
    return detail::allocate<HostArray>(Host(), label, blocks * block);
  };
  const HostArray a = allocate("fatvec::bench::a");
  const HostArray b = allocate("fatvec::bench::b");
  const HostArray c = allocate("fatvec::bench::c");
  Kokkos::parallel_for("fatvec::bench::first_touch",
                       Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Static>>(0, blocks),
                       FirstTouch{a, b, c});
  const int passes = quick ? 1 : 12;
  results.push_back(measure<Read>(a, b, c, passes));
  results.push_back(measure<Copy>(a, b, c, passes));
  results.push_back(measure<Triad>(a, b, c, passes));
}

#if defined(KOKKOS_ENABLE_CUDA)
/// 16 bytes: the widest access of one thread.
struct alignas(16) Pair {
  double first, second;
};

struct DeviceCopy {
  Kokkos::View<Pair*, Kokkos::Cuda> to;
  Kokkos::View<Pair*, Kokkos::Cuda> from;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = from(i); }
};

void measure_cuda(bool quick, std::vector<Stream>& results) {
  const Kokkos::Cuda exec;
  const double affordable = static_cast<double>(free_memory<Kokkos::CudaSpace>()) / 4;
  const auto pairs =
      static_cast<std::size_t>(std::min(quick ? 16e6 : 1e9, affordable) / sizeof(Pair));
  using Pairs = Kokkos::View<Pair*, Kokkos::Cuda>;
  const DeviceCopy copy{detail::allocate<Pairs>(exec, "fatvec::bench::to", pairs),
                        detail::allocate_zeros<Pairs>(exec, "fatvec::bench::from", pairs)};
  const Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>> policy(
      exec, 0, static_cast<std::int64_t>(pairs));
  double best = 0;
  for (int pass = 0; pass < (quick ? 2 : 20); ++pass) {
    const double seconds =
        product::timed(exec, [&] { Kokkos::parallel_for("fatvec::bench::stream", policy, copy); });
    best = std::max(best, 2.0 * sizeof(Pair) * static_cast<double>(pairs) / seconds * 1e-9);
  }
  results.push_back({"cuda", "copy", best});
}
#else
void measure_cuda(bool, std::vector<Stream>&) {}
#endif

}  // namespace streams

double Bandwidths::bound(const std::string& backend) const {
  const std::string device = backend == "cuda" ? "cuda" : "host";
  double best = 0;
  for (const auto& stream : streams)
    if (stream.device == device) best = std::max(best, stream.gbs);
  return best;
}

std::uint64_t free_bytes([[maybe_unused]] const std::string& backend) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (backend == "cuda") return free_memory<Kokkos::CudaSpace>();
#endif
  return free_memory<Kokkos::HostSpace>();
}

double last_level_cache_bytes() {
  const auto& cpu = benchmark::CPUInfo::Get();
  int level = 0;
  double bytes = 0;
  for (const auto& cache : cpu.caches) {
    if (cache.type == "Instruction" || cache.level < level) continue;
    level = cache.level;
    // Listed once for all that are alike; several may be in the machine, each shared by num_sharing
    // hardware threads.
    const double instances =
        std::max(1.0, static_cast<double>(cpu.num_cpus) / std::max(1, cache.num_sharing));
    bytes = static_cast<double>(cache.size) * instances;
  }
  return bytes > 0 ? bytes : 32e6;
}

double cache_bytes([[maybe_unused]] const std::string& backend) {
#if defined(KOKKOS_ENABLE_CUDA)
  if (backend == "cuda") return Kokkos::Cuda().cuda_device_prop().l2CacheSize;
#endif
  return last_level_cache_bytes();
}

Bandwidths measure_bandwidths(bool quick) {
  Bandwidths bandwidths;
  streams::measure_host(quick, bandwidths.streams);
  streams::measure_cuda(quick, bandwidths.streams);
  if (!quick) this_machine(Kokkos::DefaultHostExecutionSpace());  // from where on X is prefetched
  return bandwidths;
}

}  // namespace fatvec::bench
