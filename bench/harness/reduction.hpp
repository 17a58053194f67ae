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

/// Of contenders that reduce ints (--scalar int).
inline Parameter of_ints() {
  return {"scalar", "int"};
}
/// What a contender of T's says of that: nothing where T is double.
template <class T>
std::vector<Parameter> scalar_parameter() {
  if constexpr (std::is_same_v<T, int>)
    return {of_ints()};
  else
    return {};
}

/// Two n × k multivectors in one layout, where the backend computes: of doubles, for contenders of
/// ints of ints.
struct VectorOperands {
  const void* first = nullptr;
  const void* second = nullptr;
  std::int64_t n = 0;
  std::int64_t k = 1;
  product::Layout layout = product::Layout::column;

  template <class T>
  [[nodiscard]] const T* x() const {
    return static_cast<const T*>(first);
  }
  template <class T>
  [[nodiscard]] const T* y() const {
    return static_cast<const T*>(second);
  }
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
  const auto number = [](auto value) { return static_cast<double>(value); };
  if (operation == Operation::asum) return numbers.push_back(number(s.absolute_sum));
  if (operation == Operation::nrm2) return numbers.push_back(std::sqrt(number(s.square_sum)));
  numbers.insert(numbers.end(),
                 {number(s.sum), number(s.absolute_sum), number(s.square_sum), number(max_norm()),
                  number(s.min), number(s.max), number(s.zeros)});
}

}  // namespace fatvec::bench
