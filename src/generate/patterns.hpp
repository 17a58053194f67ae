// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include <fatvec/generate/build.hpp>
#include <fatvec/generate/random.hpp>

namespace fatvec::generate {

/// n × n, every entry within half_bandwidth of the diagonal. Off-diagonal values symmetric and in
/// (-1, -0.5], the diagonal 2·half_bandwidth + 1: symmetric positive definite.
class Banded {
 public:
  explicit Banded(const Spec& spec)
      : size_(checked_extent(spec, "rows", {spec.sizes.at(0)})),
        half_bandwidth_(
            std::min<std::int64_t>(spec.half_bandwidth, size_)),  // beyond that the matrix is full
        seed_(spec.seed) {}

  [[nodiscard]] std::int32_t rows() const { return size_; }
  [[nodiscard]] std::int32_t cols() const { return size_; }
  [[nodiscard]] std::int64_t row_length(std::int64_t row) const {
    return last(row) - first(row) + 1;
  }

  void fill_row(std::int64_t row, std::int32_t* columns, double* values) const {
    for (std::int64_t column = first(row); column <= last(row); ++column) {
      *columns++ = static_cast<std::int32_t>(column);
      *values++ = row == column ? 2 * static_cast<double>(half_bandwidth_) + 1
                                : symmetric_coupling(seed_, row, column);
    }
  }

 private:
  [[nodiscard]] std::int64_t first(std::int64_t row) const {
    return std::max<std::int64_t>(row - half_bandwidth_, 0);
  }
  [[nodiscard]] std::int64_t last(std::int64_t row) const {
    return std::min<std::int64_t>(row + half_bandwidth_, size_ - 1);
  }

  std::int32_t size_;
  std::int64_t half_bandwidth_;
  std::uint64_t seed_;
};

/// n × n: row 0, column 0 and the diagonal; one row n times as long as the others, which no padded
/// format survives. A(0, 0) = n, the rest of the diagonal 2, the arms -1: symmetric positive
/// definite.
class Arrow {
 public:
  explicit Arrow(const Spec& spec) : size_(checked_extent(spec, "rows", {spec.sizes.at(0)})) {}

  [[nodiscard]] std::int32_t rows() const { return size_; }
  [[nodiscard]] std::int32_t cols() const { return size_; }
  [[nodiscard]] std::int64_t row_length(std::int64_t row) const { return row == 0 ? size_ : 2; }

  void fill_row(std::int64_t row, std::int32_t* columns, double* values) const {
    if (row == 0) {
      for (std::int32_t column = 0; column < size_; ++column) {
        columns[column] = column;
        values[column] = column == 0 ? size_ : -1;
      }
      return;
    }
    columns[0] = 0;
    values[0] = -1;
    columns[1] = static_cast<std::int32_t>(row);
    values[1] = 2;
  }

 private:
  std::int32_t size_;
};

/// n × n, random diagonal values in [1, 2).
class Diagonal {
 public:
  explicit Diagonal(const Spec& spec)
      : size_(checked_extent(spec, "rows", {spec.sizes.at(0)})), seed_(spec.seed) {}

  [[nodiscard]] std::int32_t rows() const { return size_; }
  [[nodiscard]] std::int32_t cols() const { return size_; }
  [[nodiscard]] std::int64_t row_length(std::int64_t) const { return 1; }

  void fill_row(std::int64_t row, std::int32_t* columns, double* values) const {
    *columns = static_cast<std::int32_t>(row);
    *values = 1 + RowRandom(seed_, Purpose::values, row).unit(0);
  }

 private:
  std::int32_t size_;
  std::uint64_t seed_;
};

/// rows × cols without entries.
class Empty {
 public:
  explicit Empty(const Spec& spec)
      : rows_(checked_extent(spec, "rows", {spec.sizes.front()})),
        cols_(checked_extent(spec, "columns", {spec.sizes.back()})) {}

  [[nodiscard]] std::int32_t rows() const { return rows_; }
  [[nodiscard]] std::int32_t cols() const { return cols_; }
  [[nodiscard]] std::int64_t row_length(std::int64_t) const { return 0; }
  void fill_row(std::int64_t, std::int32_t*, double*) const {}

 private:
  std::int32_t rows_;
  std::int32_t cols_;
};

}  // namespace fatvec::generate
