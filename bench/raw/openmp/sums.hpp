// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

/// The sums of a tile: `width` neighbouring columns of one row of Y, in registers until the row is
/// done.
///   add(a, x, step)               sums += a · (x[0], x[step], ...)
///   finish(alpha, beta, y, step)  y = beta · y + alpha · sums; beta = 0 overwrites y, even NaN
///   stream(alpha, y)              y = alpha · sums, past the caches; y is aligned to a line
namespace fatvec::bench::raw {

#if defined(__AVX512F__)
inline constexpr int vector_lanes = 8;
#elif defined(__AVX__)
inline constexpr int vector_lanes = 4;
#else
inline constexpr int vector_lanes = 2;
#endif

/// Column layout: scalars, for SIMD over far-apart columns would only shuffle.
template <int width>
struct ScalarSums {
  double sum[width] = {};

  void add(double a, const double* x, std::ptrdiff_t step) {
    for (int w = 0; w < width; ++w) sum[w] += a * x[w * step];
  }
  void add(const ScalarSums& other) {
    for (int w = 0; w < width; ++w) sum[w] += other.sum[w];
  }
  void finish(double alpha, double beta, double* y, std::ptrdiff_t step) const {
    for (int w = 0; w < width; ++w)
      y[w * step] = beta == 0 ? alpha * sum[w] : beta * y[w * step] + alpha * sum[w];
  }
  void stream(double alpha, double* y) const { finish(alpha, 0, y, 1); }
};

/// Row layout: whole vectors first, the rest in vectors of half the size, and so on down to one
/// scalar. By the vector types of GCC and Clang, as GCC 12 keeps an array of 32 sums in memory and
/// cuts one of 8 into half vectors, `omp simd` or not.
template <int width, int lanes = vector_lanes>
struct VectorSums {
  using Vector __attribute__((vector_size(lanes * sizeof(double)))) = double;
  static constexpr int whole = width / lanes * lanes;
  Vector sum[whole / lanes] = {};
  VectorSums<width - whole, lanes / 2> rest = {};

  void add(double a, const double* x, std::ptrdiff_t step) {
    for (int w = 0; w < whole; w += lanes) sum[w / lanes] += a * load(x + w);
    rest.add(a, x + whole, step);
  }
  void add(const VectorSums& other) {
    for (int w = 0; w < whole; w += lanes) sum[w / lanes] += other.sum[w / lanes];
    rest.add(other.rest);
  }
  void finish(double alpha, double beta, double* y, std::ptrdiff_t step) const {
    for (int w = 0; w < whole; w += lanes) {
      const Vector scaled = alpha * sum[w / lanes];
      const Vector result = beta == 0 ? scaled : beta * load(y + w) + scaled;
      std::memcpy(y + w, &result, sizeof result);
    }
    rest.finish(alpha, beta, y + whole, step);
  }
  void stream(double alpha, double* y) const {
    for (int w = 0; w < whole; w += lanes) {
      const Vector scaled = alpha * sum[w / lanes];
#if defined(__AVX512F__)
      if constexpr (lanes == 8) _mm512_stream_pd(y + w, bits<__m512d>(scaled));
#endif
#if defined(__AVX__)
      if constexpr (lanes == 4) _mm256_stream_pd(y + w, bits<__m256d>(scaled));
#endif
      if constexpr (lanes < 4) std::memcpy(y + w, &scaled, sizeof scaled);
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
  static Vector load(const double* from) {
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
  void add(double, const double*, std::ptrdiff_t) {}
  void add(const VectorSums&) {}
  void finish(double, double, double*, std::ptrdiff_t) const {}
  void stream(double, double*) const {}
};

/// values[0] · x[columns[0]] + ...: four entries fill a vector and two vectors take turns, which
/// GCC may not do with a sum.
inline double row_dot(const double* values, const std::int32_t* columns, std::int64_t length,
                      const double* x) {
  using Four __attribute__((vector_size(32))) = double;
  const auto four = [&](std::int64_t n) {
    Four value;
    std::memcpy(&value, values + n, sizeof value);
    return value * Four{x[columns[n]], x[columns[n + 1]], x[columns[n + 2]], x[columns[n + 3]]};
  };
  Four even{};
  Four odd{};
  std::int64_t n = 0;
  for (; n + 8 <= length; n += 8) {
    even += four(n);
    odd += four(n + 4);
  }
  if (n + 4 <= length) {
    even += four(n);
    n += 4;
  }
  even += odd;
  double sum = (even[0] + even[2]) + (even[1] + even[3]);
  for (; n < length; ++n) sum += values[n] * x[columns[n]];
  return sum;
}

}  // namespace fatvec::bench::raw
