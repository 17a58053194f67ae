// SPDX-License-Identifier: Apache-2.0
// Block conjugate gradients: A X = B for k right-hand sides, which share one space to search in.
//
// In block_cg each column has a search of its own; here the step of every column is the best one in
// the span of all k directions P, so that fewer iterations are wanted. alpha and beta are small
// matrices:
//
//     Q = A P,  alpha = (PᵀQ)⁻¹ PᵀR,  X += P alpha,  R -= Q alpha,
//     beta = -(PᵀQ)⁻¹ QᵀR,  P = an orthonormal basis of the span of R + P beta.
//
// Directions that depend on the others are dropped by a Cholesky factorisation with pivots instead
// of making PᵀQ singular, and so are those of columns whose residual is small enough: these are
// frozen. P has orthonormal columns and PᵀR = 0, so that the Gram matrix of R + P beta is RᵀR +
// betaᵀ beta, without a pass over memory. Q and R are neighbours in one array: gram() forms PᵀQ and
// PᵀR, and QᵀR and RᵀR, in a pass each.
//
// --with kokkoskernels, or mkl, or cusparse with cuBLAS, where they were found, runs the same
// iteration by those products next.
//
// Methods: D. P. O'Leary, The block conjugate gradient algorithm and related methods, Linear
// Algebra Appl. 29 (1980); H. Ji and Y. Li, A breakdown-free block conjugate gradient method, BIT
// 57 (2017).
#include <KokkosBlas3_gemm.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#if defined(EXAMPLES_HAVE_MKL)
#include <mkl_cblas.h>
#include <mkl_service.h>
#include <mkl_spblas.h>
#endif
#if defined(EXAMPLES_HAVE_CUSPARSE)
#include <cublas_v2.h>
#include <cusparse.h>
#endif

#include <fatvec/algebra/algebra.hpp>
#include <fatvec/plan/plan.hpp>

#include "common.hpp"

using examples::Block;
using examples::columns;
using examples::Device;
using examples::Exec;
using examples::Matrix;
using examples::Multivector;

namespace {

struct Options : examples::SolverOptions {
  bool box = false;
  std::string with = "fatvec";
};

/// A small matrix on the host, row by row.
struct Small {
  Small(int rows_, int columns_)
      : rows(rows_),
        columns(columns_),
        values(static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_)) {}
  double& operator()(int i, int j) { return values[static_cast<std::size_t>(i * columns + j)]; }
  double operator()(int i, int j) const {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
  int rows, columns;
  std::vector<double> values;
};

/// N⁻¹ S for a symmetric positive definite N, by Cholesky's factorisation.
Small solved(Small n, Small s) {
  const int r = n.rows;
  for (int j = 0; j < r; ++j) {
    for (int l = 0; l < j; ++l)
      for (int i = j; i < r; ++i) n(i, j) -= n(i, l) * n(j, l);
    if (!(n(j, j) > 0)) throw std::runtime_error("the directions are not A-independent");
    const double root = std::sqrt(n(j, j));
    for (int i = j; i < r; ++i) n(i, j) /= root;
  }
  for (int c = 0; c < s.columns; ++c) {
    for (int i = 0; i < r; ++i) {
      for (int l = 0; l < i; ++l) s(i, c) -= n(i, l) * s(l, c);
      s(i, c) /= n(i, i);
    }
    for (int i = r - 1; i >= 0; --i) {
      for (int l = i + 1; l < r; ++l) s(i, c) -= n(l, i) * s(l, c);
      s(i, c) /= n(i, i);
    }
  }
  return s;
}

/// C for which T C has orthonormal columns that span what T does, from G = TᵀT: a Cholesky
/// factorisation with pivots, of the columns scaled to length 1, ends where nothing is left.
Small orthonormal_combination(const Small& g) {
  constexpr double dependent = 1e-12;
  const int k = g.rows;
  std::vector<double> scale(static_cast<std::size_t>(k)), left(scale);
  std::vector<int> chosen;
  Small rows(k, k);  // of the factor: row n belongs to pivot n
  const auto at = [](auto& values, int c) -> auto& { return values[static_cast<std::size_t>(c)]; };
  for (int c = 0; c < k; ++c) {
    at(scale, c) = g(c, c) > 0 ? 1 / std::sqrt(g(c, c)) : 0;
    at(left, c) = g(c, c) > 0 ? 1 : 0;
  }
  while (static_cast<int>(chosen.size()) < k) {
    const auto n = static_cast<int>(chosen.size());
    const auto pivot = static_cast<int>(std::max_element(left.begin(), left.end()) - left.begin());
    if (!(at(left, pivot) > dependent)) break;
    const double root = std::sqrt(at(left, pivot));
    for (int c = 0; c < k; ++c) {
      double value = g(pivot, c) * at(scale, pivot) * at(scale, c);
      for (int l = 0; l < n; ++l) value -= rows(l, pivot) * rows(l, c);
      rows(n, c) = value / root;
    }
    for (int c = 0; c < k; ++c) at(left, c) -= rows(n, c) * rows(n, c);
    chosen.push_back(pivot);
    for (const int done : chosen) at(left, done) = 0;
  }
  const auto r = static_cast<int>(chosen.size());
  Small c(k, r);  // the chosen columns times the inverse of the upper triangle
  for (int j = 0; j < r; ++j)
    for (int i = j; i >= 0; --i) {
      double value = i == j ? 1 : 0;
      for (int l = i + 1; l <= j; ++l)
        value -= rows(i, at(chosen, l)) * c(at(chosen, l), j) / at(scale, at(chosen, l));
      c(at(chosen, i), j) = value / rows(i, at(chosen, i)) * at(scale, at(chosen, i));
    }
  return c;
}

/// Whose products: Y = A X, G = XᵀY, Y = alpha X S + beta Y, on the device.
struct Products {
  std::string name;
  std::function<void(const Block&, const Block&)> multiply;
  std::function<void(const Block&, const Block&, const Multivector&)> gram;
  std::function<void(double, const Block&, const Multivector&, double, const Block&)> update;
};

Products by_fatvec(const Exec& exec, const Matrix& a, int k) {
  const auto plan = fatvec::analyse(exec, a, k);
  const fatvec::GramWorkspace<Exec> workspace(exec, 2 * k, 2 * k);
  return {"fatvec",
          [=](const Block& x, const Block& y) { fatvec::spmm(exec, 1.0, plan, x, 0.0, y); },
          [=](const Block& x, const Block& y, const Multivector& g) {
            fatvec::gram(exec, x, y, g, workspace);
          },
          [=](double alpha, const Block& x, const Multivector& s, double beta, const Block& y) {
            fatvec::update(exec, alpha, x, s, beta, y);
          }};
}

Products by_kokkoskernels(const Exec& exec, const Matrix& a, int k) {
  using Crs = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
  const Crs matrix("A", a.rows(), a.cols(), static_cast<int>(a.nnz()), a.values, a.row_map,
                   a.entries);
  const Multivector product("A P", a.rows(), k);
  return {"kokkoskernels",
          [=](const Block& x, const Block& y) {
            // spmv takes no columns of a larger array: all of P, and a copy of what is wanted.
            const Multivector whole(x.data(), x.extent(0), static_cast<std::size_t>(k));
            KokkosSparse::spmv(exec, "N", 1.0, matrix, whole, 0.0, product);
            Kokkos::deep_copy(exec, y, columns(product, 0, y.extent_int(1)));
          },
          [=](const Block& x, const Block& y, const Multivector& g) {
            KokkosBlas::gemm(exec, "T", "N", 1.0, x, y, 0.0, g);
          },
          [=](double alpha, const Block& x, const Multivector& s, double beta, const Block& y) {
            KokkosBlas::gemm(exec, "N", "N", alpha, x, s, beta, y);
          }};
}

#if defined(EXAMPLES_HAVE_MKL)
Products by_mkl(const Exec& exec, const Matrix& a, int k) {
  mkl_set_dynamic(0);
  mkl_set_num_threads(exec.concurrency());
  const matrix_descr general = {SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL,
                                SPARSE_DIAG_NON_UNIT};
  sparse_matrix_t matrix = nullptr;                          // until the program ends
  auto* const offsets = const_cast<int*>(a.row_map.data());  // MKL only reads them
  auto* const entries = const_cast<int*>(a.entries.data());
  auto* const values = const_cast<double*>(a.values.data());
  mkl_sparse_d_create_csr(&matrix, SPARSE_INDEX_BASE_ZERO, a.rows(), a.cols(), offsets, offsets + 1,
                          entries, values);
  mkl_sparse_set_mm_hint(matrix, SPARSE_OPERATION_NON_TRANSPOSE, general, SPARSE_LAYOUT_ROW_MAJOR,
                         k, 1000);
  mkl_sparse_optimize(matrix);
  const auto step = [](const auto& view) { return static_cast<int>(view.stride(0)); };
  return {
      "mkl",
      [=](const Block& x, const Block& y) {
        mkl_sparse_d_mm(SPARSE_OPERATION_NON_TRANSPOSE, 1, matrix, general, SPARSE_LAYOUT_ROW_MAJOR,
                        x.data(), x.extent_int(1), step(x), 0, y.data(), step(y));
      },
      [=](const Block& x, const Block& y, const Multivector& g) {
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, x.extent_int(1), y.extent_int(1),
                    x.extent_int(0), 1, x.data(), step(x), y.data(), step(y), 0, g.data(), step(g));
      },
      [=](double alpha, const Block& x, const Multivector& s, double beta, const Block& y) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, x.extent_int(0), y.extent_int(1),
                    x.extent_int(1), alpha, x.data(), step(x), s.data(), step(s), beta, y.data(),
                    step(y));
      }};
}
#endif

#if defined(EXAMPLES_HAVE_CUSPARSE)
void require(bool success, const char* call) {
  if (!success) throw std::runtime_error(std::string(call) + " failed");
}

/// What lasts as long as the program: the libraries' handles, A, and workspace.
struct CudaLibraries {
  cusparseHandle_t sparse = nullptr;
  cublasHandle_t dense = nullptr;
  cusparseSpMatDescr_t matrix = nullptr;
  Kokkos::View<char*, Device> workspace;
};

/// cuSPARSE's SpMM by the algorithm that NVIDIA recommends for row-major X, after its
/// preprocessing, and cuBLAS.
Products by_cuda_libraries(const Exec& exec, const Matrix& a, int k) {
  CudaLibraries with;
  require(cusparseCreate(&with.sparse) == CUSPARSE_STATUS_SUCCESS, "cusparseCreate");
  require(cublasCreate(&with.dense) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
  cusparseSetStream(with.sparse, exec.cuda_stream());
  cublasSetStream(with.dense, exec.cuda_stream());
  auto* const offsets = const_cast<int*>(a.row_map.data());  // cuSPARSE only reads them
  auto* const entries = const_cast<int*>(a.entries.data());
  auto* const values = const_cast<double*>(a.values.data());
  cusparseCreateCsr(&with.matrix, a.rows(), a.cols(), a.nnz(), offsets, entries, values,
                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  // call(A, X, Y) with descriptors of X and Y.
  const auto with_operands = [](const Block& x, const Block& y, const auto& call) {
    const auto dense = [](const Block& view) {
      cusparseDnMatDescr_t descriptor = nullptr;
      cusparseCreateDnMat(&descriptor, view.extent(0), view.extent(1), view.stride(0), view.data(),
                          CUDA_R_64F, CUSPARSE_ORDER_ROW);
      return descriptor;
    };
    const cusparseDnMatDescr_t of_x = dense(x);
    const cusparseDnMatDescr_t of_y = dense(y);
    const double one = 1;
    const double zero = 0;
    require(call(&one, of_x, &zero, of_y) == CUSPARSE_STATUS_SUCCESS, "cuSPARSE's product");
    cusparseDestroyDnMat(of_x);
    cusparseDestroyDnMat(of_y);
  };
  constexpr cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
  constexpr cusparseSpMMAlg_t algorithm = CUSPARSE_SPMM_CSR_ALG2;
  {
    const Multivector x("X", a.cols(), k);
    const Multivector y("Y", a.rows(), 2 * k);
    const Block part = columns(y, 0, k);  // as the iteration's Q is
    with_operands(columns(x, 0, k), part, [&](auto* one, auto of_x, auto* zero, auto of_y) {
      std::size_t bytes = 0;
      cusparseSpMM_bufferSize(with.sparse, as_is, as_is, one, with.matrix, of_x, zero, of_y,
                              CUDA_R_64F, algorithm, &bytes);
      with.workspace = Kokkos::View<char*, Device>("cuSPARSE's workspace", bytes);
      return cusparseSpMM_preprocess(with.sparse, as_is, as_is, one, with.matrix, of_x, zero, of_y,
                                     CUDA_R_64F, algorithm, with.workspace.data());
    });
    exec.fence();
  }
  const auto step = [](const auto& view) { return static_cast<int>(view.stride(0)); };
  // Row-major operands are the column-major transposes: Gᵀ = YᵀX, Yᵀ = SᵀXᵀ.
  return {"cuSPARSE and cuBLAS",
          [=](const Block& x, const Block& y) {
            with_operands(x, y, [&](auto* one, auto of_x, auto* zero, auto of_y) {
              return cusparseSpMM(with.sparse, as_is, as_is, one, with.matrix, of_x, zero, of_y,
                                  CUDA_R_64F, algorithm, with.workspace.data());
            });
          },
          [=](const Block& x, const Block& y, const Multivector& g) {
            const double one = 1;
            const double zero = 0;
            require(cublasDgemm(with.dense, CUBLAS_OP_N, CUBLAS_OP_T, y.extent_int(1),
                                x.extent_int(1), x.extent_int(0), &one, y.data(), step(y), x.data(),
                                step(x), &zero, g.data(), step(g)) == CUBLAS_STATUS_SUCCESS,
                    "cublasDgemm");
          },
          [=](double alpha, const Block& x, const Multivector& s, double beta, const Block& y) {
            require(
                cublasDgemm(with.dense, CUBLAS_OP_N, CUBLAS_OP_N, y.extent_int(1), x.extent_int(0),
                            x.extent_int(1), &alpha, s.data(), step(s), x.data(), step(x), &beta,
                            y.data(), step(y)) == CUBLAS_STATUS_SUCCESS,
                "cublasDgemm");
          }};
}
#endif

/// Small matrices on their way between host and device.
class Transfer {
 public:
  Transfer(const Exec& exec, int k) : exec_(exec), room_("small", 2 * k, 2 * k) {}
  [[nodiscard]] Multivector place(int rows, int columns) const {
    return Multivector(room_.data(), static_cast<std::size_t>(rows),
                       static_cast<std::size_t>(columns));
  }
  [[nodiscard]] Multivector to_device(const Small& s) const {
    const Multivector device = place(s.rows, s.columns);
    Kokkos::deep_copy(exec_, device, Host(s.values.data(), s.rows, s.columns));
    exec_.fence();
    return device;
  }
  [[nodiscard]] Small to_host(const Multivector& device) const {
    Small s(device.extent_int(0), device.extent_int(1));
    Kokkos::deep_copy(exec_,
                      Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>(
                          s.values.data(), s.rows, s.columns),
                      device);
    exec_.fence();
    return s;
  }

 private:
  using Host = Kokkos::View<const double**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  Exec exec_;
  Multivector room_;
};

/// Columns first ... first + count - 1 of s.
Small part(const Small& s, int first, int count) {
  Small some(s.rows, count);
  for (int i = 0; i < s.rows; ++i)
    for (int j = 0; j < count; ++j) some(i, j) = s(i, first + j);
  return some;
}

/// What the solver keeps: QR = [Q R], the directions P, and which columns are not good enough yet.
class Iteration {
 public:
  /// From X = 0.
  Iteration(const Exec& exec, const Products& by, const Multivector& b, const Multivector& x,
            double tolerance)
      : by_(by),
        tolerance_(tolerance),
        k_(b.extent_int(1)),
        x_(x),
        qr_("QR", b.extent(0), 2 * b.extent(1)),
        r_(columns(qr_, k_, 2 * k_)),
        p_("P", b.extent(0), b.extent(1)),
        next_p_("P", b.extent(0), b.extent(1)),
        small_(exec, k_),
        bb_(k_, k_),
        active_(b.extent(1)) {
    Kokkos::deep_copy(exec, x, 0);
    Kokkos::deep_copy(exec, r_, b);
    bb_ = gram(r_, r_);
    for (int c = 0; c < k_; ++c) active_[static_cast<std::size_t>(c)] = bb_(c, c) > 0;
    renew_directions(bb_, Small(0, k_));
  }
  /// The number of directions; 0 where nothing is left to do.
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] bool is_active(int c) const { return active_[static_cast<std::size_t>(c)]; }

  void advance() {
    const Block p = columns(p_, 0, rank_);
    const Block q = columns(qr_, 0, rank_);
    by_.multiply(p, q);
    const Small of_p = gram(p, qr_);  // PᵀQ, and PᵀR
    const Small pq = part(of_p, 0, rank_);
    Small alpha = solved(pq, part(of_p, k_, k_));
    for (int c = 0; c < k_; ++c)
      for (int i = 0; i < rank_ && !is_active(c); ++i) alpha(i, c) = 0;
    update(1, p, alpha, 1, x_);
    update(-1, q, alpha, 1, r_);
    const Small of_r = gram(qr_, r_);  // QᵀR, and RᵀR
    for (int c = 0; c < k_; ++c)
      active_[static_cast<std::size_t>(c)] =
          is_active(c) && !(of_r(k_ + c, c) <= tolerance_ * tolerance_ * bb_(c, c));
    Small qtr(rank_, k_);
    for (int c = 0; c < k_; ++c)
      for (int i = 0; i < rank_; ++i) qtr(i, c) = is_active(c) ? -of_r(i, c) : 0;
    const Small beta = solved(pq, qtr);
    renew_directions(gram_of_directions(of_r, beta), beta);
  }

 private:
  [[nodiscard]] Small gram(const Block& one, const Block& other) const {
    const Multivector g = small_.place(one.extent_int(1), other.extent_int(1));
    by_.gram(one, other, g);
    return small_.to_host(g);
  }
  void update(double alpha, const Block& from, const Small& s, double beta, const Block& to) const {
    by_.update(alpha, from, small_.to_device(s), beta, to);
  }
  /// RᵀR + betaᵀ beta, of active columns.
  [[nodiscard]] Small gram_of_directions(const Small& of_r, const Small& beta) const {
    Small g(k_, k_);
    for (int i = 0; i < k_; ++i)
      for (int j = 0; j < k_; ++j) {
        if (!is_active(i) || !is_active(j)) continue;
        g(i, j) = of_r(k_ + i, j);
        for (int l = 0; l < rank_; ++l) g(i, j) += beta(l, i) * beta(l, j);
      }
    return g;
  }
  /// P = [R of active columns + P beta] C, where G is that one's Gram matrix.
  void renew_directions(const Small& g, const Small& beta) {
    const Small c = orthonormal_combination(g);
    const Block to = columns(next_p_, 0, c.columns);
    if (c.columns > 0) update(1, r_, c, 0, to);
    if (c.columns > 0 && rank_ > 0) {
      Small beta_c(rank_, c.columns);
      for (int i = 0; i < rank_; ++i)
        for (int l = 0; l < k_; ++l)
          for (int j = 0; j < c.columns; ++j) beta_c(i, j) += beta(i, l) * c(l, j);
      update(1, columns(p_, 0, rank_), beta_c, 1, to);
    }
    std::swap(p_, next_p_);
    rank_ = c.columns;
  }

  const Products& by_;
  double tolerance_;
  int k_;
  Multivector x_, qr_;
  Block r_;
  Multivector p_, next_p_;
  Transfer small_;
  Small bb_;
  std::vector<bool> active_;
  int rank_ = 0;
};

struct Outcome {
  std::vector<int> iterations;  ///< of each column
  std::vector<int> ranks;       ///< of P, in each iteration
  double seconds = 0;
};

/// Solves A X = B from X = 0 until each column has |r| <= tolerance |b|, or for max_iterations.
Outcome solve(const Exec& exec, const Products& by, const Multivector& b, const Multivector& x,
              const Options& options) {
  Outcome outcome{std::vector<int>(b.extent(1)), {}, 0};
  Iteration iteration(exec, by, b, x, options.tolerance);
  exec.fence();
  const Kokkos::Timer timer;
  while (iteration.rank() > 0 && static_cast<int>(outcome.ranks.size()) < options.max_iterations) {
    outcome.ranks.push_back(iteration.rank());
    for (int c = 0; c < options.k; ++c)
      outcome.iterations[static_cast<std::size_t>(c)] += iteration.is_active(c) ? 1 : 0;
    iteration.advance();
  }
  exec.fence();
  outcome.seconds = timer.seconds();
  return outcome;
}

bool run(const Options& options) {
  const Exec exec;
  const Matrix a = examples::generated((options.box ? "gen:stencil27:" : "gen:stencil7:") +
                                       std::to_string(options.size));
  const int n = a.rows();
  std::printf(
      "problem     %d-point matrix of %d rows, %lld entries, k = %d right-hand sides, on %s\n",
      options.box ? 27 : 7, n, static_cast<long long>(a.nnz()), options.k, Exec::name());
  const Multivector b("b", n, options.k);
  const Multivector x("x", n, options.k);
  Kokkos::Random_XorShift64_Pool<Exec> random(1);
  Kokkos::fill_random(exec, b, random, -1.0, 1.0);
  if (options.k > 2)  // one that depends on the others
    Kokkos::deep_copy(exec, columns(b, 2, 3), columns(b, 0, 1));

  std::vector<Products> all = {by_fatvec(exec, a, options.k)};
  if (options.with == "kokkoskernels") all.push_back(by_kokkoskernels(exec, a, options.k));
#if defined(EXAMPLES_HAVE_MKL)
  if (options.with == "mkl") all.push_back(by_mkl(exec, a, options.k));
#endif
#if defined(EXAMPLES_HAVE_CUSPARSE)
  if (options.with == "cusparse") all.push_back(by_cuda_libraries(exec, a, options.k));
#endif
  examples::Checks checks;
  double first = 0;
  for (const Products& by : all) {
    const Outcome outcome = solve(exec, by, b, x, options);
    examples::print_iterations(outcome.iterations);
    if (!outcome.ranks.empty()) {
      const double each = 1e3 * outcome.seconds / static_cast<double>(outcome.ranks.size());
      std::printf("time        %.3f s by %s, %.3f ms an iteration, of %d to %d directions",
                  outcome.seconds, by.name.c_str(), each, outcome.ranks.back(),
                  outcome.ranks.front());
      if (first > 0) std::printf(": %.2f times that of fatvec", each / first);
      std::printf("\n");
      if (first == 0) first = each;
    }
    checks.at_most("largest |b - A x| / |b|",
                   examples::largest(examples::relative_residuals(exec, a, b, x)),
                   10 * options.tolerance);
  }
  return checks.passed();
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Block conjugate gradients for k right-hand sides, on a Poisson matrix.",
               "breakdown_free_cg");
  examples::add_solver_options(app, options, 128);
  app.add_flag("--box", options.box, "the 27-point matrix, not the 7-point one");
  std::vector<std::string> names = {"fatvec", "kokkoskernels"};
#if defined(EXAMPLES_HAVE_MKL)
  names.push_back("mkl");
#endif
#if defined(EXAMPLES_HAVE_CUSPARSE)
  names.push_back("cusparse");
#endif
  app.add_option("--with", options.with, "whose products run the same iteration, too")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  return examples::run(app, argc, argv, [&] { return run(options); });
}
