// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fatvec/app/dispatch/matrix_product.hpp>
#include <fatvec/core/error.hpp>

#include "harness/contender.hpp"
#include "raw/cuda/rows.hpp"

/// What the hand-written CUDA kernels share: their arguments, the end of a row, the launch, the
/// registration.
namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN {

/// alpha, beta, and element (i, c) of X at x[i · x_row + c · x_col], of Y likewise. Strides are
/// 32-bit, so that a position is one multiplication of 32 by 32 bits, and the products 64-bit: X
/// and Y may be of any size.
struct Operands {
  Scalar alpha;
  Scalar beta;
  const Scalar* x;
  Scalar* y;
  int x_row;
  int x_col;
  int y_row;
  int y_col;
  int k;

  __device__ std::int64_t x_at(int i, int c) const {
    return static_cast<std::int64_t>(i) * x_row + static_cast<std::int64_t>(c) * x_col;
  }
  __device__ std::int64_t y_at(int i, int c) const {
    return static_cast<std::int64_t>(i) * y_row + static_cast<std::int64_t>(c) * y_col;
  }
  /// beta = 0 does not read Y, which may hold NaN.
  __device__ Scalar combined(Scalar old, Scalar sum) const {
    return beta == 0 ? alpha * sum : beta * old + alpha * sum;
  }
  __device__ void store(int i, int c, Scalar sum) const {
    Scalar* const to = y + y_at(i, c);
    *to = combined(beta == 0 ? 0 : *to, sum);
  }
};

/// Throws where CUDA would take a launch of that many blocks for one of fewer.
inline unsigned checked_blocks(std::int64_t blocks) {
  if (blocks > INT32_MAX)
    throw CapacityError(
        detail::concat("raw-cuda: ", blocks, " blocks are more than a grid can have."));
  return static_cast<unsigned>(blocks);
}
inline unsigned blocks_for(std::int64_t items, std::int64_t items_per_block) {
  return checked_blocks((items + items_per_block - 1) / items_per_block);
}

inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess)
    throw Error(detail::concat("raw-cuda: ", what, ": ", cudaGetErrorString(status), "."));
}

/// run(integral_constant) with the smallest of the ascending widths that is at least `wanted`, or
/// the largest.
template <int... widths, class Run>
void with_width(int wanted, const Run& run) {
  wanted = std::min(wanted, std::max({widths...}));
  (void)((wanted <= widths && (run(std::integral_constant<int, widths>{}), true)) || ...);
}

/// Enqueues Y = beta · Y + alpha · A · X. Neither rows nor columns are 0.
template <class Rows>
using Launch = std::function<void(cudaStream_t, const Stored<Rows>&, const Operands&)>;

/// The hand-written product of a format as MatrixProduct wants it. set_up is timed as set-up and
/// returns what will be launched.
template <class Rows>
struct Multiply {
  std::function<Launch<Rows>(const Kokkos::Cuda&, const Stored<Rows>&)> set_up;
  Launch<Rows> launch = {};

  template <class Matrix>
  void prepare(const Kokkos::Cuda& exec, const Matrix& matrix) {
    launch = set_up(exec, stored<Rows>(matrix));
  }
  template <class Matrix, class X, class Y>
  void operator()(const Kokkos::Cuda& exec, Scalar alpha, const Matrix& matrix, const X& x,
                  Scalar beta, const Y& y) const {
    if (y.size() == 0) return;
    const auto narrow = [](auto stride) { return static_cast<int>(stride); };
    launch(exec.cuda_stream(), stored<Rows>(matrix),
           {alpha, beta, x.data(), y.data(), narrow(x.stride(0)), narrow(x.stride(1)),
            narrow(y.stride(0)), narrow(y.stride(1)), narrow(y.extent(1))});
    check(cudaGetLastError(), "launch");
  }
};

/// One contender `raw-cuda`; make is called once for each product.
template <class Rows>
struct Variant {
  std::string kernel;
  std::function<Multiply<Rows>(const product::Case&)> make;
  std::vector<Parameter> more_parameters = {};
  std::string sweep = {};
  std::optional<product::StorageOrder> storage = {};
  std::function<std::optional<std::string>(const product::Case&)> unsupported = {};
};

template <class Rows>
Contender contender(const Variant<Rows>& variant) {
  std::vector<Parameter> parameters{{"kernel", variant.kernel}};
  parameters.insert(parameters.end(), variant.more_parameters.begin(),
                    variant.more_parameters.end());
  return {.name = "raw-cuda",
          .backend = "cuda",
          .format = Rows::name,
          .parameters = std::move(parameters),
          .sweep = variant.sweep,
          .prepare =
              [make = variant.make, storage = variant.storage](product::Case task) {
                task.storage = storage;
                return product::make_product<Rows::template Format, Scalar, Kokkos::Cuda>(
                    task, make(task));
              },
          .unsupported = variant.unsupported};
}

template <class Rows>
void add(Registry& registry, const Variant<Rows>& variant) {
  registry.add(contender(variant));
}

/// A kernel that needs no set-up of its own.
template <class Rows>
Multiply<Rows> as_is(Launch<Rows> launch) {
  return {.set_up = [launch = std::move(launch)](const Kokkos::Cuda&, const Stored<Rows>&) {
    return launch;
  }};
}

}  // namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN
