// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <fatvec/app/dispatch/operands.hpp>

#include "harness/contender.hpp"
#include "peers/kokkoskernels_instances.hpp"

/// Contender `kokkoskernels`: KokkosSparse::spmv as its users call it, with a handle that is kept
/// between calls, rank-1 operands for one column and rank-2 ones for more. The matrix shares its
/// arrays with fatvec's: same bytes, same pages.
namespace fatvec::bench {

/// Operand::PeerMatrix is Kokkos Kernels' matrix, made by Operand::of(matrix) of fatvec's, an
/// Operand::Source.
template <class ExecSpace, class KokkosLayout, class Operand>
class KokkosKernelsProduct final : public product::Product {
  using Matrix = typename Operand::PeerMatrix;
  using Dense = product::DenseOperands<ExecSpace, KokkosLayout>;
  using Multivector = typename Dense::View;
  using Vector = Kokkos::View<double*, ExecSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

 public:
  explicit KokkosKernelsProduct(const product::Case& task) : k_(task.k), dense_(task) {
    const auto csr = mirror<ExecSpace>(task.matrix);
    exec_.fence("fatvec::bench::kokkoskernels");
    const Kokkos::Timer timer;
    const auto source = Operand::Source::from_csr(exec_, csr, task.options);
    exec_.fence("fatvec::bench::kokkoskernels");
    setup_seconds = timer.seconds();
    matrix_ = Operand::of(source);
    matrix_bytes = source.bytes();
    stored_entries = source.stored_entries();
  }

  void load(const product::HostMultivector& x, const product::HostMultivector& y) override {
    dense_.copy_in(dense_.x, x);
    dense_.copy_in(dense_.y, y);
  }
  double run(double alpha, double beta) override {
    if (k_ > 1) return multiply(multivector_handle_, alpha, dense_.x, beta, dense_.y);
    return multiply(vector_handle_, alpha, Vector(dense_.x.data(), dense_.x.extent(0)), beta,
                    Vector(dense_.y.data(), dense_.y.extent(0)));
  }
  void store(const product::HostMultivector& y) const override { dense_.copy_out(y, dense_.y); }

 private:
  template <class Handle, class X, class Y>
  double multiply(Handle& handle, double alpha, const X& x, double beta, const Y& y) {
    return product::timed(exec_, [&] {
      KokkosSparse::spmv(exec_, &handle, KokkosSparse::NoTranspose, alpha, matrix_, x, beta, y);
    });
  }

  ExecSpace exec_;
  std::int64_t k_;
  Matrix matrix_;
  Dense dense_;
  KokkosSparse::SPMVHandle<ExecSpace, Matrix, Multivector, Multivector> multivector_handle_;
  KokkosSparse::SPMVHandle<ExecSpace, Matrix, Vector, Vector> vector_handle_;
};

template <class ExecSpace, template <class> class Operand>
void add_kokkoskernels_on(Registry& registry, const char* backend) {
  registry.add_with_sweep(
      {.name = "kokkoskernels",
       .backend = backend,
       .format = Operand<ExecSpace>::Source::name,
       .parameters = {},
       .prepare = [](const product::Case& task) -> std::unique_ptr<product::Product> {
         if (task.layout == product::Layout::row)
           return std::make_unique<
               KokkosKernelsProduct<ExecSpace, Kokkos::LayoutRight, Operand<ExecSpace>>>(task);
         return std::make_unique<
             KokkosKernelsProduct<ExecSpace, Kokkos::LayoutLeft, Operand<ExecSpace>>>(task);
       }});
}

/// Operand<ExecSpace> on the GPU, where there is one, and on the CPU; Kokkos::Serial beside
/// Kokkos::OpenMP would run the same code with one thread.
template <template <class> class Operand>
void add_kokkoskernels_operand(Registry& registry) {
#if defined(KOKKOS_ENABLE_CUDA)
  add_kokkoskernels_on<Kokkos::Cuda, Operand>(registry, "cuda");
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  add_kokkoskernels_on<Kokkos::OpenMP, Operand>(registry, "openmp");
#elif defined(KOKKOS_ENABLE_SERIAL)
  add_kokkoskernels_on<Kokkos::Serial, Operand>(registry, "serial");
#endif
}

}  // namespace fatvec::bench
