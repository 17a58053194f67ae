// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace fatvec::test {

/// What became of one random product.
struct Outcome {
  std::string product;   ///< what was multiplied how, for people
  std::string problem;   ///< empty where it is right
  double scaled = 0;     ///< largest error over what rounding allows
  bool wrong = false;    ///< beyond that, or elements around Y were overwritten, or it threw
  bool differs = false;  ///< another run of it has other bits
};

/// Forms the product that the seed describes, some times; `announce` is told of it before.
using RunProduct = Outcome (*)(std::uint64_t seed, void (*announce)(const std::string& product));

/// What the program is compiled for, by name: each source of scalar.cpp.in adds itself.
inline std::map<std::string, RunProduct>& scalars() {
  static std::map<std::string, RunProduct> all;
  return all;
}

}  // namespace fatvec::test
