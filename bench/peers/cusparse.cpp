// SPDX-License-Identifier: Apache-2.0
#include <cusparse.h>

#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fatvec/app/dispatch/operands.hpp>
#include <fatvec/core/error.hpp>
#include <fatvec/formats/bsr.hpp>
#include <fatvec/formats/hll.hpp>

#include "harness/contender.hpp"
#include "harness/scalar.hpp"
#include "peers/whole_blocks.hpp"

/// Contender `cusparse`: the generic API, SpMV for one column and SpMM for more, after its
/// preprocessing.
///   format csr, algorithm alg1, alg2, alg3    NVIDIA recommends alg1 for column-major, alg2 for row-major operands
///   format sell, algorithm alg1               sliced ELLPACK, slices of 32 rows: one column only
///   format bsr, algorithm alg1                blocks of the size with the fewest bytes, the others with --sweep block_size,
///                                             but not of 1; row-major for SpMM, which takes no others; the last one padded
/// Set-up counts conversion, workspace and preprocessing, not the creation of the library's handle.
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

using Csr = CsrMatrix<Scalar, std::int32_t, Kokkos::Cuda, std::int32_t>;
using Hll = HllMatrix<Scalar, std::int32_t, Kokkos::Cuda, std::int32_t, Kokkos::LayoutLeft>;
template <class Layout>
using Bsr = BsrMatrix<Scalar, std::int32_t, Kokkos::Cuda, std::int32_t, Layout>;

constexpr cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr cudaDataType real = std::is_same_v<Scalar, double> ? CUDA_R_64F : CUDA_R_32F;

/// What cuSPARSE says it does not support skips the row; everything else fails it.
void require_success(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  const auto text = detail::concat(call, " answered ", cusparseGetErrorName(status), ": ",
                                   cusparseGetErrorString(status), ".");
  if (status == CUSPARSE_STATUS_NOT_SUPPORTED) throw UsageError(text);
  throw Error(text);
}

template <auto destroy>
struct Destroy {
  template <class T>
  void operator()(T* object) const {
    destroy(object);
  }
};
template <class Pointer, auto destroy>
using Owner = std::unique_ptr<std::remove_pointer_t<Pointer>, Destroy<destroy>>;
using Library = Owner<cusparseHandle_t, cusparseDestroy>;
using SparseMatrix = Owner<cusparseSpMatDescr_t, cusparseDestroySpMat>;
using DenseMatrix = Owner<cusparseDnMatDescr_t, cusparseDestroyDnMat>;
using DenseVector = Owner<cusparseDnVecDescr_t, cusparseDestroyDnVec>;

Library create_library(const Kokkos::Cuda& exec) {
  cusparseHandle_t handle = nullptr;
  require_success(cusparseCreate(&handle), "cusparseCreate");
  Library library(handle);
  require_success(cusparseSetStream(handle, exec.cuda_stream()), "cusparseSetStream");
  return library;
}

// --- A
// ---------------------------------------------------------------------------------------------------------------

/// A as cuSPARSE sees it, and the matrix whose arrays the descriptor points into.
struct SparseOperand {
  SparseMatrix descriptor;
  std::shared_ptr<const void> matrix;
  std::uint64_t bytes = 0;
  std::int64_t stored_entries = 0;
};

SparseOperand csr_operand(const Kokkos::Cuda&, const Csr& csr, const product::Case&) {
  cusparseSpMatDescr_t descriptor = nullptr;
  auto* const offsets = const_cast<std::int32_t*>(csr.row_map.data());  // cuSPARSE only reads them
  require_success(cusparseCreateCsr(&descriptor, csr.rows(), csr.cols(), csr.nnz(), offsets,
                                    csr.entries.data(), csr.values.data(), CUSPARSE_INDEX_32I,
                                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, real),
                  "cusparseCreateCsr");
  return {SparseMatrix(descriptor), std::make_shared<Csr>(csr), csr.bytes(), csr.stored_entries()};
}

/// Sliced ELLPACK is HLL, column-major within a hack, whose last hack is as tall as the others: the
/// HLL of the matrix with empty rows appended up to a whole hack. Padding has the column -1 and the
/// value 0 in both.
SparseOperand sell_operand(const Kokkos::Cuda& exec, const Csr& csr, const product::Case& task) {
  constexpr std::int64_t slice = 32;
  FormatOptions options = task.options;
  options.hack_size = slice;
  const std::int64_t rows = csr.rows();
  const std::int64_t whole = detail::checked_count<std::int32_t>(
      static_cast<double>((rows + slice - 1) / slice * slice), "rows in whole slices");
  const auto row_map = detail::allocate<Csr::Offsets>(exec, "fatvec::bench::row_map",
                                                      static_cast<std::size_t>(whole + 1));
  Kokkos::deep_copy(exec, Kokkos::subview(row_map, std::pair(std::int64_t{0}, rows + 1)),
                    csr.row_map);
  Kokkos::deep_copy(exec, Kokkos::subview(row_map, std::pair(rows + 1, whole + 1)),
                    static_cast<std::int32_t>(csr.nnz()));
  const Hll hll = Hll::from_csr(
      exec, Csr(static_cast<std::int32_t>(whole), csr.cols(), row_map, csr.entries, csr.values),
      options);
  exec.fence("fatvec::bench::cusparse");  // row_map goes at the end of this function

  cusparseSpMatDescr_t descriptor = nullptr;
  require_success(cusparseCreateSlicedEll(&descriptor, rows, csr.cols(), csr.nnz(),
                                          hll.stored_entries(), slice, hll.hack_offsets().data(),
                                          hll.entries.data(), hll.values.data(), CUSPARSE_INDEX_32I,
                                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, real),
                  "cusparseCreateSlicedEll");
  return {SparseMatrix(descriptor), std::make_shared<Hll>(hll),
          hll.bytes() - detail::view_bytes(hll.row_lengths), hll.stored_entries()};
}

#if CUSPARSE_VERSION >= \
    12603  // CUDA 12.6.3: the first whose header has the algorithms for BSR that we saw
#define FATVEC_CUSPARSE_BSR
template <class Layout>
SparseOperand blocks_in(const Kokkos::Cuda& exec, const Csr& csr, const product::Case& task) {
  const auto bsr = Bsr<Layout>::from_csr(exec, csr, task.options);
  cusparseSpMatDescr_t descriptor = nullptr;
  require_success(
      cusparseCreateBsr(&descriptor, bsr.block_rows(), bsr.block_cols(), bsr.blocks(),
                        bsr.block_size(), bsr.block_size(), bsr.row_map.data(), bsr.entries.data(),
                        bsr.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                        CUSPARSE_INDEX_BASE_ZERO, real,
                        detail::is_column_major<Layout> ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW),
      "cusparseCreateBsr");
  return {SparseMatrix(descriptor), std::make_shared<Bsr<Layout>>(bsr), bsr.bytes(),
          bsr.stored_entries()};
}
/// Column-major blocks for one column, row-major ones for more.
SparseOperand bsr_operand(const Kokkos::Cuda& exec, const Csr& csr, const product::Case& task) {
  return task.k == 1 ? blocks_in<Kokkos::LayoutLeft>(exec, csr, task)
                     : blocks_in<Kokkos::LayoutRight>(exec, csr, task);
}
#endif

// --- the products
// ----------------------------------------------------------------------------------------------------

/// What the calls for one product share; cuSPARSE reads alpha and beta, on the host, when it is
/// called.
struct Factors {
  cusparseHandle_t handle;
  cusparseConstSpMatDescr_t a;
  Scalar alpha;
  Scalar beta;
};

class SpMV {
 public:
  using Algorithm = cusparseSpMVAlg_t;

  template <class Dense>
  SpMV(Algorithm algorithm, const Dense& dense)
      : algorithm_(algorithm), x_(vector(dense.x)), y_(vector(dense.y)) {}

  void buffer_size(const Factors& by, std::size_t* size) const {
    call(cusparseSpMV_bufferSize, "cusparseSpMV_bufferSize", by, size);
  }
  void preprocess([[maybe_unused]] const Factors& by, [[maybe_unused]] void* buffer) const {
#if CUSPARSE_VERSION >= 12300  // CUDA 12.4
    call(cusparseSpMV_preprocess, "cusparseSpMV_preprocess", by, buffer);
#endif
  }
  void run(const Factors& by, void* buffer) const {
    call(cusparseSpMV, "cusparseSpMV", by, buffer);
  }

 private:
  template <class View>
  static DenseVector vector(const View& view) {
    cusparseDnVecDescr_t descriptor = nullptr;
    require_success(
        cusparseCreateDnVec(&descriptor, static_cast<std::int64_t>(view.size()), view.data(), real),
        "cusparseCreateDnVec");
    return DenseVector(descriptor);
  }
  template <class Function, class Last>
  void call(Function function, const char* name, const Factors& by, Last last) const {
    require_success(function(by.handle, as_is, &by.alpha, by.a, x_.get(), &by.beta, y_.get(), real,
                             algorithm_, last),
                    name);
  }

  Algorithm algorithm_;
  DenseVector x_;
  DenseVector y_;
};

class SpMM {
 public:
  using Algorithm = cusparseSpMMAlg_t;

  template <class Dense>
  SpMM(Algorithm algorithm, const Dense& dense)
      : algorithm_(algorithm), x_(matrix(dense.x)), y_(matrix(dense.y)) {}

  void buffer_size(const Factors& by, std::size_t* size) const {
    call(cusparseSpMM_bufferSize, "cusparseSpMM_bufferSize", by, size);
  }
  void preprocess(const Factors& by, void* buffer) const {
    call(cusparseSpMM_preprocess, "cusparseSpMM_preprocess", by, buffer);
  }
  void run(const Factors& by, void* buffer) const {
    call(cusparseSpMM, "cusparseSpMM", by, buffer);
  }

 private:
  template <class View>
  static DenseMatrix matrix(const View& view) {
    constexpr bool by_rows = std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>;
    const auto rows = static_cast<std::int64_t>(view.extent(0));
    const auto columns = static_cast<std::int64_t>(view.extent(1));
    cusparseDnMatDescr_t descriptor = nullptr;
    require_success(
        cusparseCreateDnMat(&descriptor, rows, columns, by_rows ? columns : rows, view.data(), real,
                            by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
    return DenseMatrix(descriptor);
  }
  template <class Function, class Last>
  void call(Function function, const char* name, const Factors& by, Last last) const {
    require_success(function(by.handle, as_is, as_is, &by.alpha, by.a, x_.get(), &by.beta, y_.get(),
                             real, algorithm_, last),
                    name);
  }

  Algorithm algorithm_;
  DenseMatrix x_;
  DenseMatrix y_;
};

using MakeOperand = SparseOperand (*)(const Kokkos::Cuda&, const Csr&, const product::Case&);

template <class KokkosLayout, class Operation>
class CusparseProduct final : public product::Product {
 public:
  CusparseProduct(const product::Case& task, MakeOperand make_operand,
                  typename Operation::Algorithm algorithm)
      : library_(create_library(exec_)), dense_(task), operation_(algorithm, dense_) {
    const Csr csr = mirror<Kokkos::Cuda>(product::matrix_of<Scalar>(task));
    exec_.fence("fatvec::bench::cusparse");
    const Kokkos::Timer timer;
    a_ = make_operand(exec_, csr, task);
    std::size_t size = 0;
    operation_.buffer_size(factors(1, 0), &size);
    buffer_ = detail::allocate<Buffer>(exec_, "fatvec::bench::cusparse", size);
    operation_.preprocess(factors(1, 0), buffer_.data());
    exec_.fence("fatvec::bench::cusparse");
    setup_seconds = timer.seconds();
    matrix_bytes = a_.bytes;
    stored_entries = a_.stored_entries;
  }

  void load(const product::HostMultivector& x, const product::HostMultivector& y) override {
    dense_.copy_in(dense_.x, x);
    dense_.copy_in(dense_.y, y);
  }
  double run(double alpha, double beta) override {
    return product::timed(exec_, [&] { operation_.run(factors(alpha, beta), buffer_.data()); });
  }
  void store(const product::HostMultivector& y) const override { dense_.copy_out(y, dense_.y); }

 private:
  using Buffer = Kokkos::View<char*, Kokkos::Cuda>;

  Factors factors(double alpha, double beta) const {
    return {library_.get(), a_.descriptor.get(), static_cast<Scalar>(alpha),
            static_cast<Scalar>(beta)};
  }

  Kokkos::Cuda exec_;
  Library library_;
  product::DenseOperands<Scalar, Kokkos::Cuda, KokkosLayout> dense_;
  Operation operation_;
  SparseOperand a_;
  Buffer buffer_;
};

template <class Operation>
std::unique_ptr<product::Product> make_cusparse(const product::Case& task, MakeOperand make_operand,
                                                typename Operation::Algorithm algorithm) {
  if (task.layout == product::Layout::row)
    return std::make_unique<CusparseProduct<Kokkos::LayoutRight, Operation>>(task, make_operand,
                                                                             algorithm);
  return std::make_unique<CusparseProduct<Kokkos::LayoutLeft, Operation>>(task, make_operand,
                                                                          algorithm);
}

// --- what is registered
// ----------------------------------------------------------------------------------------------

struct Variant {
  const char* format;
  const char* algorithm;
  MakeOperand make_operand;
  std::optional<cusparseSpMVAlg_t> one_column;
  std::optional<cusparseSpMMAlg_t> more_columns;
};

constexpr Variant variants[] = {
    {"csr", "alg1", csr_operand, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG1},
    {"csr", "alg2", csr_operand, CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG2},
    {"csr", "alg3", csr_operand, {}, CUSPARSE_SPMM_CSR_ALG3},
    {"sell", "alg1", sell_operand, CUSPARSE_SPMV_SELL_ALG1, {}},
#if defined(FATVEC_CUSPARSE_BSR)
    {"bsr", "alg1", bsr_operand, CUSPARSE_SPMV_BSR_ALG1, CUSPARSE_SPMM_BSR_ALG1},
#endif
};

std::optional<std::string> unsupported(const Variant& variant, const product::Case& task) {
  if (task.k == 1 ? variant.one_column.has_value() : variant.more_columns.has_value()) return {};
  return detail::concat("cuSPARSE has no ", variant.algorithm, " for ", variant.format, " and ",
                        task.k == 1 ? "one column." : "several columns.");
}

std::string version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  require_success(cusparseGetProperty(MAJOR_VERSION, &major), "cusparseGetProperty");
  require_success(cusparseGetProperty(MINOR_VERSION, &minor), "cusparseGetProperty");
  require_success(cusparseGetProperty(PATCH_LEVEL, &patch), "cusparseGetProperty");
  return detail::concat(major, ".", minor, ".", patch);
}

}  // namespace

void add_cusparse(Registry& registry) {
  registry.add_fact("cusparse_version", version());
  for (const auto& variant : variants) {
    registry.add_with_sweep(
        {.name = "cusparse",
         .backend = "cuda",
         .format = variant.format,
         .parameters = {{"algorithm", variant.algorithm}},
         .prepare =
             [&variant](const product::Case& task) {
               const auto make = [&variant](const product::Case& whole) {
                 return whole.k == 1
                            ? make_cusparse<SpMV>(whole, variant.make_operand, *variant.one_column)
                            : make_cusparse<SpMM>(whole, variant.make_operand,
                                                  *variant.more_columns);
               };
               return std::string_view(variant.format) == "bsr"
                          ? make_in_whole_blocks<Kokkos::Cuda>(task, make)
                          : make(task);
             },
         .unsupported =
             [&variant](const product::Case& task) { return unsupported(variant, task); }});
  }
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
