// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fatvec/core/error.hpp>
#include <fatvec/generate/row_lengths.hpp>

namespace fatvec::generate {
namespace {

/// Where a rising function reaches its goal, up to the tolerance or 2^-60 of the interval.
template <class Function>
double solve(double low, double high, double goal, double tolerance, const Function& function) {
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    const double value = function(middle);
    if (std::abs(value - goal) <= tolerance) return middle;
    (value < goal ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// p(x) ~ exp(a·x + b·x²) on 0 ... top: among all distributions there with its mean and variance
/// the one that assumes nothing else (Jaynes 1957). For b < 0 a bell, for b = 0 geometric, for b >
/// 0 two-humped.
class EntropyLaw {
 public:
  /// Mean in [0, top]; a variance out of reach is replaced by the nearest that is within.
  EntropyLaw(std::int64_t top, double mean, double variance)
      : p_(static_cast<std::size_t>(top) + 1) {
    // With b fixed the mean rises with a, and along the line of the wanted mean the variance rises
    // with b.
    const double half = std::max<double>(1, static_cast<double>(top) / 2);
    const double steep = 40;  // e^-40 per step: beyond that nothing changes
    const auto set_mean = [&](double b) {
      const double reach = 2 * std::abs(b) * 2 * half + steep;
      const double a =
          solve(-reach, reach, mean, 1e-8, [&](double slope) { return set(slope, b).mean; });
      return set(a, b);
    };
    const double b = solve(-steep, steep, variance, 1e-5 * variance,
                           [&](double curvature) { return set_mean(curvature).variance; });
    set_mean(b);
  }

  [[nodiscard]] const std::vector<double>& probabilities() const { return p_; }

 private:
  struct Moments {
    double mean, variance;
  };

  Moments set(double a, double b) {
    const auto exponent = [&](std::size_t n) {
      const auto x = static_cast<double>(n);
      return (a + b * x) * x;
    };
    double largest = exponent(0);
    for (std::size_t n = 1; n < p_.size(); ++n) largest = std::max(largest, exponent(n));
    double sum = 0;
    double first = 0;
    for (std::size_t n = 0; n < p_.size(); ++n) {
      p_[n] = std::exp(exponent(n) - largest);
      sum += p_[n];
      first += p_[n] * static_cast<double>(n);
    }
    const double mean = first / sum;
    double variance = 0;
    for (std::size_t n = 0; n < p_.size(); ++n) {
      p_[n] /= sum;
      variance += p_[n] * (static_cast<double>(n) - mean) * (static_cast<double>(n) - mean);
    }
    return {mean, variance};
  }

  std::vector<double> p_;
};

/// Whole numbers of rows per length, in these proportions, whose lengths add up to `sum` exactly.
std::vector<std::int64_t> count(const std::vector<double>& proportions, std::int64_t rows,
                                std::int64_t sum) {
  std::vector<std::int64_t> counts(proportions.size());
  double wanted = 0;
  std::int64_t given = 0;
  std::int64_t missing = sum;
  for (std::size_t n = 0; n < counts.size(); ++n) {
    wanted += proportions[n] * static_cast<double>(rows);
    const auto end = n + 1 == counts.size()
                         ? rows
                         : std::min(rows, static_cast<std::int64_t>(std::llround(wanted)));
    counts[n] = end - given;
    missing -= counts[n] * static_cast<std::int64_t>(n);
    given = end;
  }
  // Rounding left a few entries over or out: rows move on by one, from where most are. sum is
  // between 0 and rows · top, so there is always a row that can move, and each round moves at least
  // one.
  while (missing != 0) {
    const bool more = missing > 0;
    const auto from =
        std::max_element(counts.begin() + (more ? 0 : 1), counts.end() - (more ? 1 : 0));
    const std::int64_t moved = std::min(std::abs(missing), (*from + 1) / 2);
    *from -= moved;
    *(more ? from + 1 : from - 1) += moved;
    missing += more ? -moved : moved;
  }
  return counts;
}

}  // namespace

RowLengths::RowLengths(const LengthLaw& law) : first_(law.min) {
  const double steepness =
      law.long_rows > 1
          ? std::log(static_cast<double>(law.max) / static_cast<double>(law.long_end)) /
                std::log(static_cast<double>(law.long_rows))
          : 0;
  for (std::int64_t n = law.long_rows; n >= 1; --n) {
    long_rows_.push_back(
        std::llround(static_cast<double>(law.max) * std::pow(static_cast<double>(n), -steepness)));
  }
  const std::int64_t body_rows = law.rows - law.long_rows - 1;
  const std::int64_t body_nnz =
      law.nnz - std::accumulate(long_rows_.begin(), long_rows_.end(), law.min);
  if (body_rows < 0 || law.min > law.body_max || body_nnz < body_rows * law.min ||
      body_nnz > body_rows * law.body_max) {
    throw UsageError(detail::concat("no ", law.rows, " rows from ", law.min, " to ", law.body_max,
                                    " entries, ", law.long_rows, " longer ones of up to ", law.max,
                                    " beside them, have ", law.nnz, " entries."));
  }

  const double mean = static_cast<double>(law.nnz) / static_cast<double>(law.rows);
  const auto squared_distance = [&](std::int64_t length) {
    return std::pow(static_cast<double>(length) - mean, 2);
  };
  double squares =
      law.deviation * law.deviation * static_cast<double>(law.rows) - squared_distance(law.min);
  for (const auto length : long_rows_) squares -= squared_distance(length);
  std::vector<std::int64_t> counts{0};
  if (body_rows > 0) {
    const double body_mean = static_cast<double>(body_nnz) / static_cast<double>(body_rows);
    const double variance =
        squares / static_cast<double>(body_rows) - std::pow(body_mean - mean, 2);
    const EntropyLaw body(law.body_max - law.min, body_mean - static_cast<double>(law.min),
                          std::max(variance, 0.0));
    counts = count(body.probabilities(), body_rows, body_nnz - body_rows * law.min);
  }
  ++counts.front();
  end_rank_.resize(counts.size());
  std::partial_sum(counts.begin(), counts.end(), end_rank_.begin());
}

std::int64_t RowLengths::at(std::int64_t rank) const {
  if (rank >= end_rank_.back())
    return long_rows_[static_cast<std::size_t>(rank - end_rank_.back())];
  return first_ + (std::upper_bound(end_rank_.begin(), end_rank_.end(), rank) - end_rank_.begin());
}

}  // namespace fatvec::generate
