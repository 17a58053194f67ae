// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace fatvec::generate {

/// What the lengths of a matrix' rows have in common. One row is `min` long, the `long_rows`
/// longest fall from `max` to `long_end` as rank^-s, all others, the body, lie in [min, body_max].
struct LengthLaw {
  std::int64_t rows = 0;
  std::int64_t nnz = 0;
  std::int64_t min = 0;
  std::int64_t body_max = 0;
  std::int64_t max = 0;
  std::int64_t long_rows = 1;
  std::int64_t long_end = 0;  ///< the shortest of the long rows
  double deviation = 0;       ///< standard deviation over all rows
};

/// Row lengths by rank, ascending. The sum, the shortest and the longest are exactly the law's, the
/// deviation is as near as whole numbers allow: the body is the distribution of largest entropy
/// with the mean and the deviation that remain for it.
class RowLengths {
 public:
  /// Throws UsageError where no such lengths exist.
  explicit RowLengths(const LengthLaw& law);

  /// The length of the row with this rank, 0 ... rows - 1.
  [[nodiscard]] std::int64_t at(std::int64_t rank) const;

 private:
  std::int64_t first_;  ///< the shortest length
  std::vector<std::int64_t>
      end_rank_;  ///< of each length from first_ on: the rank after its last one
  std::vector<std::int64_t> long_rows_;  ///< ascending
};

}  // namespace fatvec::generate
