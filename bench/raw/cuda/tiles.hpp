// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "raw/cuda/common.hpp"

/// The columns that a thread of the tuned kernel holds in registers, and how it reads X and writes
/// Y for them.
namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN {

/// What is read and written at once: two doubles, two floats or four.
struct Single {
  Scalar x;
};
template <class T>
struct VectorsOf;
template <>
struct VectorsOf<double> {
  using Pair = double2;
  using Widest = double2;
};
template <>
struct VectorsOf<float> {
  using Pair = float2;
  using Widest = float4;
};
using Pair = VectorsOf<Scalar>::Pair;
using Widest = VectorsOf<Scalar>::Widest;

/// Whether neighbouring columns of X and Y can be read and written two at a time, and more where
/// their number is a multiple of that.
inline bool in_pairs(const Operands& o) {
  const auto aligned = [](const Scalar* data, int stride) {
    return reinterpret_cast<std::uintptr_t>(data) % sizeof(Widest) == 0 && stride % 2 == 0;
  };
  return o.k % 2 == 0 && aligned(o.x, o.x_row) && aligned(o.y, o.y_row);
}

/// The element `row` rows of `bytes` bytes behind `at`: one instruction, where an index in elements
/// takes three.
__device__ inline const Scalar* row_at(const Scalar* at, int row, int bytes) {
  const Scalar* found;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(found) : "r"(row), "r"(bytes), "l"(at));
  return found;
}

/// `width` neighbouring columns; an even number in pairs, or wider. Takes a k, and rows of X and Y
/// apart, that are multiples of width.
template <int width_>
struct Adjacent {
  static constexpr int width = width_;
  using Vector = std::conditional_t<width % (sizeof(Widest) / sizeof(Scalar)) == 0, Widest,
                                    std::conditional_t<width % 2 == 0, Pair, Single>>;
  static constexpr int at_once = sizeof(Vector) / sizeof(Scalar);

  __device__ Adjacent(const Operands& o, int tile, int lane, int lanes)
      : first_((tile * lanes + lane) * width),
        k_(o.k),
        x_(o.x + first_),
        x_row_(o.x_row * static_cast<int>(sizeof(Scalar))) {}

  __device__ bool idle() const { return first_ >= k_; }

  __device__ void load(int row, Scalar (&x)[width]) const {
    const Scalar* const from = row_at(x_, row, x_row_);
    if constexpr (at_once > 1) {
      Vector vectors[width / at_once];
#pragma unroll
      for (int v = 0; v < width / at_once; ++v)
        vectors[v] = __ldg(reinterpret_cast<const Vector*>(from) + v);
      __builtin_memcpy(x, vectors, sizeof x);
    } else {
#pragma unroll
      for (int w = 0; w < width; ++w) x[w] = __ldg(from + w);
    }
  }

  __device__ void store(const Operands& o, int row, const Scalar (&sum)[width]) const {
    if constexpr (at_once > 1) {
      Vector* const to = reinterpret_cast<Vector*>(o.y + o.y_at(row, 0) + first_);
#pragma unroll
      for (int v = 0; v < width / at_once; ++v) {
        Vector vector = o.beta == 0 ? Vector{} : to[v];
        Scalar old[at_once];
        __builtin_memcpy(old, &vector, sizeof old);
#pragma unroll
        for (int w = 0; w < at_once; ++w) old[w] = o.combined(old[w], sum[v * at_once + w]);
        __builtin_memcpy(&vector, old, sizeof old);
        to[v] = vector;
      }
    } else {
#pragma unroll
      for (int w = 0; w < width; ++w) o.store(row, first_ + w, sum[w]);
    }
  }

 private:
  int first_;
  int k_;
  const Scalar* x_;
  int x_row_;
};

/// `width` columns as far apart as there are lanes, so that neighbouring threads have neighbouring
/// columns. Those behind the last column read the last one again and are not stored: no comparison
/// in the loop over the entries.
template <int width_>
struct Spaced {
  static constexpr int width = width_;

  __device__ Spaced(const Operands& o, int tile, int lane, int lanes)
      : first_(tile * lanes * width + lane),
        lanes_(lanes),
        k_(o.k),
        x_row_(o.x_row * static_cast<int>(sizeof(Scalar))) {
#pragma unroll
    for (int w = 0; w < width; ++w) x_[w] = o.x + o.x_at(0, min(first_ + w * lanes, k_ - 1));
  }

  __device__ bool idle() const { return first_ >= k_; }

  __device__ void load(int row, Scalar (&x)[width]) const {
#pragma unroll
    for (int w = 0; w < width; ++w) x[w] = __ldg(row_at(x_[w], row, x_row_));
  }

  __device__ void store(const Operands& o, int row, const Scalar (&sum)[width]) const {
#pragma unroll
    for (int w = 0; w < width; ++w)
      if (first_ + w * lanes_ < k_) o.store(row, first_ + w * lanes_, sum[w]);
  }

 private:
  int first_;
  int lanes_;
  int k_;
  int x_row_;
  const Scalar* x_[width];
};

}  // namespace fatvec::bench::raw::cuda::inline FATVEC_BENCH_IN
