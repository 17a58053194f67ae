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

/// Fitted by scripts/calibrate to what `fatvec tune` measured of generated matrices: the set-up on GPUs after the products, and
/// packing of LayoutRight by hand, when both had become faster (docs/choice.md). ELLPACK's and HLL's of CPUs are CSR's since
/// rows lie in one piece there, with a little more for rows and multiplications; their set-up is scaled by hand, too. BitTCF's
/// are fitted to a timing program's products with row-major X and Y, three stencils on a GPU; on CPUs they are CSR's and by
/// hand what rows, entries and multiplications took more (1.9 to 3.7 times its time).
inline constexpr std::array cost_table = {
    // clang-format off
    CostFactors{false, Layout::row, "csr", {1.72, 0.7, 0.713, 0.294, 5.93, 2.29, 91.2, 5.72, 0.1, 1.22}, 9.48, 0.466},
    CostFactors{false, Layout::row, "ellpack", {1.69, 0.7, 0.542, 0.43, 4.5, 3.4, 0, 0, 1.34, 1.29}, 48, 2.5},
    CostFactors{false, Layout::row, "hll", {1.68, 0.7, 0.533, 0.458, 2.83, 2.92, 0, 0, 0.842, 1.35}, 65, 2.7},
    CostFactors{false, Layout::row, "sell", {1.71, 0.7, 0.5, 0.514, 2.69, 2.85, 0, 0, 0.875, 1.35}, 87, 2.5},
    CostFactors{false, Layout::row, "pjad", {1.72, 0.7, 0.5, 0.515, 1.85, 3.19, 0, 0, 1.1, 1.3}, 155, 3.1},
    CostFactors{false, Layout::row, "jad", {1.73, 0.7, 0.5, 0.523, 1.93, 3.17, 0, 0, 0.918, 1.37}, 155, 3},
    CostFactors{false, Layout::row, "bsr", {1.58, 0.7, 0.692, 0.299, 11.4, 2.66, 0, 0, 0.796, 1.38}, 211, 58.5},
    CostFactors{false, Layout::row, "bittcf", {1.7, 0.7, 0.713, 0, 143, 3.61, 104, 4.58, 0.5, 1.22}, 60, 23},
    CostFactors{false, Layout::column, "csr", {2.24, 0.7, 2.48, 0, 1.86, 4.11, 59.9, 0, 0.1, 1.2}, 12.6, 0.108},
    CostFactors{false, Layout::column, "ellpack", {2.05, 0.7, 2.03, 0.0179, 2.11, 3.65, 0, 0, 1.03, 1.2}, 48, 2.5},
    CostFactors{false, Layout::column, "hll", {2.06, 0.7, 2.02, 0.0407, 1.17, 3.78, 0, 0, 0.845, 1.2}, 65, 2.7},
    CostFactors{false, Layout::column, "sell", {2.29, 0.7, 1.97, 0.0892, 0.452, 3.69, 0, 0, 0.851, 1.2}, 87, 2.5},
    CostFactors{false, Layout::column, "pjad", {2.26, 0.7, 1.8, 0.239, 0, 3.8, 0, 0, 1.14, 1.2}, 155, 3.1},
    CostFactors{false, Layout::column, "jad", {2.24, 0.7, 1.8, 0.25, 0, 3.77, 0, 0, 0.909, 1.2}, 155, 3},
    CostFactors{false, Layout::column, "bsr", {1.96, 0.7, 2.33, 0, 9.42, 4.56, 0, 0, 0.72, 1.2}, 221, 59.8},
    CostFactors{false, Layout::column, "bittcf", {2.2, 0.7, 2.4, 0.1, 143, 14, 104, 6, 0.5, 1.2}, 60, 23},
    CostFactors{true, Layout::row, "csr", {0.612, 0.7, 0.815, 1.58, 11.3, 3.58, 94.7, 3.99, 0, 1.8}, 6.71, 0.0473},
    CostFactors{true, Layout::row, "ellpack", {0.612, 0.7, 0.815, 1.58, 11.3, 3.7, 97, 4, 0, 1.8}, 104, 1.1},
    CostFactors{true, Layout::row, "hll", {0.612, 0.7, 0.815, 1.58, 11.3, 3.7, 97, 4, 0, 1.8}, 119, 1.2},
    CostFactors{true, Layout::row, "sell", {0.592, 0.91, 0.5, 2.54, 30.1, 5.27, 0, 0, 0, 1.8}, 142, 4.25},
    CostFactors{true, Layout::row, "pjad", {0.5, 0.7, 0.5, 2.32, 31.3, 7.42, 0, 0, 0, 1.8}, 139, 4.14},
    CostFactors{true, Layout::row, "jad", {0.5, 0.7, 0.5, 2.32, 33.1, 7.09, 0, 0, 0, 1.8}, 135, 4.18},
    CostFactors{true, Layout::row, "bsr", {1.68, 0.7, 0.517, 2.09, 15.4, 3.25, 186, 0, 0, 1.8}, 218, 30.2},
    CostFactors{true, Layout::row, "bittcf", {0.612, 0.7, 0.815, 1.58, 41, 8.5, 1180, 3.99, 0, 1.8}, 150, 22},
    CostFactors{true, Layout::column, "csr", {0.596, 0.7, 0.5, 0.571, 0, 16, 61.2, 57.4, 0.00321, 1.2}, 6.66, 0.0398},
    CostFactors{true, Layout::column, "ellpack", {0.596, 0.7, 0.5, 0.571, 0, 16.3, 63, 58, 0.00321, 1.2}, 89.6, 1.1},
    CostFactors{true, Layout::column, "hll", {0.596, 0.7, 0.5, 0.571, 0, 16.3, 63, 58, 0.00321, 1.2}, 112, 1.2},
    CostFactors{true, Layout::column, "sell", {0.698, 0.882, 0.533, 0.578, 12.3, 20.2, 0, 65, 0, 1.2}, 140, 3.47},
    CostFactors{true, Layout::column, "pjad", {0.508, 0.775, 0.583, 0.823, 11.3, 28.8, 0, 0, 0, 1.2}, 150, 3.56},
    CostFactors{true, Layout::column, "jad", {0.5, 2.05, 0.588, 0.695, 0, 25.2, 0, 0, 0, 1.2}, 149, 3.62},
    CostFactors{true, Layout::column, "bsr", {2.25, 0.7, 0.57, 0.745, 0, 16.6, 249, 224, 0, 1.2}, 272, 23.5},
    CostFactors{true, Layout::column, "bittcf", {0.596, 0.7, 0.5, 0.571, 30, 19, 1140, 57.4, 0.00321, 1.2}, 150, 22},
    // clang-format on
};

}  // namespace fatvec
