// SPDX-License-Identifier: Apache-2.0
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <type_traits>

#include <fatvec/product/operands.hpp>

#include "harness/contender.hpp"

/// Contender `kokkoskernels`: KokkosSparse::spmv as its users call it, with a handle that is kept between calls, rank-1
/// operands for one column and rank-2 ones for more. The matrix shares its arrays with ours: same bytes, same pages.
namespace fatvec::bench {

template <class ExecSpace, class KokkosLayout>
class KokkosKernelsProduct final : public product::Product {
  using Device = typename ExecSpace::device_type;
  using Matrix = KokkosSparse::CrsMatrix<double, std::int32_t, Device, void, std::int32_t>;
  using Dense = product::DenseOperands<ExecSpace, KokkosLayout>;
  using Multivector = typename Dense::View;
  using Vector = Kokkos::View<double*, KokkosLayout, ExecSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

 public:
  explicit KokkosKernelsProduct(const product::Case& task) : k_(task.k), dense_(task) {
    const auto csr = mirror<ExecSpace>(task.matrix);
    matrix_ =
        Matrix("A", csr.rows(), csr.cols(), static_cast<std::int32_t>(csr.nnz()), typename Matrix::values_type(csr.values),
               typename Matrix::row_map_type(csr.row_map), typename Matrix::index_type(csr.entries));
    matrix_bytes = csr.bytes();
    stored_entries = csr.nnz();
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
    return product::timed(exec_,
                          [&] { KokkosSparse::spmv(exec_, &handle, KokkosSparse::NoTranspose, alpha, matrix_, x, beta, y); });
  }

  ExecSpace exec_;
  std::int64_t k_;
  Matrix matrix_;
  Dense dense_;
  KokkosSparse::SPMVHandle<ExecSpace, Matrix, Multivector, Multivector> multivector_handle_;
  KokkosSparse::SPMVHandle<ExecSpace, Matrix, Vector, Vector> vector_handle_;
};

template <class ExecSpace>
void add_kokkoskernels_on(Registry& registry, const char* backend, bool on_request) {
  registry.add({.name = "kokkoskernels",
                .backend = backend,
                .format = "csr",
                .parameters = {},
                .on_request = on_request,
                .prepare = [](const product::Case& task) -> std::unique_ptr<product::Product> {
                  if (task.layout == product::Layout::row)
                    return std::make_unique<KokkosKernelsProduct<ExecSpace, Kokkos::LayoutRight>>(task);
                  return std::make_unique<KokkosKernelsProduct<ExecSpace, Kokkos::LayoutLeft>>(task);
                }});
}

void add_kokkoskernels(Registry& registry) {
#if defined(KOKKOS_ENABLE_CUDA)
  add_kokkoskernels_on<Kokkos::Cuda>(registry, "cuda", false);
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  add_kokkoskernels_on<Kokkos::OpenMP>(registry, "openmp", false);
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
  add_kokkoskernels_on<Kokkos::Serial>(registry, "serial", product::backends().size() > 1);
#endif
}

}  // namespace fatvec::bench
