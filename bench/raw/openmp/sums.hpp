// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

/// The sums of a tile: `width` neighbouring columns of one row of Y, in registers until the row is done.
///   add(a, x, step)               sums += a · (x[0], x[step], ...)
///   finish(alpha, beta, y, step)  y = beta · y + alpha · sums; beta = 0 overwrites y, even NaN
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
    for (int w = 0; w < width; ++w) y[w * step] = beta == 0 ? alpha * sum[w] : beta * y[w * step] + alpha * sum[w];
  }
};

/// Row layout: whole vectors first, the rest in vectors of half the size, and so on down to one scalar. By the vector types of
/// GCC and Clang, as GCC 12 keeps an array of 32 sums in memory and cuts one of 8 into half vectors, `omp simd` or not.
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

 private:
  static Vector load(const double* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
  }
};

template <int width, int lanes>
requires(0 < width && width < lanes) struct VectorSums<width, lanes> : VectorSums<width, lanes / 2> {
};

template <>
struct VectorSums<1, 1> : ScalarSums<1> {};  // not a vector of one, which GCC keeps in memory

template <int lanes>
struct VectorSums<0, lanes> {
  void add(double, const double*, std::ptrdiff_t) {}
  void add(const VectorSums&) {}
  void finish(double, double, double*, std::ptrdiff_t) const {}
};

}  // namespace fatvec::bench::raw
