// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "raw/vectors.hpp"

/// OpenMP's own reductions, over threads and vector lanes, of elements `step` apart. A step of 1
/// that the compiler knows lets it load whole vectors.
namespace fatvec::bench::raw::openmp {

template <class T, class Step>
Seven<T> statistics_by(const T* x, Step step, std::int64_t n) {
  Wide<T> sum = 0, absolute_sum = 0, square_sum = 0, max_norm = 0;
  T min = Seven<T>::highest, max = Seven<T>::lowest;
  std::int64_t zeros = 0;
#pragma omp parallel for simd reduction(+ : sum, absolute_sum, square_sum, zeros) \
    reduction(max : max_norm, max) reduction(min : min)
  for (std::int64_t i = 0; i < n; ++i) {
    const T element = x[i * step];
    const auto wide = static_cast<Wide<T>>(element);
    const Wide<T> size = wide < 0 ? -wide : wide;
    sum += wide;
    absolute_sum += size;
    square_sum += wide * wide;
    max_norm = size > max_norm ? size : max_norm;
    min = element < min ? element : min;
    max = element > max ? element : max;
    zeros += element == 0;
  }
  return Seven<T>{sum, absolute_sum, square_sum, max_norm, min, max, zeros}.settled();
}

template <class T, class Step>
Product<T> dot_by(const T* x, const T* y, Step step, std::int64_t n) {
  Wide<T> sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i)
    sum += static_cast<Wide<T>>(x[i * step]) * static_cast<Wide<T>>(y[i * step]);
  return {sum};
}

using Adjacent = std::integral_constant<std::int64_t, 1>;

template <class T>
Seven<T> statistics(const T* x, std::int64_t step, std::int64_t n) {
  return step == 1 ? statistics_by(x, Adjacent{}, n) : statistics_by(x, step, n);
}

template <class T>
Product<T> dot(const T* x, const T* y, std::int64_t step, std::int64_t n) {
  return step == 1 ? dot_by(x, y, Adjacent{}, n) : dot_by(x, y, step, n);
}

}  // namespace fatvec::bench::raw::openmp
