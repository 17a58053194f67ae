// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include <fatvec/app/dispatch/operands.hpp>
#include <fatvec/app/dispatch/product.hpp>
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
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

template <class Matrix, class Layout>
class Surrounded final : public product::Product {
  using ExecSpace = typename Matrix::execution_space;
  using Csr = CsrMatrix<double, std::int32_t, ExecSpace, std::int32_t>;
  using Operands = product::DenseOperands<double, ExecSpace, Layout>;

 public:
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

 private:
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

template <template <class...> class Format, class ExecSpace>
void add_format(Registry& registry, const char* backend, bool on_request) {
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
                    .on_request = on_request,
                    .sweep = "fused",
                    .prepare = [=](const product::Case& task) -> std::unique_ptr<product::Product> {
                      if (task.layout == Layout::row)
                        return std::make_unique<Surrounded<Matrix, Kokkos::LayoutRight>>(
                            task, residual, apart);
                      return std::make_unique<Surrounded<Matrix, Kokkos::LayoutLeft>>(
                          task, residual, apart);
                    }});
    }
  }
}

template <class ExecSpace>
void add_formats(Registry& registry, const char* backend, bool on_request = false) {
  add_format<CsrMatrix, ExecSpace>(registry, backend, on_request);
  add_format<HllMatrix, ExecSpace>(registry, backend, on_request);
  add_format<SellMatrix, ExecSpace>(registry, backend, on_request);
}

}  // namespace

void add_fatvec_fused(Registry& registry) {
#if defined(KOKKOS_ENABLE_CUDA)
  add_formats<Kokkos::Cuda>(registry, "cuda");
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  add_formats<Kokkos::OpenMP>(registry, "openmp");
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
  add_formats<Kokkos::Serial>(registry, "serial", product::backends().size() > 1);
#endif
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
