// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include <fatvec/app/dispatch/timing.hpp>

namespace fatvec::product {

/// A clock that only runs of products move on. A run that other processes disturb takes longer by
/// some of their slices.
class MadeUpMachine {
 public:
  explicit MadeUpMachine(std::function<bool(double)> disturbed = [](double) { return false; })
      : disturbed_(std::move(disturbed)) {}

  /// A product that takes these seconds.
  [[nodiscard]] std::function<double()> run(double seconds) {
    return [this, seconds] {
      const double taken = seconds + (disturbed_(now_) ? 15.9e-3 : 0);
      now_ += taken;
      return taken;
    };
  }
  [[nodiscard]] Clock clock() const {
    return [this] { return now_; };
  }

 private:
  std::function<bool(double)> disturbed_;
  double now_ = 0;
};

}  // namespace fatvec::product
