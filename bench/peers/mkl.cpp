// SPDX-License-Identifier: Apache-2.0
#include <mkl_service.h>
#include <mkl_spblas.h>

#include <array>
#include <memory>
#include <type_traits>

#include <fatvec/app/dispatch/matrix_product.hpp>
#include <fatvec/core/error.hpp>
#include <fatvec/formats/bsr.hpp>
#include <fatvec/formats/symmetric.hpp>

#include "harness/contender.hpp"
#include "harness/scalar.hpp"
#include "peers/whole_blocks.hpp"
#include "raw/symmetric.hpp"

/// Contender `mkl`: oneMKL's inspector-executor product. Its handle is told which product is
/// wanted, in which layout and how often, and is optimized for that. It reads our arrays in place;
/// what the optimization stores besides, MKL does not tell.
///   format csr
///   format bsr   row-major blocks of the size with the fewest bytes, the others with --sweep
///                block_size; the last block padded
///   format symmetric   the upper triangle, told to be symmetric; with --sweep symmetric
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

using Csr = CsrMatrix<Scalar, std::int32_t, Kokkos::OpenMP, std::int32_t>;
using Bsr = BsrMatrix<Scalar, std::int32_t, Kokkos::OpenMP, std::int32_t, Kokkos::LayoutRight>;

constexpr sparse_operation_t as_is = SPARSE_OPERATION_NON_TRANSPOSE;
constexpr matrix_descr general = {SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL,
                                  SPARSE_DIAG_NON_UNIT};
constexpr matrix_descr upper_triangle = {SPARSE_MATRIX_TYPE_SYMMETRIC, SPARSE_FILL_MODE_UPPER,
                                         SPARSE_DIAG_NON_UNIT};
constexpr MKL_INT expected_calls = 1000;  // enough for any optimization to pay

/// What MKL says it does not support skips the row; everything else fails it.
void require_success(sparse_status_t status, const char* call) {
  constexpr std::array names = {"success",       "not initialized",  "allocation failed",
                                "invalid value", "execution failed", "internal error",
                                "not supported"};
  if (status == SPARSE_STATUS_SUCCESS) return;
  const auto code = static_cast<std::size_t>(status);
  const auto text = detail::concat(call, " answered ", code, ": ",
                                   code < names.size() ? names[code] : "unknown status", ".");
  if (status == SPARSE_STATUS_NOT_SUPPORTED) throw UsageError(text);
  throw Error(text);
}

/// MKL's functions for the scalar.
constexpr bool is_double = std::is_same_v<Scalar, double>;
constexpr auto create_csr = [](auto... of) {
  if constexpr (is_double)
    return mkl_sparse_d_create_csr(of...);
  else
    return mkl_sparse_s_create_csr(of...);
};
constexpr auto create_bsr = [](auto... of) {
  if constexpr (is_double)
    return mkl_sparse_d_create_bsr(of...);
  else
    return mkl_sparse_s_create_bsr(of...);
};
constexpr auto multiply_vector = [](auto... of) {
  if constexpr (is_double)
    return mkl_sparse_d_mv(of...);
  else
    return mkl_sparse_s_mv(of...);
};
constexpr auto multiply_multivector = [](auto... of) {
  if constexpr (is_double)
    return mkl_sparse_d_mm(of...);
  else
    return mkl_sparse_s_mm(of...);
};

struct DestroyMatrix {
  void operator()(sparse_matrix_t matrix) const { mkl_sparse_destroy(matrix); }
};

using Symmetric = SymmetricMatrix<Scalar, std::int32_t, Kokkos::OpenMP, std::int32_t>;
template <class Matrix>
constexpr matrix_descr kind_of = std::is_same_v<Matrix, Symmetric> ? upper_triangle : general;

using Handle = std::unique_ptr<std::remove_pointer_t<sparse_matrix_t>, DestroyMatrix>;

Handle handle_of(const Csr& csr) {
  sparse_matrix_t handle = nullptr;
  auto* const offsets = const_cast<MKL_INT*>(csr.row_map.data());  // MKL only reads them
  require_success(create_csr(&handle, SPARSE_INDEX_BASE_ZERO, csr.rows(), csr.cols(), offsets,
                             offsets + 1, csr.entries.data(), csr.values.data()),
                  "mkl_sparse_create_csr");
  return Handle(handle);
}

Handle handle_of(const Bsr& bsr) {
  sparse_matrix_t handle = nullptr;
  require_success(
      create_bsr(&handle, SPARSE_INDEX_BASE_ZERO, SPARSE_LAYOUT_ROW_MAJOR,
                 static_cast<MKL_INT>(bsr.block_rows()), static_cast<MKL_INT>(bsr.block_cols()),
                 bsr.block_size(), bsr.row_map.data(), bsr.row_map.data() + 1, bsr.entries.data(),
                 bsr.values.data()),
      "mkl_sparse_create_bsr");
  return Handle(handle);
}

Handle handle_of(const Symmetric& matrix) {
  return handle_of(matrix.upper);
}

class MklMultiply {
 public:
  explicit MklMultiply(const product::Case& task)
      : k_(static_cast<MKL_INT>(task.k)),
        layout_(task.layout == product::Layout::row ? SPARSE_LAYOUT_ROW_MAJOR
                                                    : SPARSE_LAYOUT_COLUMN_MAJOR) {}

  template <class Matrix>
  void prepare(const Kokkos::OpenMP& exec, const Matrix& matrix) {
    // As many threads as everybody else, whatever MKL_NUM_THREADS says and however small the task
    // looks to MKL.
    mkl_set_dynamic(0);
    mkl_set_num_threads(exec.concurrency());
    handle_ = handle_of(matrix);
    sparse_matrix_t handle = handle_.get();
    if (k_ == 1) {
      require_success(mkl_sparse_set_mv_hint(handle, as_is, kind_of<Matrix>, expected_calls),
                      "mkl_sparse_set_mv_hint");
    } else {
      require_success(
          mkl_sparse_set_mm_hint(handle, as_is, kind_of<Matrix>, layout_, k_, expected_calls),
          "mkl_sparse_set_mm_hint");
    }
    require_success(mkl_sparse_optimize(handle), "mkl_sparse_optimize");
  }

  template <class Matrix, class Multivector>
  void operator()(const Kokkos::OpenMP&, Scalar alpha, const Matrix& matrix, const Multivector& x,
                  Scalar beta, const Multivector& y) const {
    if (k_ == 1) {
      require_success(
          multiply_vector(as_is, alpha, handle_.get(), kind_of<Matrix>, x.data(), beta, y.data()),
          "mkl_sparse_mv");
      return;
    }
    const bool by_rows = layout_ == SPARSE_LAYOUT_ROW_MAJOR;
    require_success(multiply_multivector(as_is, alpha, handle_.get(), kind_of<Matrix>, layout_,
                                         x.data(), k_, by_rows ? k_ : matrix.cols(), beta, y.data(),
                                         by_rows ? k_ : matrix.rows()),
                    "mkl_sparse_mm");
  }

 private:
  MKL_INT k_;
  sparse_layout_t layout_;
  Handle handle_;
};

}  // namespace

void add_mkl(Registry& registry) {
  MKLVersion version{};
  mkl_get_version(&version);
  registry.add_fact("mkl_version", detail::concat(version.MajorVersion, ".",
                                                  version.UpdateVersion));  // as Intel counts
  registry.add_fact("mkl_code_path",
                    version.Processor);  // other makers' processors get the generic one
  registry.add({.name = "mkl",
                .backend = "openmp",
                .format = "csr",
                .parameters = {},
                .prepare = [](const product::Case& task) {
                  return product::make_product<CsrMatrix, Scalar, Kokkos::OpenMP>(
                      task, MklMultiply(task));
                }});
  registry.add({.name = "mkl",
                .backend = "openmp",
                .format = "symmetric",
                .parameters = {},
                .sweep = "symmetric",
                .prepare = [](const product::Case& task) {
                  return make_of_symmetric<Kokkos::OpenMP>(task, MklMultiply(task));
                }});
  registry.add_with_sweep({.name = "mkl",
                           .backend = "openmp",
                           .format = "bsr",
                           .parameters = {},
                           .prepare = [](const product::Case& task) {
                             return make_in_whole_blocks<Kokkos::OpenMP>(
                                 task, [](const product::Case& padded) {
                                   return product::make_product<Bsr>(padded, MklMultiply(padded));
                                 });
                           }});
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
