// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace fatvec::test {

/// Random numbers that a seed fixes, with every compiler and standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  std::int64_t between(std::int64_t first, std::int64_t last) {  // both included
    return first +
           static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(last - first + 1));
  }
  double unit() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }  // 0 ... 1
  double symmetric() { return 2 * unit() - 1; }
  bool chance(double probability) { return unit() < probability; }
  template <class List>
  auto one_of(const List& list) {
    return list[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(list.size()) - 1))];
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace fatvec::test
