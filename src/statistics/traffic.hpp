// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace fatvec {

/// The sizes of one product Y = A·X that its traffic and its work depend on.
struct ProductSize {
  std::int64_t nnz = 0;   ///< entries of A, explicit zeros included, padding excluded
  std::int64_t rows = 0;  ///< of A and Y
  std::int64_t columns_touched =
      0;               ///< columns of A with an entry: the rows of X that are read (RowStatistics)
  std::int64_t k = 1;  ///< columns of X and Y
  bool reads_y = false;          ///< beta is not 0
  std::size_t value_bytes = 8;   ///< of one value of A, X and Y
  std::size_t index_bytes = 4;   ///< of one column index
  std::size_t offset_bytes = 4;  ///< of one row offset
};

/// Bytes that any CSR product must move through main memory, caches being perfect: A and the needed
/// rows of X read once, Y written once (without write-allocate) and, with beta ≠ 0, read once.
///
///     nnz·(value + index) + (rows + 1)·offset + k·value·(columns_touched + rows · (1 or 2))
///
/// The yardstick is the same for every format: padding is waste, not work. Divided by the measured
/// bandwidth it bounds the time from below. The model is the cold-cache minimum traffic of Gropp,
/// Kaushik, Keyes and Smith (Parallel CFD 1999).
inline double compulsory_bytes(const ProductSize& size) {
  const auto matrix =
      static_cast<double>(size.nnz) * static_cast<double>(size.value_bytes + size.index_bytes);
  const auto offsets =
      (static_cast<double>(size.rows) + 1) * static_cast<double>(size.offset_bytes);
  const double y_rows = static_cast<double>(size.rows) * (size.reads_y ? 2 : 1);
  const double vector_rows = static_cast<double>(size.columns_touched) + y_rows;
  return matrix + offsets +
         static_cast<double>(size.k) * static_cast<double>(size.value_bytes) * vector_rows;
}

/// Floating-point operations of the product: a multiplication and an addition per entry and column.
/// Scaling by alpha and beta does not count.
inline double flops(const ProductSize& size) {
  return 2.0 * static_cast<double>(size.nnz) * static_cast<double>(size.k);
}

}  // namespace fatvec
