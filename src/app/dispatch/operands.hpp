// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
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

/// Dense operands of a Product in ExecSpace's memory, in the task's layout; Y may have its own.
template <class Scalar, class ExecSpace, class KokkosLayout, class YLayout = KokkosLayout>
struct DenseOperands {
  using View = Kokkos::View<Scalar**, KokkosLayout, ExecSpace>;
  using YView = Kokkos::View<Scalar**, YLayout, ExecSpace>;
  View x;
  YView y;

  explicit DenseOperands(const Case& task)
      : x(detail::allocate<View>(ExecSpace(), "X", task.matrix.cols(), task.k)),
        y(detail::allocate<YView>(ExecSpace(), "Y", task.matrix.rows(), task.k)) {}

  /// Through a host mirror of the operand's own layout: deep_copy changes the layout only within
  /// one memory space.
  static void copy_in(const auto& to, const HostMultivector& from) {
    const auto staging = detail::allocated(
        [&] { return Kokkos::create_mirror_view(Kokkos::WithoutInitializing, to); });
    Kokkos::deep_copy(staging, from);
    Kokkos::deep_copy(to, staging);
  }
  static void copy_out(const HostMultivector& to, const YView& from) {
    Kokkos::deep_copy(to, detail::host_copy(from));
  }
};

/// visit(KokkosLayout()) with the layout of a task's X and Y.
template <class Visit>
auto with_layout(Layout layout, const Visit& visit) {
  return layout == Layout::row ? visit(Kokkos::LayoutRight()) : visit(Kokkos::LayoutLeft());
}

/// The product of what prepare(exec, csr) makes of the task's matrix for spmm(): a plan, or another
/// storage than one of the registered formats.
template <class ExecSpace, class KokkosLayout, class Prepare>
class SpmmProduct final : public Product {
  using Csr = CsrMatrix<double, std::int32_t, ExecSpace, std::int32_t>;

 public:
  SpmmProduct(const Case& task, const Prepare& prepare)
      : prepared_(prepared(task, prepare)), dense_(task) {}

  void load(const HostMultivector& x, const HostMultivector& y) override {
    dense_.copy_in(dense_.x, x);
    dense_.copy_in(dense_.y, y);
  }
  double run(double alpha, double beta) override {
    return timed(exec_, [&] { spmm(exec_, alpha, prepared_, dense_.x, beta, dense_.y); });
  }
  void store(const HostMultivector& y) const override { dense_.copy_out(y, dense_.y); }
  [[nodiscard]] const auto& prepared() const { return prepared_; }

 private:
  auto prepared(const Case& task, const Prepare& prepare) {
    const Csr csr = mirror<ExecSpace>(task.matrix);
    exec_.fence("fatvec::product::prepare");
    const Kokkos::Timer timer;
    auto made = prepare(exec_, csr);
    exec_.fence("fatvec::product::prepare");
    setup_seconds = timer.seconds();
    return made;
  }

  ExecSpace exec_;
  std::invoke_result_t<Prepare, const ExecSpace&, const Csr&> prepared_;
  DenseOperands<double, ExecSpace, KokkosLayout> dense_;
};

template <class ExecSpace, class KokkosLayout, class Prepare>
auto make_spmm_product(const Case& task, const Prepare& prepare) {
  return std::make_unique<SpmmProduct<ExecSpace, KokkosLayout, Prepare>>(task, prepare);
}

}  // namespace fatvec::product
