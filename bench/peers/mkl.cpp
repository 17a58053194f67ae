// SPDX-License-Identifier: Apache-2.0
#include <mkl_service.h>
#include <mkl_spblas.h>

#include <array>
#include <memory>
#include <type_traits>

#include <fatvec/core/error.hpp>
#include <fatvec/product/matrix_product.hpp>

#include "harness/contender.hpp"

/// Contender `mkl`: oneMKL's inspector-executor product. Its handle is told which product is wanted, in which layout and how
/// often, and is optimized for that. It reads our arrays in place; what the optimization stores besides, MKL does not tell.
namespace fatvec::bench {
namespace {

using Csr = CsrMatrix<double, std::int32_t, Kokkos::OpenMP, std::int32_t>;

constexpr sparse_operation_t as_is = SPARSE_OPERATION_NON_TRANSPOSE;
constexpr matrix_descr general = {SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL, SPARSE_DIAG_NON_UNIT};
constexpr MKL_INT expected_calls = 1000;  // enough for any optimization to pay

void require_success(sparse_status_t status, const char* call) {
  constexpr std::array names = {"success",          "not initialized", "allocation failed", "invalid value",
                                "execution failed", "internal error",  "not supported"};
  if (status == SPARSE_STATUS_SUCCESS) return;
  const auto code = static_cast<std::size_t>(status);
  throw Error(detail::concat(call, " answered ", code, ": ", code < names.size() ? names[code] : "unknown status", "."));
}

struct DestroyMatrix {
  void operator()(sparse_matrix_t matrix) const { mkl_sparse_destroy(matrix); }
};

class MklMultiply {
 public:
  explicit MklMultiply(const product::Case& task)
      : k_(static_cast<MKL_INT>(task.k)),
        layout_(task.layout == product::Layout::row ? SPARSE_LAYOUT_ROW_MAJOR : SPARSE_LAYOUT_COLUMN_MAJOR) {}

  void prepare(const Kokkos::OpenMP& exec, const Csr& csr) {
    // As many threads as everybody else, whatever MKL_NUM_THREADS says and however small the task looks to MKL.
    mkl_set_dynamic(0);
    mkl_set_num_threads(exec.concurrency());
    sparse_matrix_t handle = nullptr;
    require_success(mkl_sparse_d_create_csr(&handle, SPARSE_INDEX_BASE_ZERO, csr.rows(), csr.cols(), csr.row_map.data(),
                                            csr.row_map.data() + 1, csr.entries.data(), csr.values.data()),
                    "mkl_sparse_d_create_csr");
    handle_.reset(handle);
    if (k_ == 1) {
      require_success(mkl_sparse_set_mv_hint(handle, as_is, general, expected_calls), "mkl_sparse_set_mv_hint");
    } else {
      require_success(mkl_sparse_set_mm_hint(handle, as_is, general, layout_, k_, expected_calls), "mkl_sparse_set_mm_hint");
    }
    require_success(mkl_sparse_optimize(handle), "mkl_sparse_optimize");
  }

  template <class Multivector>
  void operator()(const Kokkos::OpenMP&, double alpha, const Csr& csr, const Multivector& x, double beta,
                  const Multivector& y) const {
    if (k_ == 1) {
      require_success(mkl_sparse_d_mv(as_is, alpha, handle_.get(), general, x.data(), beta, y.data()), "mkl_sparse_d_mv");
      return;
    }
    const bool by_rows = layout_ == SPARSE_LAYOUT_ROW_MAJOR;
    require_success(mkl_sparse_d_mm(as_is, alpha, handle_.get(), general, layout_, x.data(), k_, by_rows ? k_ : csr.cols(),
                                    beta, y.data(), by_rows ? k_ : csr.rows()),
                    "mkl_sparse_d_mm");
  }

 private:
  MKL_INT k_;
  sparse_layout_t layout_;
  std::unique_ptr<std::remove_pointer_t<sparse_matrix_t>, DestroyMatrix> handle_;
};

}  // namespace

void add_mkl(Registry& registry) {
  MKLVersion version{};
  mkl_get_version(&version);
  registry.add_fact("mkl_version", detail::concat(version.MajorVersion, ".", version.UpdateVersion));  // as Intel counts
  registry.add_fact("mkl_code_path", version.Processor);  // other makers' processors get the generic one
  registry.add(
      {.name = "mkl", .backend = "openmp", .format = "csr", .parameters = {}, .prepare = [](const product::Case& task) {
         return product::make_product<CsrMatrix, Kokkos::OpenMP>(task, MklMultiply(task));
       }});
}

}  // namespace fatvec::bench
