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
  std::array<double, 10> factors;
  double setup_launches;  ///< conversion from CSR: launches,
  double setup_bytes;     ///< and times the bytes of CSR and the format / main memory's bandwidth
};

/// Fitted by scripts/calibrate to what `fatvec tune` measured of generated matrices.
inline constexpr std::array cost_table = {
    // clang-format off
    CostFactors{false, Layout::row, "csr", {1.72, 0.7, 0.713, 0.294, 5.93, 2.29, 91.2, 5.72, 0.1, 1.59}, 9.48, 0.466},
    CostFactors{false, Layout::row, "ellpack", {1.69, 0.7, 0.542, 0.43, 4.5, 3.4, 0, 0, 1.34, 1.68}, 31.3, 2.23},
    CostFactors{false, Layout::row, "hll", {1.68, 0.7, 0.533, 0.458, 2.83, 2.92, 0, 0, 0.842, 1.75}, 37.5, 8.41},
    CostFactors{false, Layout::row, "sell", {1.71, 0.7, 0.5, 0.514, 2.69, 2.85, 0, 0, 0.875, 1.75}, 103, 15.9},
    CostFactors{false, Layout::row, "pjad", {1.72, 0.7, 0.5, 0.515, 1.85, 3.19, 0, 0, 1.1, 1.69}, 107, 10},
    CostFactors{false, Layout::row, "jad", {1.73, 0.7, 0.5, 0.523, 1.93, 3.17, 0, 0, 0.918, 1.78}, 106, 10.2},
    CostFactors{false, Layout::row, "bsr", {1.58, 0.7, 0.692, 0.299, 11.4, 2.66, 0, 0, 0.796, 1.79}, 211, 58.5},
    CostFactors{false, Layout::column, "csr", {2.24, 0.7, 2.48, 0, 1.86, 4.11, 59.9, 0, 0.1, 1.2}, 12.6, 0.108},
    CostFactors{false, Layout::column, "ellpack", {2.05, 0.7, 2.03, 0.0179, 2.11, 3.65, 0, 0, 1.03, 1.2}, 44.6, 2.02},
    CostFactors{false, Layout::column, "hll", {2.06, 0.7, 2.02, 0.0407, 1.17, 3.78, 0, 0, 0.845, 1.2}, 41.3, 8.05},
    CostFactors{false, Layout::column, "sell", {2.29, 0.7, 1.97, 0.0892, 0.452, 3.69, 0, 0, 0.851, 1.2}, 140, 13},
    CostFactors{false, Layout::column, "pjad", {2.26, 0.7, 1.8, 0.239, 0, 3.8, 0, 0, 1.14, 1.2}, 151, 6.21},
    CostFactors{false, Layout::column, "jad", {2.24, 0.7, 1.8, 0.25, 0, 3.77, 0, 0, 0.909, 1.2}, 146, 6.75},
    CostFactors{false, Layout::column, "bsr", {1.96, 0.7, 2.33, 0, 9.42, 4.56, 0, 0, 0.72, 1.2}, 221, 59.8},
    CostFactors{true, Layout::row, "csr", {0.951, 0.7, 3.45, 1.69, 27.2, 4.08, 86.9, 0, 0, 3.36}, 11, 0.0255},
    CostFactors{true, Layout::row, "ellpack", {0.5, 1.68, 3.76, 0, 89.1, 3.22, 0, 0, 0.608, 3.38}, 152, 2.5},
    CostFactors{true, Layout::row, "hll", {0.5, 0.873, 4.39, 0.257, 99.2, 6.19, 0, 0, 0.0343, 3.63}, 181, 1.95},
    CostFactors{true, Layout::row, "sell", {0.5, 0.7, 3.99, 0.919, 102, 6.02, 0, 16.7, 0, 2.94}, 211, 3.08},
    CostFactors{true, Layout::row, "pjad", {0.5, 0.7, 3.9, 1.09, 102, 8.31, 0, 0, 0, 4.96}, 248, 3.12},
    CostFactors{true, Layout::row, "jad", {0.5, 0.961, 4.36, 0.0509, 113, 7.93, 0, 0, 0, 4.14}, 240, 3.07},
    CostFactors{true, Layout::row, "bsr", {7.51, 0.7, 8.77, 5.29, 2.86, 12.5, 857, 0, 0, 4.68}, 656, 27.7},
    CostFactors{true, Layout::column, "csr", {1.09, 0.7, 1.56, 0, 0, 23.1, 398, 5.11, 0.0635, 1.2}, 12.9, 0.0193},
    CostFactors{true, Layout::column, "ellpack", {0.5, 2.43, 0.5, 0, 52.7, 29.1, 0, 0, 0.727, 1.2}, 164, 2.64},
    CostFactors{true, Layout::column, "hll", {2.81, 1.11, 0.5, 0, 26, 26, 0, 30.4, 0.225, 1.2}, 214, 2.05},
    CostFactors{true, Layout::column, "sell", {1.3, 0.7, 0.5, 0, 39.3, 21.2, 1.61, 96.6, 0.221, 1.2}, 275, 2.5},
    CostFactors{true, Layout::column, "pjad", {0.5, 0.7, 0.5, 0, 118, 33.7, 0, 25, 0.0891, 1.2}, 250, 2.86},
    CostFactors{true, Layout::column, "jad", {0.5, 2.74, 0.5, 0, 94.5, 28, 0, 0, 0, 1.2}, 283, 3.17},
    CostFactors{true, Layout::column, "bsr", {15, 0.7, 2.41, 0.0759, 0, 10.7, 922, 507, 0, 1.2}, 747, 31.5},
    // clang-format on
};

}  // namespace fatvec
