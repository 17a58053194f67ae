// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <fatvec/formats/multivector.hpp>

/// What the kernels of gram() and update() are given, checked.
namespace fatvec::detail::tall {

/// G = XᵀY: X is rows × k, Y rows × m. Shares of the rows have sums of their own in `parts`.
template <class Sum, class T>
struct GramTask {
  Operand<const T> x;
  Operand<const T> y;
  Operand<Sum> g;
  std::int64_t rows = 0;
  int k = 0;
  int m = 0;
  Sum* room = nullptr;  ///< the workspace: parts, and on hosts what is packed
  std::int64_t capacity = 0;
};

/// Y = alpha · X · S + beta · Y: X is rows × k, S k × m.
template <class T>
struct UpdateTask {
  T alpha;
  Operand<const T> x;
  Operand<const T> s;
  T beta;
  Operand<T> y;
  std::int64_t rows = 0;
  int k = 0;
  int m = 0;
};

inline std::int64_t rounded_up(std::int64_t count, std::int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

}  // namespace fatvec::detail::tall
