// SPDX-License-Identifier: Apache-2.0
#include "harness/transfers.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <vector>

#include <fatvec/core/error.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/formats/concepts.hpp>

#include "harness/bandwidth.hpp"

namespace fatvec::bench {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
template <class MemorySpace>
using Bytes = Kokkos::View<char*, MemorySpace>;

template <class MemorySpace, class ExecSpace>
Bytes<MemorySpace> written(const ExecSpace& exec, double bytes) {
  detail::require_fits<MemorySpace>("a buffer for copies", {.bytes = bytes}, {}, "of X or Y");
  const auto view = detail::allocate<Bytes<MemorySpace>>(exec, "fatvec::bench::transfer",
                                                         static_cast<std::size_t>(bytes));
  Kokkos::deep_copy(exec, view, char{1});
  exec.fence("fatvec::bench::transfer");
  return view;
}

/// Fills the host's caches with something else.
class Sweep {
 public:
  explicit Sweep(double bytes) : bytes_(written<Kokkos::HostSpace>(Host(), bytes)) {}
  void operator()() { Kokkos::deep_copy(bytes_, ++value_); }

 private:
  Bytes<Kokkos::HostSpace> bytes_;
  char value_ = 1;
};

template <class Copy>
double cold_median(const Copy& copy, Sweep& sweep, int repetitions) {
  copy();  // the driver's own buffers, page tables
  std::vector<double> seconds;
  for (int n = 0; n < repetitions; ++n) {
    sweep();
    const Kokkos::Timer timer;
    copy();
    seconds.push_back(timer.seconds());
  }
  std::nth_element(seconds.begin(), seconds.begin() + repetitions / 2, seconds.end());
  return seconds[repetitions / 2];
}

struct Seconds {
  double in;
  double out;
};

/// X and Y each by a copy of its own, as an application's are. HostSide: the host's memory.
template <class HostSide, class ExecSpace>
Seconds seconds_of(double x_bytes, double y_bytes, bool reads_y, bool quick) {
  const ExecSpace exec;
  const auto x = written<typename ExecSpace::memory_space>(exec, x_bytes);
  const auto y = written<typename ExecSpace::memory_space>(exec, y_bytes);
  const auto host_x = written<HostSide>(Host(), x_bytes);
  const auto host_y = written<HostSide>(Host(), y_bytes);
  Sweep sweep(quick ? 1 : 2 * last_level_cache_bytes());
  const int repetitions = quick ? 1 : 7;
  const auto fenced = [&](const auto& enqueue) {
    return [&] {
      enqueue();
      exec.fence("fatvec::bench::transfer");
    };
  };
  const auto in = [&] {
    Kokkos::deep_copy(exec, x, host_x);
    if (reads_y) Kokkos::deep_copy(exec, y, host_y);
  };
  const auto out = [&] { Kokkos::deep_copy(exec, host_y, y); };
  return {cold_median(fenced(in), sweep, repetitions),
          cold_median(fenced(out), sweep, repetitions)};
}

}  // namespace

bool has_own_memory(const std::string& backend) {
  return backend == "cuda";
}

std::optional<Copies> measure_copies(const std::string& backend, Transfers transfers,
                                     double x_bytes, double y_bytes, bool reads_y, bool quick) {
  if (transfers == Transfers::none) return {};
  const bool own = has_own_memory(backend);
  if (!own && transfers == Transfers::device) return Copies{};
  Copies copies{.bytes_in = x_bytes + (reads_y ? y_bytes : 0), .bytes_out = y_bytes};
  try {
    Seconds pageable{};
    if (!own) pageable = seconds_of<Kokkos::HostSpace, Host>(x_bytes, y_bytes, reads_y, quick);
#if defined(KOKKOS_ENABLE_CUDA)
    if (own) {
      pageable = seconds_of<Kokkos::HostSpace, Kokkos::Cuda>(x_bytes, y_bytes, reads_y, quick);
      const auto [in, out] =
          seconds_of<Kokkos::SharedHostPinnedSpace, Kokkos::Cuda>(x_bytes, y_bytes, reads_y, quick);
      copies.pinned_in_seconds = in;
      copies.pinned_out_seconds = out;
    }
#endif
    copies.in_seconds = pageable.in;
    copies.out_seconds = pageable.out;
  } catch (const CapacityError& error) {
    std::fprintf(stderr, "fatvec-bench: note: copies of X and Y are not timed: %s\n", error.what());
    return {};
  }
  return copies;
}

}  // namespace fatvec::bench
