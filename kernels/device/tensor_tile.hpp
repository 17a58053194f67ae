// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <fatvec/core/macros.hpp>
#include <fatvec/kernels/shared/static_for.hpp>

/// Tensor cores that multiply doubles without loss: a warp's product of 8 × 4 and 4 × 8 elements,
/// one instruction. (NVIDIA's PTX ISA, mma.m8n8k4; from compute capability 8.0 on.)
namespace fatvec::detail {

/// Whether what is compiled for ExecSpace may use them with elements T. Not asked of the device
/// alone: one of today runs code for yesterday's, too.
#if defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ARCH_KEPLER) &&   \
    !defined(KOKKOS_ARCH_MAXWELL) && !defined(KOKKOS_ARCH_PASCAL) && \
    !defined(KOKKOS_ARCH_VOLTA) && !defined(KOKKOS_ARCH_TURING75)
#define FATVEC_TENSOR_TILES
#endif
#if defined(FATVEC_TENSOR_TILES)
template <class ExecSpace, class T>
inline constexpr bool may_have_tensor_tiles =
    std::is_same_v<ExecSpace, Kokkos::Cuda> && std::is_same_v<T, double>;
#else
template <class ExecSpace, class T>
inline constexpr bool may_have_tensor_tiles = false;
#endif

/// Whether the device of exec has them at full speed: 8.0, 9.0, 10.0, not the parts for graphics.
template <class T, class ExecSpace>
bool has_tensor_tiles([[maybe_unused]] const ExecSpace& exec) {
#if defined(FATVEC_TENSOR_TILES)
  if constexpr (may_have_tensor_tiles<ExecSpace, T>) {
    const auto& device = exec.cuda_device_prop();
    return device.major >= 8 && device.major <= 10 && device.minor == 0;
  }
#endif
  return false;
}

/// c += a · b, elements spread over a warp: thread 4 i + j has a(i, j), b(j, i), c(i, 2 j) and c(i,
/// 2 j + 1).
FATVEC_FORCEINLINE_FUNCTION void multiply_tiles([[maybe_unused]] double (&c)[2],
                                                [[maybe_unused]] double a,
                                                [[maybe_unused]] double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
#else
  Kokkos::abort("fatvec: a product by tensor cores that the code was not compiled for");
#endif
}

/// *from, which will not be wanted again: it leaves room in the caches for what will.
template <class T>
FATVEC_FORCEINLINE_FUNCTION T load_once(const T* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_arithmetic_v<T>) return __ldcs(from);
#endif
  return *from;
}

/// value, of 64 bits, about which the compiler then knows nothing: knowing that an offset was one
/// of 32 bits, it puts addresses together anew for each load (docs/lab/0012).
template <class T>
FATVEC_FORCEINLINE_FUNCTION T opaque(T value) {
#if defined(__CUDA_ARCH__)
  static_assert(sizeof(T) == 8);
  asm volatile("" : "+l"(value));
#endif
  return value;
}

/// Columns of X and Y for a warp, `tiles` times 8 of them. Thread 4 i + j loads of four rows of X
/// the j-th; which columns it then stores follows from multiply_tiles. With `pairs` neighbouring
/// tiles take turns by columns, so that two elements of X are loaded at once, and of Y stored where
/// they lie side by side: for an even number of columns, rows of X that begin at whole 16 bytes.
template <int tiles_, bool pairs_>
struct TensorColumns {
  static constexpr int tiles = tiles_;
  static constexpr bool pairs = pairs_;
  static constexpr int together = pairs ? 2 : 1;  ///< tiles, and elements of a load
  static constexpr int width = 8 * tiles;
  static_assert(tiles % together == 0);
  struct alignas(16) Pair {
    double data[2];
  };

  /// b(j, i) of all tiles, from the thread's first column in a row of X on; `left` columns are from
  /// there to the last.
  FATVEC_FORCEINLINE_FUNCTION static void load(const double* from, std::int64_t step, int left,
                                               double (&b)[tiles]) {
    unroll<tiles / together>([&](int t) {
      const bool inside = t * 8 * together < left;
      if constexpr (pairs) {
        const Pair loaded = inside ? *reinterpret_cast<const Pair*>(from + t * 16) : Pair{};
        b[2 * t] = loaded.data[0];
        b[2 * t + 1] = loaded.data[1];
      } else {
        b[t] = inside ? from[t * 8 * step] : 0.0;
      }
    });
  }

  /// store(column, sums of it and of its right neighbour) for what the thread has of row i, columns
  /// counted from those of the warp; j: the thread's rank modulo 4.
  template <class Store>
  FATVEC_FORCEINLINE_FUNCTION static void for_each_sum(int j, const double (&c)[tiles][2],
                                                       const Store& store) {
    unroll<tiles / together>([&](int t) {
      if constexpr (pairs) {
        store(t * 16 + 4 * j, c[2 * t][0], c[2 * t + 1][0]);
        store(t * 16 + 4 * j + 2, c[2 * t][1], c[2 * t + 1][1]);
      } else {
        store(t * 8 + 2 * j, c[t][0], c[t][1]);
      }
    });
  }
};

}  // namespace fatvec::detail
