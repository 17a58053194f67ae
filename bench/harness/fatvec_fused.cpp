// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <fatvec/app/dispatch/backends.hpp>
#include <fatvec/app/dispatch/operands.hpp>
#include <fatvec/fused/fused.hpp>
#include <fatvec/kernels/csr.hpp>
#include <fatvec/kernels/hll.hpp>
#include <fatvec/kernels/sell.hpp>
#include <fatvec/plan/convert.hpp>

#include "harness/contender.hpp"
#include "harness/scalar.hpp"

/// Contender `fatvec` with what stands around a product. With --sweep fused:
///   around:dot       dot products of Y with X, or the squared norms of Y where A is not square
///   around:residual  Y = beta · B + alpha · A · X, of which B is what Y was, and its squared norms
///   passes:one       all at once
///   passes:apart     by a copy of B, spmm() and dot()
///   around:step      of a solver, on GPUs: the first of these, and B = Y + B / 2. Of some steps in a
///                    row the time of one, by the host's clock
///   launch:stream    each step calls what it consists of
///   launch:graph     each step launches a CUDA graph of those calls
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

template <class Matrix, class Layout>
class Surrounded : public product::Product {
  using ExecSpace = typename Matrix::execution_space;
  using Csr = CsrMatrix<double, std::int32_t, ExecSpace, std::int32_t>;

 public:
  using Operands = product::DenseOperands<double, ExecSpace, Layout>;

  Surrounded(const product::Case& task, bool residual, bool apart)
      : residual_(residual),
        apart_(apart),
        matrix_(prepare_matrix(task)),
        dense_(task),
        results_(exec_, task.k) {
    if (residual_)
      b_ = detail::allocate<typename Operands::View>(exec_, "B", task.matrix.rows(), task.k);
    matrix_bytes = matrix_.bytes();
    stored_entries = matrix_.stored_entries();
  }

  void load(const product::HostMultivector& x, const product::HostMultivector& y) override {
    dense_.copy_in(dense_.x, x);
    dense_.copy_in(residual_ ? b_ : dense_.y, y);
  }
  double run(double alpha, double beta) override {
    return product::timed(exec_, [&] {
      if (residual_)
        form_residual(alpha, beta);
      else
        form_dots(alpha, beta);
    });
  }
  void store(const product::HostMultivector& y) const override {
    dense_.copy_out(y, dense_.y);
    check(with_x() ? dense_.x : dense_.y, y);
  }

 protected:
  [[nodiscard]] bool with_x() const {
    return !residual_ && dense_.x.extent(0) == dense_.y.extent(0);
  }

  Prepared<Matrix> prepare_matrix(const product::Case& task) {
    const Csr csr = mirror<ExecSpace>(task.matrix);
    exec_.fence("fatvec::bench::fused");
    const Kokkos::Timer timer;
    auto prepared = fatvec::prepare(exec_, convert<Matrix>(exec_, csr, task.options), task.k);
    exec_.fence("fatvec::bench::fused");
    setup_seconds = timer.seconds();
    return prepared;
  }

  void form_dots(double alpha, double beta) const {
    const auto& [x, y] = dense_;
    if (apart_) {
      spmm(exec_, alpha, matrix_, x, beta, y);
      dot(exec_, with_x() ? x : y, y, results_);
    } else if (with_x()) {
      spmm_dot(exec_, alpha, matrix_, x, beta, y, results_.values);
    } else {
      spmm(exec_, alpha, matrix_, x, beta, y, fused::square_norms(results_.values));
    }
  }
  void form_residual(double alpha, double beta) const {
    const auto& [x, y] = dense_;
    if (apart_) {
      Kokkos::deep_copy(exec_, y, b_);
      spmm(exec_, alpha, matrix_, x, beta, y);
      dot(exec_, y, y, results_);
    } else {
      spmm(exec_, alpha, matrix_, x, 0, y, fused::plus(beta, b_),
           fused::square_norms(results_.values));
    }
  }

  /// Throws Error where the sums are not those of Y.
  void check(const typename Operands::View& with, const product::HostMultivector& y) const {
    const auto found = results_.on_host(exec_);
    const auto other = detail::host_copy(with);
    const double rounding =
        std::numeric_limits<double>::epsilon() * static_cast<double>(y.extent(0) + 1);
    for (std::size_t c = 0; c < found.size(); ++c) {
      long double sum = 0, magnitudes = 0;
      for (std::size_t i = 0; i < y.extent(0); ++i) {
        const long double product = static_cast<long double>(other(i, c)) * y(i, c);
        sum += product;
        magnitudes += std::fabs(product);
      }
      if (!(std::fabs(found[c] - sum) <= rounding * magnitudes))
        throw Error(detail::concat("verification failed: the sum of column ", c, " is ", found[c],
                                   ", expected ", static_cast<double>(sum), "."));
    }
  }

  ExecSpace exec_;
  bool residual_;
  bool apart_;
  Prepared<Matrix> matrix_;
  Operands dense_;
  typename Operands::View b_;
  ColumnResults<double, ExecSpace> results_;
};

#if defined(KOKKOS_ENABLE_CUDA)
/// B = Y + B / 2: what a solver does after a product.
template <class View>
struct Update {
  View y, b;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (std::size_t c = 0; c < y.extent(1); ++c) b(i, c) = y(i, c) + 0.5 * b(i, c);
  }
};

/// A product, its dot products and an update, launched one by one or as a graph.
template <class Matrix, class Layout>
class Step final : public Surrounded<Matrix, Layout> {
  using Base = Surrounded<Matrix, Layout>;
  static constexpr int steps = 20;

 public:
  Step(const product::Case& task, bool replayed) : Base(task, false, false), replayed_(replayed) {
    this->b_ = detail::allocate_zeros<typename Base::Operands::View>(this->exec_, "B",
                                                                     task.matrix.rows(), task.k);
  }
  ~Step() override { forget(); }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  double run(double alpha, double beta) override {
    const auto& exec = this->exec_;
    if (replayed_) capture(alpha, beta);
    const int times = beta == 0 ? steps : 1;  // with another beta Y changes from step to step
    exec.fence("fatvec::bench::step");
    const Kokkos::Timer timer;
    for (int step = 0; step < times; ++step) {
      if (replayed_)
        KOKKOS_IMPL_CUDA_SAFE_CALL(cudaGraphLaunch(executable_, exec.cuda_stream()));
      else
        form(alpha, beta);
    }
    exec.fence("fatvec::bench::step");
    return timer.seconds() / times;
  }

 private:
  void form(double alpha, double beta) const {
    this->form_dots(alpha, beta);
    const auto& y = this->dense_.y;
    Kokkos::parallel_for("fatvec::bench::update",
                         Kokkos::RangePolicy<Kokkos::Cuda>(this->exec_, 0, y.extent_int(0)),
                         Update<typename Base::Operands::View>{y, this->b_});
  }
  void capture(double alpha, double beta) {
    if (executable_ != nullptr && alpha == alpha_ && beta == beta_) return;
    forget();
    alpha_ = alpha;
    beta_ = beta;
    const auto stream = this->exec_.cuda_stream();
    cudaGraph_t graph = nullptr;
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    form(alpha, beta);
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaStreamEndCapture(stream, &graph));
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaGraphInstantiateWithFlags(&executable_, graph, 0));
    cudaGraphDestroy(graph);
  }
  void forget() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    executable_ = nullptr;
  }

  bool replayed_;
  cudaGraphExec_t executable_ = nullptr;
  double alpha_ = 0;
  double beta_ = 0;
};
#endif

/// The task's product by this class, in its layout.
template <template <class, class> class Class, class Matrix>
std::unique_ptr<product::Product> prepared(const product::Case& task, auto... how) {
  return product::with_layout(
      task.layout, [&]<class KokkosLayout>(KokkosLayout) -> std::unique_ptr<product::Product> {
        return std::make_unique<Class<Matrix, KokkosLayout>>(task, how...);
      });
}

template <template <class...> class Format, class ExecSpace>
void add_format(Registry& registry, const std::string& backend) {
  using Matrix = Format<double, std::int32_t, ExecSpace, std::int32_t>;
  using Kernel = typename DefaultKernel<Matrix>::type;
  for (const bool residual : {false, true}) {
    for (const bool apart : {false, true}) {
      registry.add({.name = "fatvec",
                    .backend = backend,
                    .format = std::string(Matrix::name),
                    .parameters = {{"kernel", std::string(Kernel::name)},
                                   {"around", residual ? "residual" : "dot"},
                                   {"passes", apart ? "apart" : "one"}},
                    .on_request = runs_on_request(backend),
                    .sweep = "fused",
                    .prepare = [=](const product::Case& task) {
                      return prepared<Surrounded, Matrix>(task, residual, apart);
                    }});
    }
  }
}

template <template <class...> class Format>
void add_steps([[maybe_unused]] Registry& registry) {
#if defined(KOKKOS_ENABLE_CUDA)
  using Matrix = Format<double, std::int32_t, Kokkos::Cuda, std::int32_t>;
  for (const bool replayed : {false, true})
    registry.add({.name = "fatvec",
                  .backend = "cuda",
                  .format = std::string(Matrix::name),
                  .parameters = {{"kernel", std::string(DefaultKernel<Matrix>::type::name)},
                                 {"around", "step"},
                                 {"launch", replayed ? "graph" : "stream"}},
                  .sweep = "fused",
                  .prepare = [=](const product::Case& task) {
                    return prepared<Step, Matrix>(task, replayed);
                  }});
#endif
}

template <class ExecSpace>
void add_formats(Registry& registry, const std::string& backend) {
  add_format<CsrMatrix, ExecSpace>(registry, backend);
  add_format<HllMatrix, ExecSpace>(registry, backend);
  add_format<SellMatrix, ExecSpace>(registry, backend);
}

}  // namespace

void add_fatvec_fused(Registry& registry) {
  product::for_each_backend([&](auto backend) {
    add_formats<typename decltype(backend)::Space>(registry, std::string(backend.name));
  });
#if defined(KOKKOS_ENABLE_CUDA)
  add_steps<CsrMatrix>(registry);
  add_steps<SellMatrix>(registry);
#endif
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
