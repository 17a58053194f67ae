// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <fatvec/app/dispatch/operands.hpp>

#include "harness/contender.hpp"
#include "peers/kokkoskernels_instances.hpp"

/// Contender `kokkoskernels`: KokkosSparse::spmv as its users call it, with a handle that is kept
/// between calls, rank-1 operands for one column and rank-2 ones for more. The matrix shares its
/// arrays with fatvec's: same bytes, same pages. Without an algorithm the handle's default; besides
///   format csr, algorithm merge-path   one column only, as its documentation says
///   format bsr, algorithm v41 or v42   the other one is the default: v41 on CPUs, v42 on GPUs; v41
///                                      keeps NaN of Y on GPUs where beta is 0, so that Y is filled
///                                      with zeros first, within the time
///   algorithm native                   where the default calls another library (a TPL)
namespace fatvec::bench::inline FATVEC_BENCH_IN {

/// Operand::PeerMatrix is Kokkos Kernels' matrix, made by Operand::of(matrix) of fatvec's, an
/// Operand::Source, with the Operand::algorithms that it has; Operand::make(task, make) calls make
/// with the task as the library wants it.
template <class ExecSpace, class KokkosLayout, class Operand>
class KokkosKernelsProduct final : public product::Product {
  using Matrix = typename Operand::PeerMatrix;
  using Dense = product::DenseOperands<Scalar, ExecSpace, KokkosLayout>;
  using Multivector = typename Dense::View;
  using Vector = Kokkos::View<Scalar*, ExecSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

 public:
  KokkosKernelsProduct(const product::Case& task, KokkosSparse::SPMVAlgorithm algorithm)
      : k_(task.k),
        zeroes_y_first_(algorithm == KokkosSparse::SPMV_BSR_V41 &&
                        !fatvec::detail::is_host<ExecSpace>),
        dense_(task),
        multivector_handle_(algorithm),
        vector_handle_(algorithm) {
    const auto csr = mirror<ExecSpace>(product::matrix_of<Scalar>(task));
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
    const auto a = static_cast<Scalar>(alpha);
    const auto b = static_cast<Scalar>(beta);
    if (k_ > 1) return multiply(multivector_handle_, a, dense_.x, b, dense_.y);
    return multiply(vector_handle_, a, Vector(dense_.x.data(), dense_.x.extent(0)), b,
                    Vector(dense_.y.data(), dense_.y.extent(0)));
  }
  void store(const product::HostMultivector& y) const override { dense_.copy_out(y, dense_.y); }

 private:
  template <class Handle, class X, class Y>
  double multiply(Handle& handle, Scalar alpha, const X& x, Scalar beta, const Y& y) {
    return product::timed(exec_, [&] {
      if (zeroes_y_first_ && beta == 0) Kokkos::deep_copy(exec_, y, Scalar(0));
      KokkosSparse::spmv(exec_, &handle, KokkosSparse::NoTranspose, alpha, matrix_, x, beta, y);
    });
  }

  ExecSpace exec_;
  std::int64_t k_;
  bool zeroes_y_first_;  ///< where beta is 0
  Matrix matrix_;
  Dense dense_;
  KokkosSparse::SPMVHandle<ExecSpace, Matrix, Multivector, Multivector> multivector_handle_;
  KokkosSparse::SPMVHandle<ExecSpace, Matrix, Vector, Vector> vector_handle_;
};

template <class ExecSpace, class Operand>
std::unique_ptr<product::Product> make_kokkoskernels(const product::Case& task,
                                                     KokkosSparse::SPMVAlgorithm algorithm) {
  if (task.layout == product::Layout::row)
    return std::make_unique<KokkosKernelsProduct<ExecSpace, Kokkos::LayoutRight, Operand>>(
        task, algorithm);
  return std::make_unique<KokkosKernelsProduct<ExecSpace, Kokkos::LayoutLeft, Operand>>(task,
                                                                                        algorithm);
}

/// An algorithm of spmv; without a name the default one.
struct SpmvAlgorithm {
  std::string name;
  KokkosSparse::SPMVAlgorithm algorithm;
  bool one_column = false;  ///< it has nothing for several
};

template <class Operand>
void add_kokkoskernels_algorithm(Registry& registry, const char* backend,
                                 const SpmvAlgorithm& spmv) {
  using ExecSpace = typename Operand::Source::execution_space;
  std::vector<Parameter> parameters;
  if (!spmv.name.empty()) parameters.push_back({"algorithm", spmv.name});
  registry.add_with_sweep(
      {.name = "kokkoskernels",
       .backend = backend,
       .format = Operand::Source::name,
       .parameters = parameters,
       .prepare =
           [algorithm = spmv.algorithm](const product::Case& task) {
             return Operand::make(task, [algorithm](const product::Case& whole) {
               return make_kokkoskernels<ExecSpace, Operand>(whole, algorithm);
             });
           },
       .unsupported = [spmv](const product::Case& task) -> std::optional<std::string> {
         if (!spmv.one_column || task.k == 1) return {};
         return detail::concat("Kokkos Kernels has no ", spmv.name, " for several columns.");
       }});
}

template <class ExecSpace, template <class> class Operand>
void add_kokkoskernels_on(Registry& registry, const char* backend) {
  const auto add = [&](const SpmvAlgorithm& spmv) {
    add_kokkoskernels_algorithm<Operand<ExecSpace>>(registry, backend, spmv);
  };
  add({"", KokkosSparse::SPMV_DEFAULT});
#if defined(KOKKOSKERNELS_ENABLE_TPL_MKL) || defined(KOKKOSKERNELS_ENABLE_TPL_CUSPARSE)
  add({"native", KokkosSparse::SPMV_NATIVE});
#endif
  for (const auto& spmv : Operand<ExecSpace>::algorithms()) add(spmv);
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

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
