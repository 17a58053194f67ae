// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fatvec/app/dispatch/operands.hpp>
#include <fatvec/app/dispatch/product.hpp>

#include "harness/contender.hpp"

namespace fatvec::bench {

/// Two n × k multivectors of doubles in one layout, where the backend computes.
struct VectorOperands {
  const double* x = nullptr;
  const double* y = nullptr;
  std::int64_t n = 0;
  std::int64_t k = 1;
  product::Layout layout = product::Layout::column;

  [[nodiscard]] std::int64_t row_stride() const { return layout == product::Layout::row ? k : 1; }
  [[nodiscard]] std::int64_t column_begin(std::int64_t c) const {
    return layout == product::Layout::row ? c : c * n;
  }
};

/// A reduction that is ready to run, with the operands of all contenders and room for results of
/// its own.
class Reduction {
 public:
  Reduction() = default;
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;
  virtual ~Reduction() = default;

  /// Reduces every column; the results stay where they were computed. Returns the seconds it took.
  virtual double run() = 0;
  /// Column after column what append_numbers() lists, of a dot product the one number.
  [[nodiscard]] virtual std::vector<double> numbers() const = 0;
};

/// reduce(exec) enqueues, reduce.numbers(exec) waits and copies out.
template <class ExecSpace, class Reduce>
class TimedReduction final : public Reduction {
 public:
  explicit TimedReduction(Reduce reduce) : reduce_(std::move(reduce)) {}
  double run() override {
    return product::timed(exec_, [&] { reduce_(exec_); });
  }
  [[nodiscard]] std::vector<double> numbers() const override { return reduce_.numbers(exec_); }

 private:
  ExecSpace exec_;
  Reduce reduce_;
};

template <class ExecSpace, class Reduce>
std::unique_ptr<Reduction> make_reduction(Reduce reduce) {
  return std::make_unique<TimedReduction<ExecSpace, Reduce>>(std::move(reduce));
}

/// The numbers of an operation, from anything that has the members of VectorStatistics or of
/// raw::Seven.
template <class Statistics>
void append_numbers(std::vector<double>& numbers, Operation operation, const Statistics& s) {
  const auto max_norm = [&] {
    if constexpr (requires { s.max_norm(); })
      return s.max_norm();
    else
      return s.max_norm;
  };
  if (operation == Operation::asum) return numbers.push_back(s.absolute_sum);
  if (operation == Operation::nrm2) return numbers.push_back(std::sqrt(s.square_sum));
  numbers.insert(numbers.end(), {s.sum, s.absolute_sum, s.square_sum, max_norm(), s.min, s.max,
                                 static_cast<double>(s.zeros)});
}

}  // namespace fatvec::bench
