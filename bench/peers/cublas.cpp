// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>

#include <Kokkos_Core.hpp>
#include <memory>
#include <type_traits>

#include <fatvec/core/error.hpp>
#include <fatvec/formats/concepts.hpp>

#include "harness/reduction.hpp"
#include "harness/scalar.hpp"

/// Contender `cublas` of the suite of vectors: dot, asum and nrm2 of each column, the results left
/// on the device.
namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

void require_success(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(detail::concat(call, ": ", cublasGetStatusString(status), "."));
}

struct DestroyLibrary {
  void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
};
using CublasHandle = std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, DestroyLibrary>;

CublasHandle create_library() {
  cublasHandle_t handle = nullptr;
  require_success(cublasCreate(&handle), "cublasCreate");
  CublasHandle library(handle);
  require_success(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
  return library;
}

struct CublasReduction {
  Operation operation;
  VectorOperands operands;
  CublasHandle library;
  Kokkos::View<double*, Kokkos::Cuda> results;

  void operator()(const Kokkos::Cuda& exec) const {
    require_success(cublasSetStream(library.get(), exec.cuda_stream()), "cublasSetStream");
    for (std::int64_t c = 0; c < operands.k; ++c)
      require_success(reduce(operands.column_begin(c), results.data() + c), "cublas");
  }
  [[nodiscard]] std::vector<double> numbers(const Kokkos::Cuda& exec) const {
    const auto host = detail::host_copy(results);
    exec.fence("fatvec::bench::results");
    return {host.data(), host.data() + host.extent(0)};
  }

 private:
  [[nodiscard]] cublasStatus_t reduce(std::int64_t begin, double* result) const {
    const double* const x = operands.x<double>() + begin;
    const auto n = static_cast<int>(operands.n);
    const auto step = static_cast<int>(operands.row_stride());
    if (operation == Operation::dot)
      return cublasDdot(library.get(), n, x, step, operands.y<double>() + begin, step, result);
    if (operation == Operation::asum) return cublasDasum(library.get(), n, x, step, result);
    return cublasDnrm2(library.get(), n, x, step, result);
  }
};

}  // namespace

void add_cublas(Registry& registry) {
  for (const auto operation : {Operation::dot, Operation::asum, Operation::nrm2}) {
    registry.add(VectorContender{.name = "cublas",
                                 .backend = "cuda",
                                 .operation = operation,
                                 .parameters = {},
                                 .prepare = [operation](const auto& operands) {
                                   if (operands.n > INT32_MAX)
                                     throw UsageError("cuBLAS counts elements in 32 bits.");
                                   const auto results =
                                       detail::allocate_zeros<Kokkos::View<double*, Kokkos::Cuda>>(
                                           Kokkos::Cuda(), "fatvec::bench::results", operands.k);
                                   return make_reduction<Kokkos::Cuda>(CublasReduction{
                                       operation, operands, create_library(), results});
                                 }});
  }
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
