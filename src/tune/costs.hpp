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
    CostFactors{false, Layout::row, "csr", {1.71, 0.781, 0.462, 4.26, 2.28, 79.5, 0, 0, 1.75}, 9.48, 0.466},
    CostFactors{false, Layout::row, "ellpack", {1.65, 0.164, 0.748, 13.3, 3.64, 0, 0, 0.966, 1.53}, 31.3, 2.23},
    CostFactors{false, Layout::row, "hll", {1.67, 0.733, 0.485, 2.06, 2.87, 0, 0, 0.84, 1.73}, 37.5, 8.41},
    CostFactors{false, Layout::row, "sell", {1.71, 0.659, 0.57, 3.24, 2.85, 0, 0, 0.875, 1.6}, 103, 15.9},
    CostFactors{false, Layout::row, "pjad", {1.7, 0.54, 0.639, 4.39, 3.24, 0, 0, 1.1, 1.43}, 107, 10},
    CostFactors{false, Layout::row, "jad", {1.72, 0.56, 0.635, 4.14, 3.21, 0, 0, 0.918, 1.47}, 106, 10.2},
    CostFactors{false, Layout::row, "bsr", {1.6, 1.17, 0.112, 6.4, 2.34, 0, 0, 0.791, 1.87}, 211, 58.5},
    CostFactors{false, Layout::column, "csr", {0, 0, 0.553, 29.6, 3.06, 0, 0, 0, 1.2}, 15.4, 0},
    CostFactors{false, Layout::column, "ellpack", {0, 0, 0.762, 14.3, 2, 0, 0, 0.966, 1.2}, 61.6, 4.47},
    CostFactors{false, Layout::column, "hll", {0, 0, 0.791, 13.1, 2.09, 0, 0, 0.84, 1.2}, 71.8, 4.43},
    CostFactors{false, Layout::column, "sell", {0, 0, 0.834, 14.5, 2.03, 0, 0, 0.875, 1.2}, 276, 0},
    CostFactors{false, Layout::column, "pjad", {0, 0, 1.04, 7.66, 2.18, 0, 0, 1.1, 1.2}, 220, 0},
    CostFactors{false, Layout::column, "jad", {0, 0, 1.04, 7.88, 2.21, 0, 0, 0.918, 1.2}, 220, 0},
    CostFactors{false, Layout::column, "bsr", {0, 0, 0.71, 18.4, 2.18, 0, 0, 0.791, 1.2}, 0, 81.3},
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
