// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/app/verify/oracle.hpp>
#include <fatvec/statistics/row_statistics.hpp>

#include "harness/cases.hpp"

namespace fatvec::bench {

/// A matrix of the run on the host, with the X that every contender multiplies, the Y that it
/// starts from, and the oracle's answer to Y = beta · Y + alpha · A · X. In float all numbers,
/// alpha and beta among them, are rounded to floats before, and the oracle allows float's rounding;
/// in single precision only the values of A are.
///
/// X(j, c) and Y(i, c) depend on their indices alone, so X with k columns is the first k columns of
/// any wider one: the oracle, the slowest part of a row, runs once per matrix, for the largest k.
class Problem {
 public:
  /// Reads or generates the matrix; throws what io and generate throw, CapacityError where a
  /// product with largest_k columns would not fit, or an entry is beyond what a float can be, and
  /// PrecisionError where values of A are to be floats, and one of them moves too far.
  explicit Problem(const MatrixSource& source, std::int64_t largest_k,
                   Precision precision = Precision::in_double, double alpha = 1, double beta = 0);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const product::HostCsr& matrix() const { return task_.matrix; }
  /// The product with k columns in this layout, by the defaults of each contender.
  [[nodiscard]] product::Case task(std::int64_t k, product::Layout layout) const;
  /// Bytes of a value of X and Y.
  [[nodiscard]] std::size_t value_bytes() const {
    return task_.in_double() ? sizeof(double) : sizeof(float);
  }
  [[nodiscard]] const RowStatistics& statistics() const { return statistics_; }

  /// X (cols × k), uniform in [-1, 1).
  [[nodiscard]] product::HostMultivector x(std::int64_t k) const;
  /// Y (rows × k) before the product: full of NaN where beta = 0, so that whatever is not
  /// overwritten shows.
  [[nodiscard]] product::HostMultivector initial_y(std::int64_t k) const;
  [[nodiscard]] double alpha() const { return alpha_; }
  [[nodiscard]] double beta() const { return beta_; }

  /// Why y is not the product, naming its worst element; nothing where it is.
  [[nodiscard]] std::optional<std::string> difference(const product::HostMultivector& y);

 private:
  const verify::Reference<double>& reference(std::int64_t k);
  [[nodiscard]] product::HostMultivector elements(const std::string& label, std::int64_t rows,
                                                  std::int64_t k, std::int64_t first_row) const;
  [[nodiscard]] double rounded(double value) const;

  std::string name_;
  product::Case task_;  ///< of one column
  RowStatistics statistics_;
  std::int64_t largest_k_;
  double alpha_;
  double beta_;
  verify::Reference<double> widest_;   ///< largest_k columns, computed when first needed
  verify::Reference<double> current_;  ///< the leading columns that the last cases compared with
};

}  // namespace fatvec::bench
