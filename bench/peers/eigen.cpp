// SPDX-License-Identifier: Apache-2.0
// nvcc would have Eigen look for device code; it is a library of the host here.
#define EIGEN_NO_CUDA

#include <Eigen/SparseCore>
#include <type_traits>

#include <fatvec/app/dispatch/matrix_product.hpp>
#include <fatvec/core/error.hpp>

#include "harness/contender.hpp"
#include "harness/scalar.hpp"

/// Contender `eigen`: a row-major SparseMatrix times a dense Matrix, a Vector for one column; all
/// of them Maps of our arrays. Eigen itself chooses to use one thread below 20,000 entries.
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

using Csr = CsrMatrix<Scalar, std::int32_t, Kokkos::OpenMP, std::int32_t>;

struct EigenMultiply {
  void prepare(const Kokkos::OpenMP& exec, const Csr&) const {
    Eigen::setNbThreads(exec.concurrency());
  }

  template <class View>
  void operator()(const Kokkos::OpenMP&, Scalar alpha, const Csr& csr, const View& x, Scalar beta,
                  const View& y) const {
    constexpr bool by_rows = std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>;
    using Multivector = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic,
                                      by_rows ? Eigen::RowMajor : Eigen::ColMajor>;
    using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
    if (const auto k = static_cast<Eigen::Index>(x.extent(1)); k > 1) {
      multiply(alpha, csr, Eigen::Map<const Multivector>(x.data(), csr.cols(), k), beta,
               Eigen::Map<Multivector>(y.data(), csr.rows(), k));
    } else {
      multiply(alpha, csr, Eigen::Map<const Vector>(x.data(), csr.cols()), beta,
               Eigen::Map<Vector>(y.data(), csr.rows()));
    }
  }

 private:
  template <class X, class Y>
  static void multiply(Scalar alpha, const Csr& csr, const X& x, Scalar beta, Y y) {
    const Eigen::Map<const Eigen::SparseMatrix<Scalar, Eigen::RowMajor, std::int32_t>> a(
        csr.rows(), csr.cols(), csr.nnz(), csr.row_map.data(), csr.entries.data(),
        csr.values.data());
    if (alpha == 1 && beta == 0) {
      y.noalias() = a * x;
      return;
    }
    if (beta == 0) {
      y.setZero();  // 0 * NaN is NaN
    } else {
      y *= beta;
    }
    y.noalias() += alpha * (a * x);
  }
};

}  // namespace

void add_eigen(Registry& registry) {
  registry.add_fact("eigen_version", detail::concat(EIGEN_WORLD_VERSION, ".", EIGEN_MAJOR_VERSION,
                                                    ".", EIGEN_MINOR_VERSION));
  registry.add({.name = "eigen",
                .backend = "openmp",
                .format = "csr",
                .parameters = {},
                .prepare = [](const product::Case& task) {
                  return product::make_product<CsrMatrix, Scalar, Kokkos::OpenMP>(task,
                                                                                  EigenMultiply());
                }});
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
