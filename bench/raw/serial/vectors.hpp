// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "raw/vectors.hpp"

/// One element after the other, `step` apart.
namespace fatvec::bench::raw::serial {

template <class T>
Seven<T> statistics(const T* x, std::int64_t step, std::int64_t n) {
  Seven<T> result;
  for (std::int64_t i = 0; i < n; ++i) result.add(x[i * step]);
  return result.settled();
}

template <class T>
Product<T> dot(const T* x, const T* y, std::int64_t step, std::int64_t n) {
  Product<T> result;
  for (std::int64_t i = 0; i < n; ++i) result.add(x[i * step], y[i * step]);
  return result;
}

}  // namespace fatvec::bench::raw::serial
