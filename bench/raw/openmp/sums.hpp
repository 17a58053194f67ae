// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "harness/scalar.hpp"

/// The sums of a tile: `width` neighbouring columns of one row of Y, in registers until the row is
/// done.
///   add(a, x, step)               sums += a · (x[0], x[step], ...)
///   finish(alpha, beta, y, step)  y = beta · y + alpha · sums; beta = 0 overwrites y, even NaN
///   stream(alpha, y)              y = alpha · sums, past the caches; y is aligned to a line
namespace fatvec::bench::raw::inline FATVEC_BENCH_IN {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif
inline constexpr int vector_lanes = vector_bytes / sizeof(Scalar);
inline constexpr int line_elements = 64 / sizeof(Scalar);  ///< of a line of the caches

/// Column layout: scalars, for SIMD over far-apart columns would only shuffle.
template <int width>
struct ScalarSums {
  Scalar sum[width] = {};

  void add(Scalar a, const Scalar* x, std::ptrdiff_t step) {
    for (int w = 0; w < width; ++w) sum[w] += a * x[w * step];
  }
  void add(const ScalarSums& other) {
    for (int w = 0; w < width; ++w) sum[w] += other.sum[w];
  }
  void finish(Scalar alpha, Scalar beta, Scalar* y, std::ptrdiff_t step) const {
    for (int w = 0; w < width; ++w)
      y[w * step] = beta == 0 ? alpha * sum[w] : beta * y[w * step] + alpha * sum[w];
  }
  void stream(Scalar alpha, Scalar* y) const { finish(alpha, 0, y, 1); }
};

/// Row layout: whole vectors first, the rest in vectors of half the size, and so on down to one
/// scalar. By the vector types of GCC and Clang, as GCC 12 keeps an array of 32 sums in memory and
/// cuts one of 8 into half vectors, `omp simd` or not.
template <int width, int lanes = vector_lanes>
struct VectorSums {
  using Vector __attribute__((vector_size(lanes * sizeof(Scalar)))) = Scalar;
  static constexpr int whole = width / lanes * lanes;
  Vector sum[whole / lanes] = {};
  VectorSums<width - whole, lanes / 2> rest = {};

  void add(Scalar a, const Scalar* x, std::ptrdiff_t step) {
    for (int w = 0; w < whole; w += lanes) sum[w / lanes] += a * load(x + w);
    rest.add(a, x + whole, step);
  }
  void add(const VectorSums& other) {
    for (int w = 0; w < whole; w += lanes) sum[w / lanes] += other.sum[w / lanes];
    rest.add(other.rest);
  }
  void finish(Scalar alpha, Scalar beta, Scalar* y, std::ptrdiff_t step) const {
    for (int w = 0; w < whole; w += lanes) {
      const Vector scaled = alpha * sum[w / lanes];
      const Vector result = beta == 0 ? scaled : beta * load(y + w) + scaled;
      std::memcpy(y + w, &result, sizeof result);
    }
    rest.finish(alpha, beta, y + whole, step);
  }
  void stream(Scalar alpha, Scalar* y) const {
    for (int w = 0; w < whole; w += lanes) {
      const Vector scaled = alpha * sum[w / lanes];
      [[maybe_unused]] void* const to = y + w;
#if defined(__AVX512F__)
      if constexpr (sizeof scaled == 64)
        _mm512_stream_si512(static_cast<__m512i*>(to), bits<__m512i>(scaled));
#endif
#if defined(__AVX__)
      if constexpr (sizeof scaled == 32)
        _mm256_stream_si256(static_cast<__m256i*>(to), bits<__m256i>(scaled));
#endif
      if constexpr (sizeof scaled < 32) std::memcpy(to, &scaled, sizeof scaled);
    }
    rest.stream(alpha, y + whole);
  }

 private:
  template <class Bits>
  static Bits bits(const Vector& vector) {
    Bits result;
    std::memcpy(&result, &vector, sizeof result);
    return result;
  }
  static Vector load(const Scalar* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
  }
};

template <int width, int lanes>
  requires(0 < width && width < lanes)
struct VectorSums<width, lanes> : VectorSums<width, lanes / 2> {};

template <>
struct VectorSums<1, 1> : ScalarSums<1> {};  // not a vector of one, which GCC keeps in memory

template <int lanes>
struct VectorSums<0, lanes> {
  void add(Scalar, const Scalar*, std::ptrdiff_t) {}
  void add(const VectorSums&) {}
  void finish(Scalar, Scalar, Scalar*, std::ptrdiff_t) const {}
  void stream(Scalar, Scalar*) const {}
};

/// values[0] · x[columns[0]] + ...: entries fill a vector of 32 bytes and two vectors take turns,
/// which GCC may not do with a sum.
inline Scalar row_dot(const Scalar* values, const std::int32_t* columns, std::int64_t length,
                      const Scalar* x) {
  using Vector __attribute__((vector_size(32))) = Scalar;
  constexpr int lanes = 32 / sizeof(Scalar);
  const auto products = [&](std::int64_t n) {
    Vector value;
    std::memcpy(&value, values + n, sizeof value);
    return [&]<int... r>(std::integer_sequence<int, r...>) {
      return value * Vector{x[columns[n + r]]...};
    }(std::make_integer_sequence<int, lanes>());
  };
  Vector even{};
  Vector odd{};
  std::int64_t n = 0;
  for (; n + 2 * lanes <= length; n += 2 * lanes) {
    even += products(n);
    odd += products(n + lanes);
  }
  if (n + lanes <= length) {
    even += products(n);
    n += lanes;
  }
  even += odd;
  for (int half = lanes / 2; half > 1; half /= 2)
    for (int r = 0; r < half; ++r) even[r] += even[r + half];
  Scalar sum = even[0] + even[1];
  for (; n < length; ++n) sum += values[n] * x[columns[n]];
  return sum;
}

}  // namespace fatvec::bench::raw::inline FATVEC_BENCH_IN
