// SPDX-License-Identifier: Apache-2.0
#include <cublas_v2.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include <fatvec/algebra/detail/cublas.hpp>
#include <fatvec/core/error.hpp>
#include <fatvec/core/memory.hpp>
#include <fatvec/formats/concepts.hpp>

namespace fatvec::detail::tall {
namespace {

// The columns of both operands from which on cuBLAS is faster (lab 0071, 0090). Its tensor cores
// multiply doubles.
constexpr int least_for_gram = 64;
template <class T>
constexpr int least_for_update = std::is_same_v<T, double> ? 12 : 32;

constexpr std::size_t scratch_bytes = std::size_t{4} << 20;  ///< for update(); gram() has its own
constexpr std::uintptr_t scratch_alignment = 256;            ///< that cuBLAS wants

using Scratch = Kokkos::View<char*, Kokkos::CudaSpace>;

void require_success(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Error(detail::concat(call, ": ", cublasGetStatusString(status), "."));
}
void require_success(cudaError_t status, const char* call) {
  if (status != cudaSuccess)
    throw Error(detail::concat(call, ": ", cudaGetErrorString(status), "."));
}

/// The calling thread's device is that of an instance, until the end of a block.
class OnDeviceOf {
 public:
  explicit OnDeviceOf(const Kokkos::Cuda& exec) {
    require_success(cudaGetDevice(&before_), "cudaGetDevice");
    require_success(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  }
  ~OnDeviceOf() { cudaSetDevice(before_); }
  OnDeviceOf(const OnDeviceOf&) = delete;
  OnDeviceOf& operator=(const OnDeviceOf&) = delete;

 private:
  int before_ = 0;
};

/// What cuBLAS wants on one stream. With a handle and scratch memory of each stream's own its
/// products have the same bits in every run.
struct Library {
  cublasHandle_t handle = nullptr;
  Scratch scratch;
};

/// The libraries of all streams, until Kokkos ends.
struct Libraries {
  std::mutex mutex;  ///< held while a call is enqueued, too
  std::map<std::pair<int, cudaStream_t>, Library> of_streams;
};
Libraries& libraries() {
  static Libraries all;
  return all;
}
void destroy_libraries() {
  int before = 0;
  cudaGetDevice(&before);
  for (const auto& [stream, library] : libraries().of_streams) {
    cudaSetDevice(stream.first);
    cublasDestroy(library.handle);
  }
  cudaSetDevice(before);
  libraries().of_streams.clear();
}

bool is_captured(const Kokkos::Cuda& exec) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  require_success(cudaStreamIsCapturing(exec.cuda_stream(), &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

/// The library of exec's stream, made where there is none; nullptr where it cannot be made, in a
/// capture. The caller holds the mutex, and is on the device.
const Library* library_of(const Kokkos::Cuda& exec) {
  auto& all = libraries().of_streams;
  const std::pair key(exec.cuda_device(), exec.cuda_stream());
  if (const auto found = all.find(key); found != all.end()) return &found->second;
  if (is_captured(exec)) return nullptr;
  if (all.empty()) Kokkos::push_finalize_hook(destroy_libraries);
  Library made;
  made.scratch =
      detail::allocate<Scratch>(exec, "fatvec::cublas", scratch_bytes + scratch_alignment);
  require_success(cublasCreate(&made.handle), "cublasCreate");
  return &all.emplace(key, made).first->second;
}

/// The part of some memory that begins where cuBLAS wants it.
std::pair<void*, std::size_t> aligned(void* memory, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t skipped =
      (scratch_alignment - address % scratch_alignment) % scratch_alignment;
  return {static_cast<char*>(memory) + skipped, bytes - skipped};
}

/// A matrix as cuBLAS, which knows column-major ones, sees it: as it is, or its transpose.
template <class Pointer>
struct Stored {
  Pointer data;
  bool transposed;
  int step;  ///< cuBLAS's leading dimension
};

template <class T>
std::optional<Stored<T*>> stored(const Operand<T>& of, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (of.row_stride == 1 && of.column_stride >= rows && of.column_stride <= most)
    return Stored<T*>{of.data, false, static_cast<int>(of.column_stride)};
  if (of.column_stride == 1 && of.row_stride >= columns && of.row_stride <= most && rows <= most)
    return Stored<T*>{of.data, true, static_cast<int>(of.row_stride)};
  return std::nullopt;
}

template <class T>
constexpr cudaDataType_t data_type = std::is_same_v<T, float>                    ? CUDA_R_32F
                                     : std::is_same_v<T, double>                 ? CUDA_R_64F
                                     : std::is_same_v<T, Kokkos::complex<float>> ? CUDA_C_32F
                                                                                 : CUDA_C_64F;
template <class T>
constexpr cublasComputeType_t compute_type =
    std::is_same_v<T, float> || std::is_same_v<T, Kokkos::complex<float>> ? CUBLAS_COMPUTE_32F
                                                                          : CUBLAS_COMPUTE_64F;

/// C = alpha · A · B + beta · C; A is rows × inner, C rows × columns.
template <class T>
struct Product {
  Stored<const T*> a;
  Stored<const T*> b;
  Stored<T*> c;
  int rows, columns, inner;
  cublasOperation_t transpose = CUBLAS_OP_T;  ///< of what is stored otherwise than C

  /// Of a C stored as its transpose cuBLAS forms Cᵀ = Bᵀ · Aᵀ.
  void run(cublasHandle_t handle, T alpha, T beta) const {
    const auto operation = [this](const Stored<const T*>& of) {
      return of.transposed == c.transposed ? CUBLAS_OP_N : transpose;
    };
    const auto& left = c.transposed ? b : a;
    const auto& right = c.transposed ? a : b;
    require_success(
        cublasGemmEx(handle, operation(left), operation(right), c.transposed ? columns : rows,
                     c.transposed ? rows : columns, inner, &alpha, left.data, data_type<T>,
                     left.step, right.data, data_type<T>, right.step, &beta, c.data, data_type<T>,
                     c.step, compute_type<T>, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
  }
};

/// Enqueues a product; cuBLAS works in the memory given, or that of exec's stream. Returns false
/// where there is no library.
template <class T>
bool enqueue(const Kokkos::Cuda& exec, const Product<T>& product, T alpha, T beta, void* room,
             std::size_t room_bytes) {
  const std::lock_guard lock(libraries().mutex);
  const OnDeviceOf device(exec);
  const Library* const library = library_of(exec);
  if (library == nullptr) return false;
  require_success(cublasSetStream(library->handle, exec.cuda_stream()), "cublasSetStream");
  const auto [memory, bytes] = room != nullptr
                                   ? aligned(room, room_bytes)
                                   : aligned(library->scratch.data(), library->scratch.extent(0));
  require_success(cublasSetWorkspace(library->handle, memory, bytes), "cublasSetWorkspace");
  product.run(library->handle, alpha, beta);
  return true;
}

}  // namespace

void prepare_cublas(const Kokkos::Cuda& exec, std::int64_t columns) {
  if (columns < least_for_update<double>) return;
  const std::lock_guard lock(libraries().mutex);
  const OnDeviceOf device(exec);
  library_of(exec);
}

template <class T>
bool gram_by_cublas(const Kokkos::Cuda& exec, const GramTask<T, T>& task) {
  if (std::min(task.k, task.m) < least_for_gram || task.rows == 0) return false;
  auto x = stored(task.x, task.rows, task.k);
  const auto y = stored(task.y, task.rows, task.m);
  const auto g = stored(task.g, task.k, task.m);
  if (!x || !y || !g || task.rows > std::numeric_limits<int>::max()) return false;
  x->transposed = !x->transposed;  // Xᵀ
  Product<T> product{.a = *x,
                     .b = *y,
                     .c = *g,
                     .rows = task.k,
                     .columns = task.m,
                     .inner = static_cast<int>(task.rows)};
  if constexpr (!std::is_floating_point_v<T>) {
    // cuBLAS conjugates what it transposes: that has to be X, and nothing but X.
    if (x->transposed == g->transposed || y->transposed != g->transposed) return false;
    product.transpose = CUBLAS_OP_C;
  }
  return enqueue(exec, product, T{1}, T{}, task.room,
                 static_cast<std::size_t>(task.capacity) * sizeof(T));
}

template <class T>
bool update_by_cublas(const Kokkos::Cuda& exec, const UpdateTask<T>& task) {
  if (std::min(task.k, task.m) < least_for_update<T>) return false;
  const auto x = stored(task.x, task.rows, task.k);
  const auto s = stored(task.s, task.k, task.m);
  const auto y = stored(task.y, task.rows, task.m);
  if (!x || !s || !y || task.rows > std::numeric_limits<int>::max()) return false;
  return enqueue(exec,
                 Product<T>{.a = *x,
                            .b = *s,
                            .c = *y,
                            .rows = static_cast<int>(task.rows),
                            .columns = task.m,
                            .inner = task.k},
                 task.alpha, task.beta, nullptr, 0);
}

#define FATVEC_BY_CUBLAS(Scalar)                                                      \
  template bool gram_by_cublas(const Kokkos::Cuda&, const GramTask<Scalar, Scalar>&); \
  template bool update_by_cublas(const Kokkos::Cuda&, const UpdateTask<Scalar>&);
FATVEC_BY_CUBLAS(float)
FATVEC_BY_CUBLAS(double)
FATVEC_BY_CUBLAS(Kokkos::complex<float>)
FATVEC_BY_CUBLAS(Kokkos::complex<double>)

}  // namespace fatvec::detail::tall
