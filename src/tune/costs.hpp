// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <fatvec/formats/multivector.hpp>

namespace fatvec {

/// What a format's kernel costs on one kind of machine beyond perfect use of it: factors of the model's terms (model.hpp), in
/// their order, those of `entries` to `elements_of_y` being bytes of the cache's bandwidth.
struct CostFactors {
  bool cpu;
  Layout layout;  ///< of X and Y
  std::string_view format;
  std::array<double, 9> factors;
  double setup_launches;  ///< conversion from CSR: launches,
  double setup_bytes;     ///< and times the bytes of CSR and the format / main memory's bandwidth
};

/// Fitted by scripts/calibrate to what `fatvec tune` measured of generated matrices.
inline constexpr std::array cost_table = {
    // clang-format off
    CostFactors{false, Layout::row, "csr",     {1, 1.0, 0.5, 4, 2, 0, 0, 0.00, 1.2}, 20, 0.1},
    CostFactors{false, Layout::row, "ellpack", {1, 1.0, 0.5, 1, 2, 0, 0, 0.25, 1.2}, 40, 3},
    CostFactors{false, Layout::row, "hll",     {1, 1.0, 0.5, 1, 2, 0, 0, 0.25, 1.2}, 40, 3},
    CostFactors{false, Layout::row, "sell",    {1, 1.0, 0.5, 1, 2, 0, 0, 0.25, 1.2}, 200, 4},
    CostFactors{false, Layout::row, "pjad",    {1, 1.0, 0.5, 1, 2, 0, 0, 0.25, 1.2}, 200, 4},
    CostFactors{false, Layout::row, "jad",     {1, 1.0, 0.5, 1, 2, 0, 0, 0.25, 1.2}, 200, 4},
    CostFactors{false, Layout::row, "bsr",     {1, 1.0, 0.5, 1, 2, 0, 0, 0.05, 1.2}, 200, 4},
    CostFactors{true,  Layout::row, "csr",     {1, 1.0, 0.5, 4, 2, 0, 0, 0.00, 1.2}, 20, 0.1},
    CostFactors{true,  Layout::row, "ellpack", {1, 1.0, 0.5, 4, 2, 0, 0, 0.25, 1.2}, 40, 3},
    CostFactors{true,  Layout::row, "hll",     {1, 1.0, 0.5, 4, 2, 0, 0, 0.25, 1.2}, 40, 3},
    CostFactors{true,  Layout::row, "sell",    {1, 1.0, 0.5, 4, 2, 0, 0, 0.25, 1.2}, 200, 4},
    CostFactors{true,  Layout::row, "pjad",    {1, 1.0, 0.5, 4, 2, 0, 0, 0.25, 1.2}, 200, 4},
    CostFactors{true,  Layout::row, "jad",     {1, 1.0, 0.5, 4, 2, 0, 0, 0.25, 1.2}, 200, 4},
    CostFactors{true,  Layout::row, "bsr",     {1, 1.0, 0.5, 4, 2, 0, 0, 0.05, 1.2}, 200, 4},
    // clang-format on
};

}  // namespace fatvec
