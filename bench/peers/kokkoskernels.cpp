// SPDX-License-Identifier: Apache-2.0
#include <KokkosSparse_BsrMatrix.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <type_traits>

#include <fatvec/formats/bsr.hpp>
#include <fatvec/product/operands.hpp>

#include "harness/contender.hpp"
#include "peers/whole_blocks.hpp"

/// Contender `kokkoskernels`: KokkosSparse::spmv as its users call it, with a handle that is kept between calls, rank-1
/// operands for one column and rank-2 ones for more. The matrix shares its arrays with ours: same bytes, same pages.
///   format csr
///   format bsr   row-major blocks of the size with the fewest bytes; the others with --sweep block_size
namespace fatvec::bench {

template <class ExecSpace>
struct CsrOperand {
  using Ours = CsrMatrix<double, std::int32_t, ExecSpace, std::int32_t>;
  using Theirs = KokkosSparse::CrsMatrix<double, std::int32_t, typename ExecSpace::device_type, void, std::int32_t>;

  static Theirs of(const Ours& csr) {
    return Theirs("A", csr.rows(), csr.cols(), static_cast<std::int32_t>(csr.nnz()), typename Theirs::values_type(csr.values),
                  typename Theirs::row_map_type(csr.row_map), typename Theirs::index_type(csr.entries));
  }
};

template <class ExecSpace>
struct BsrOperand {
  using Ours = BsrMatrix<double, std::int32_t, ExecSpace, std::int32_t>;
  using Theirs =
      KokkosSparse::Experimental::BsrMatrix<double, std::int32_t, typename ExecSpace::device_type, void, std::int32_t>;

  static Theirs of(const Ours& bsr) {
    require_whole_blocks(bsr, "Kokkos Kernels");
    return Theirs("A", static_cast<std::int32_t>(bsr.block_rows()), static_cast<std::int32_t>(bsr.block_cols()),
                  static_cast<std::int32_t>(bsr.blocks()), typename Theirs::values_type(bsr.values),
                  typename Theirs::row_map_type(bsr.row_map), typename Theirs::index_type(bsr.entries), bsr.block_size());
  }
};

template <class ExecSpace, class KokkosLayout, class Operand>
class KokkosKernelsProduct final : public product::Product {
  using Matrix = typename Operand::Theirs;
  using Dense = product::DenseOperands<ExecSpace, KokkosLayout>;
  using Multivector = typename Dense::View;
  using Vector = Kokkos::View<double*, KokkosLayout, ExecSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

 public:
  explicit KokkosKernelsProduct(const product::Case& task) : k_(task.k), dense_(task) {
    const auto csr = mirror<ExecSpace>(task.matrix);
    exec_.fence("fatvec::bench::kokkoskernels");
    const Kokkos::Timer timer;
    const auto ours = Operand::Ours::from_csr(exec_, csr, task.options);
    exec_.fence("fatvec::bench::kokkoskernels");
    setup_seconds = timer.seconds();
    matrix_ = Operand::of(ours);
    matrix_bytes = ours.bytes();
    stored_entries = ours.stored_entries();
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

template <class ExecSpace, template <class> class Operand>
void add_kokkoskernels_format(Registry& registry, const char* backend, bool on_request) {
  registry.add_with_sweep(
      {.name = "kokkoskernels",
       .backend = backend,
       .format = Operand<ExecSpace>::Ours::name,
       .parameters = {},
       .on_request = on_request,
       .prepare = [](product::Case task) -> std::unique_ptr<product::Product> {
         task.options.storage = StorageOrder::row_major;
         if (task.layout == product::Layout::row)
           return std::make_unique<KokkosKernelsProduct<ExecSpace, Kokkos::LayoutRight, Operand<ExecSpace>>>(task);
         return std::make_unique<KokkosKernelsProduct<ExecSpace, Kokkos::LayoutLeft, Operand<ExecSpace>>>(task);
       }});
}

template <class ExecSpace>
void add_kokkoskernels_on(Registry& registry, const char* backend, bool on_request) {
  add_kokkoskernels_format<ExecSpace, CsrOperand>(registry, backend, on_request);
  add_kokkoskernels_format<ExecSpace, BsrOperand>(registry, backend, on_request);
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
