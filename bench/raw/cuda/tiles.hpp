// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "raw/cuda/common.hpp"

/// The columns that a thread of the tuned kernel holds in registers, and how it reads X and writes
/// Y for them.
namespace fatvec::bench::raw::cuda {

/// Whether neighbouring columns of X and Y can be read and written two at a time.
inline bool in_pairs(const Operands& o) {
  const auto aligned = [](const double* data, int stride) {
    return reinterpret_cast<std::uintptr_t>(data) % sizeof(double2) == 0 && stride % 2 == 0;
  };
  return o.k % 2 == 0 && aligned(o.x, o.x_row) && aligned(o.y, o.y_row);
}

/// The element `row` rows of `bytes` bytes behind `at`: one instruction, where an index in doubles
/// takes three.
__device__ inline const double* row_at(const double* at, int row, int bytes) {
  const double* found;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(found) : "r"(row), "r"(bytes), "l"(at));
  return found;
}

/// `width` neighbouring columns; an even number in pairs. Takes a k that is a multiple of width.
template <int width_>
struct Adjacent {
  static constexpr int width = width_;

  __device__ Adjacent(const Operands& o, int tile, int lane, int lanes)
      : first_((tile * lanes + lane) * width),
        k_(o.k),
        x_(o.x + first_),
        x_row_(o.x_row * static_cast<int>(sizeof(double))) {}

  __device__ bool idle() const { return first_ >= k_; }

  __device__ void load(int row, double (&x)[width]) const {
    const double* const from = row_at(x_, row, x_row_);
    if constexpr (width % 2 == 0) {
#pragma unroll
      for (int w = 0; w < width; w += 2) {
        const double2 pair = __ldg(reinterpret_cast<const double2*>(from + w));
        x[w] = pair.x;
        x[w + 1] = pair.y;
      }
    } else {
#pragma unroll
      for (int w = 0; w < width; ++w) x[w] = __ldg(from + w);
    }
  }

  __device__ void store(const Operands& o, int row, const double (&sum)[width]) const {
    if constexpr (width % 2 == 0) {
      double2* const to = reinterpret_cast<double2*>(o.y + o.y_at(row, 0) + first_);
#pragma unroll
      for (int w = 0; w < width; w += 2) {
        const double2 old = o.beta == 0 ? double2{0, 0} : to[w / 2];
        to[w / 2] = {o.combined(old.x, sum[w]), o.combined(old.y, sum[w + 1])};
      }
    } else {
#pragma unroll
      for (int w = 0; w < width; ++w) o.store(row, first_ + w, sum[w]);
    }
  }

 private:
  int first_;
  int k_;
  const double* x_;
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
        x_row_(o.x_row * static_cast<int>(sizeof(double))) {
#pragma unroll
    for (int w = 0; w < width; ++w) x_[w] = o.x + o.x_at(0, min(first_ + w * lanes, k_ - 1));
  }

  __device__ bool idle() const { return first_ >= k_; }

  __device__ void load(int row, double (&x)[width]) const {
#pragma unroll
    for (int w = 0; w < width; ++w) x[w] = __ldg(row_at(x_[w], row, x_row_));
  }

  __device__ void store(const Operands& o, int row, const double (&sum)[width]) const {
#pragma unroll
    for (int w = 0; w < width; ++w)
      if (first_ + w * lanes_ < k_) o.store(row, first_ + w * lanes_, sum[w]);
  }

 private:
  int first_;
  int lanes_;
  int k_;
  int x_row_;
  const double* x_[width];
};

}  // namespace fatvec::bench::raw::cuda
