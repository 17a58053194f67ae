// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fatvec/core/error.hpp>
#include <fatvec/generate/build.hpp>
#include <fatvec/generate/random.hpp>

namespace fatvec::generate {

/// rows × cols with uniformly random columns and values in [-1, 1); base of the kinds that say how
/// long a row is. Columns are uniform on purpose, also where row lengths are skewed: imbalance and
/// locality of X stay separate questions.
class RandomRows {
 public:
  explicit RandomRows(const Spec& spec)
      : rows_(checked_extent(spec, "rows", {spec.sizes.front()})),
        cols_(checked_extent(spec, "columns", {spec.sizes.back()})),
        seed_(spec.seed) {}

  [[nodiscard]] std::int32_t rows() const { return rows_; }
  [[nodiscard]] std::int32_t cols() const { return cols_; }

 protected:
  void fill(std::int64_t row, std::int64_t length, std::int32_t* columns, double* values) const {
    sample_columns(RowRandom(seed_, Purpose::columns, row), cols_, length, columns);
    const RowRandom random(seed_, Purpose::values, row);
    for (std::int64_t slot = 0; slot < length; ++slot) values[slot] = 2 * random.unit(slot) - 1;
  }

  std::int32_t rows_;
  std::int32_t cols_;
  std::uint64_t seed_;
};

/// Every row has per_row entries.
class Uniform : public RandomRows {
 public:
  explicit Uniform(const Spec& spec) : RandomRows(spec), per_row_(spec.per_row) {
    if (per_row_ <= cols_) return;
    throw UsageError(detail::concat(spec.text, ": PER_ROW = ", per_row_,
                                    " distinct columns do not exist in ", cols_, "."));
  }

  [[nodiscard]] std::int64_t row_length(std::int64_t) const { return per_row_; }
  void fill_row(std::int64_t row, std::int32_t* columns, double* values) const {
    fill(row, per_row_, columns, values);
  }

 private:
  std::int64_t per_row_;
};

/// Row lengths with a power-law tail, as of web graphs: x from a Pareto law of density ~
/// x^-exponent on [minimum, max], rounded up or down at random so that its mean stays. The minimum
/// is what makes the mean the wanted one; below 1 it leaves some rows empty. By default 1,000,000
/// rows of mean 3.1 resemble webbase-1M: most have 1 or 2 entries, the longest 4000 to 4700.
class PowerLaw : public RandomRows {
 public:
  explicit PowerLaw(const Spec& spec) : RandomRows(spec), tail_(spec.exponent - 1) {
    // The longest of n draws grows as n^(1 / tail), which scales webbase-1M's longest row to other
    // sizes.
    const double scaled = 4700 * std::pow(rows_ / 1e6, 1 / tail_);
    max_ = spec.max ? static_cast<double>(*spec.max)
                    : std::min<double>(cols_, std::ceil(std::max(scaled, 4 * spec.mean)));
    if (max_ > cols_) {
      throw UsageError(
          detail::concat(spec.text, ": max = ", *spec.max, " exceeds the ", cols_, " columns."));
    }
    if (spec.mean > max_) {
      throw UsageError(detail::concat(spec.text, ": MEAN = ", spec.mean,
                                      " exceeds the longest row, ", max_, "."));
    }
    minimum_ = minimum_for(spec.mean);
    span_ = 1 - std::pow(minimum_ / max_, tail_);
  }

  [[nodiscard]] std::int64_t row_length(std::int64_t row) const {
    const RowRandom random(seed_, Purpose::row_length, row);
    const double length = minimum_ * std::pow(1 - random.unit(0) * span_,
                                              -1 / tail_);  // inverse of the distribution function
    return static_cast<std::int64_t>(std::min(length + random.unit(1), max_));
  }
  void fill_row(std::int64_t row, std::int32_t* columns, double* values) const {
    fill(row, row_length(row), columns, values);
  }

 private:
  /// Mean of the Pareto law on [minimum, max]; rises with the minimum from 0 to max.
  [[nodiscard]] double mean_for(double minimum) const {
    const double log_ratio = std::log(minimum / max_);
    const double integral =
        tail_ == 1 ? -log_ratio : -std::expm1((tail_ - 1) * log_ratio) / (tail_ - 1);
    return tail_ * minimum * integral / -std::expm1(tail_ * log_ratio);
  }

  [[nodiscard]] double minimum_for(double mean) const {
    double low = 0;
    double high = max_;
    for (int step = 0; step < 100; ++step) {
      const double middle = (low + high) / 2;
      (mean_for(middle) < mean ? low : high) = middle;
    }
    return high;
  }

  double tail_;  ///< exponent - 1: P(length > x) ~ x^-tail
  double max_;
  double minimum_;
  double span_;  ///< 1 - (minimum / max)^tail: the part of the untruncated law below max
};

}  // namespace fatvec::generate
