// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/core/memory.hpp>

/// What every Product on a Kokkos backend needs, fatvec's and the peers': the clock and the dense
/// operands.
namespace fatvec::product {

#if defined(KOKKOS_ENABLE_CUDA)
/// Keeps a GPU busy for some 20 microseconds and leaves its caches as they are.
struct Pause {
  KOKKOS_FUNCTION void operator()(int) const {
#if defined(__CUDA_ARCH__)
    constexpr long long cycles = 40'000;
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
#endif
  }
};
#endif

/// Seconds that launch() took on exec: device events on a GPU, a fenced clock elsewhere. The events
/// are behind a pause, so that they, and what is launched, wait on the GPU for one another: the
/// time is the GPU's alone, as in a queue that is never empty, not that of a driver on the way to
/// it (5 to 8 microseconds), for what the host enqueues within the pause.
template <class ExecSpace, class Launch>
double timed(const ExecSpace& exec, const Launch& launch) {
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<ExecSpace, Kokkos::Cuda>) {
    struct Event {
      cudaEvent_t event{};
      Event() { KOKKOS_IMPL_CUDA_SAFE_CALL(cudaEventCreate(&event)); }
      Event(const Event&) = delete;
      Event& operator=(const Event&) = delete;
      ~Event() { cudaEventDestroy(event); }
    };
    const Event start;
    const Event stop;
    Kokkos::parallel_for("fatvec::product::pause",
                         Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<int>>(exec, 0, 1),
                         Pause{});
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaEventRecord(start.event, exec.cuda_stream()));
    launch();
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaEventRecord(stop.event, exec.cuda_stream()));
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaEventSynchronize(stop.event));
    float milliseconds = 0;
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaEventElapsedTime(&milliseconds, start.event, stop.event));
    return milliseconds * 1e-3;
  }
#endif
  exec.fence("fatvec::product::timed");
  const Kokkos::Timer timer;
  launch();
  exec.fence("fatvec::product::timed");
  return timer.seconds();
}

/// Dense operands of a Product in ExecSpace's memory, in the task's layout.
template <class Scalar, class ExecSpace, class KokkosLayout>
struct DenseOperands {
  using View = Kokkos::View<Scalar**, KokkosLayout, ExecSpace>;
  View x;
  View y;

  explicit DenseOperands(const Case& task)
      : x(detail::allocate<View>(ExecSpace(), "X", task.matrix.cols(), task.k)),
        y(detail::allocate<View>(ExecSpace(), "Y", task.matrix.rows(), task.k)) {}

  /// Through a host mirror of the operand's own layout: deep_copy changes the layout only within
  /// one memory space.
  static void copy_in(const View& to, const HostMultivector& from) {
    const auto staging = detail::allocated(
        [&] { return Kokkos::create_mirror_view(Kokkos::WithoutInitializing, to); });
    Kokkos::deep_copy(staging, from);
    Kokkos::deep_copy(to, staging);
  }
  static void copy_out(const HostMultivector& to, const View& from) {
    Kokkos::deep_copy(to, detail::host_copy(from));
  }
};

}  // namespace fatvec::product
