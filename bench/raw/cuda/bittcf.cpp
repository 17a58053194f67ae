// SPDX-License-Identifier: Apache-2.0
#include <fatvec/formats/bittcf.hpp>

#include <fatvec/kernels/device/tensor_tile.hpp>

#include "raw/cuda/common.hpp"

/// Contender `raw-cuda`, format bittcf, a warp for a window: all of its columns by tensor cores
/// (PTX mma.m8n8k4).
///   kernel:tensor-2, tensor-4   2 or 4 tiles of A are loaded before the first is multiplied
namespace fatvec::bench {
namespace raw::cuda::inline FATVEC_BENCH_IN {

struct Windows {
  template <class Scalar, class Ordinal, class Device, class Offset>
  using Format = BitTcfMatrix<Scalar, Ordinal, Device, Offset>;
  static constexpr const char* name = "bittcf";

  const int* tiles;      ///< offsets
  const int* values_of;  ///< offsets
  const int* permutation;
  const unsigned* masks;
  int count;

  template <class Matrix>
  static Windows of(const Matrix& matrix) {
    return {matrix.window_offsets.data(), matrix.value_offsets.data(), matrix.permutation.data(),
            matrix.masks.data(), static_cast<int>(matrix.windows())};
  }
};

static __device__ __forceinline__ void multiply_add(double& left, double& right, double a,
                                                    double b) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(left), "+d"(right)
               : "d"(a), "d"(b));
#endif
}

/// n tiles of 8 columns; in pairs, whose columns take turns, where two elements of a row of X are
/// loaded at once.
template <int n, bool pairs, int at_once>
__global__ void __launch_bounds__(128, n <= 4 ? 8 : (n <= 6 ? 6 : 5))
    multiply_windows(const Stored<Windows> a, const Operands o) {
  const unsigned blocks = (a.row.count + 3) / 4;
  const int first = static_cast<int>(blockIdx.x / blocks) * 8 * n;
  const int window = static_cast<int>(blockIdx.x % blocks) * 4 + static_cast<int>(threadIdx.x / 32);
  if (window >= a.row.count) return;
  const int thread = static_cast<int>(threadIdx.x % 32);
  const int i = thread / 4;
  const int j = thread % 4;
  const int mine = first + (pairs ? 2 * i : i);
  const double* value = a.values + a.row.values_of[window];
  const int last = a.row.tiles[window + 1];
  double sum[n][2] = {};
  for (int tile = a.row.tiles[window]; tile < last; tile += at_once) {
    unsigned mask[at_once];
    int column[at_once];
    double element[at_once];
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const int at = min(tile + u, last - 1);
      mask[u] = tile + u < last ? __ldcs(a.row.masks + at) : 0;
      column[u] = __ldcs(a.columns + 4 * static_cast<std::int64_t>(at) + j);
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      element[u] =
          mask[u] >> thread & 1 ? __ldcs(value + __popc(mask[u] & ((1U << thread) - 1))) : 0;
      value += __popc(mask[u]);
    }
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const double* const x = o.x + o.x_at(column[u], mine);
      if constexpr (pairs) {
#pragma unroll
        for (int t = 0; t < n; t += 2) {
          const double2 b =
              mine + 8 * t < o.k ? *reinterpret_cast<const double2*>(x + 8 * t) : double2{};
          multiply_add(sum[t][0], sum[t][1], element[u], b.x);
          multiply_add(sum[t + 1][0], sum[t + 1][1], element[u], b.y);
        }
      } else {
#pragma unroll
        for (int t = 0; t < n; ++t)
          multiply_add(sum[t][0], sum[t][1], element[u],
                       mine + 8 * t < o.k ? x[8 * static_cast<std::int64_t>(t) * o.x_col] : 0);
      }
    }
  }
  const int row = a.row.permutation[8 * window + i];
  if (row < 0) return;
  const auto store = [&](int c, double of_column) {
    if (c < o.k) o.store(row, c, of_column);
  };
#pragma unroll
  for (int t = 0; t < n; t += pairs ? 2 : 1) {
    if constexpr (pairs) {
#pragma unroll
      for (int e = 0; e < 4; ++e) store(first + 8 * t + 4 * j + e, sum[t + e % 2][e / 2]);
    } else {
      store(first + 8 * t + 2 * j, sum[t][0]);
      store(first + 8 * t + 2 * j + 1, sum[t][1]);
    }
  }
}

template <int at_once>
void launch_windows(cudaStream_t stream, const Stored<Windows>& a, const Operands& o) {
  const bool aligned =
      o.x_col == 1 && o.x_row % 2 == 0 && reinterpret_cast<std::uintptr_t>(o.x) % 16 == 0;
  const bool pairs = aligned && o.k % 2 == 0 && o.k >= 32;
  const int all = (o.k + 7) / 8;
  const int most = pairs ? 10 : 9;
  const int sweeps = (all + most - 1) / most;
  const auto launch = [&](auto n, auto in_pairs) {
    const std::int64_t blocks = (a.row.count + 3) / 4;
    multiply_windows<decltype(n)::value, decltype(in_pairs)::value, at_once>
        <<<checked_blocks(blocks * ((all + n - 1) / n)), 128, 0, stream>>>(a, o);
  };
  const int wanted = (all + sweeps - 1) / sweeps;
  if (pairs)
    with_width<4, 6, 8, 10>(wanted, [&](auto n) { launch(n, std::true_type{}); });
  else
    with_width<1, 2, 3, 4, 5, 6, 7, 8, 9>(wanted, [&](auto n) { launch(n, std::false_type{}); });
}

}  // namespace raw::cuda::inline FATVEC_BENCH_IN

inline namespace FATVEC_BENCH_IN {

void add_raw_cuda_bittcf(Registry& registry) {
  using namespace raw::cuda;
  const auto no_tensor_cores = [](const product::Case&) -> std::optional<std::string> {
    if (fatvec::detail::has_tensor_tiles<double>(Kokkos::Cuda())) return std::nullopt;
    return "no tensor cores for doubles on this GPU, or code for an earlier one";
  };
  const auto add_kernel = [&](const char* kernel, const Launch<Windows>& launch) {
    add<Windows>(registry,
                 {.kernel = kernel,
                  .make = [launch](const product::Case&) { return as_is<Windows>(launch); },
                  .unsupported = no_tensor_cores});
  };
  add_kernel("tensor-2", launch_windows<2>);
  add_kernel("tensor-4", launch_windows<4>);
}

}  // namespace FATVEC_BENCH_IN
}  // namespace fatvec::bench
