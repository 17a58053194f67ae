// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <fatvec/formats/transpose.hpp>

#include "random.hpp"

namespace fatvec::test {

/// CSR, for any scalar: rows in whatever order, with or without duplicates.
struct RandomMatrix {
  std::string kind;
  int rows = 0;
  int cols = 0;
  std::vector<std::int64_t> row_map{0};
  std::vector<int> entries;
  std::vector<std::complex<double>> values;

  [[nodiscard]] std::int64_t nnz() const { return row_map.back(); }
};

/// Of any shape and structure up to about 2000 rows and columns. `widest`: the largest exponent, to
/// base 2, that values may have.
RandomMatrix random_matrix(Random& random, int widest);

/// Other values in the same pattern, or a pattern of the same extents that has nothing to do with
/// it.
RandomMatrix with_other_values(Random& random, const RandomMatrix& matrix, int widest);
RandomMatrix with_other_pattern(Random& random, const RandomMatrix& matrix, int widest);

/// op(A), by a loop that shares nothing with fatvec::apply.
RandomMatrix applied(Op op, const RandomMatrix& a);

/// A number of either sign; `wide`: of any exponent up to `widest`.
std::complex<double> random_value(Random& random, bool wide, int widest);

}  // namespace fatvec::test
