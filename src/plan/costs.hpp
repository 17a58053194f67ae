// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include <fatvec/formats/multivector.hpp>

namespace fatvec {

/// What a format's kernel costs on one kind of machine beyond perfect use of it: factors of the
/// model's terms (model.hpp), in their order, those of `entries` to `elements_of_y` being bytes of
/// the cache's bandwidth.
struct CostFactors {
  bool cpu;
  Layout layout;  ///< of X and Y
  std::string_view format;
  std::array<double, 10> factors;
  double setup_launches;  ///< conversion from CSR: launches,
  double setup_bytes;     ///< and times the bytes of CSR and the format / main memory's bandwidth
};

/// Fitted by scripts/calibrate to measurements of generated matrices (docs/choice.md). By hand are
/// packing, on GPUs ELLPACK's and pJAD's products (HLL's and JAD's: the same kernels, and padding
/// is not multiplied), on CPUs ELLPACK's and HLL's (CSR's, for rows are contiguous there, with a
/// little more for rows and multiplications) and BitTCF's (CSR's, with more for rows, entries and
/// multiplications), and some set-up, scaled when conversions had become faster. Sliced diagonals
/// were fitted to what they took beside CSR, HLL and SELL on an H100 and a Xeon (docs/lab/0060).
inline constexpr std::array cost_table = {
    // clang-format off
    CostFactors{false, Layout::row, "csr", {1.17, 0.7, 0.71, 0.539, 4.14, 1.78, 31.7, 0, 0, 1.2}, 9.48, 0.466},
    CostFactors{false, Layout::row, "ellpack", {1.21, 0.785, 0.967, 0.326, 0, 2.44, 0, 0, 0.777, 1.2}, 48, 2.5},
    CostFactors{false, Layout::row, "hll", {1.21, 0.785, 0.967, 0.326, 0, 2.44, 0, 0, 0.777, 1.2}, 65, 2.7},
    CostFactors{false, Layout::row, "sell", {1.11, 0.7, 0.656, 0.564, 2.75, 2.59, 0, 0, 2.87, 1.2}, 87, 2.5},
    CostFactors{false, Layout::row, "sliced-dia", {0.79, 0.7, 0.5, 0.405, 1.45, 2.81, 0, 0, 2.87, 1.2}, 150, 3.5},
    CostFactors{false, Layout::row, "pjad", {1.13, 0.7, 0.505, 0.519, 2.02, 2.75, 0, 0, 4.82, 1.2}, 155, 3.1},
    CostFactors{false, Layout::row, "jad", {1.13, 0.7, 0.505, 0.519, 2.02, 2.75, 0, 0, 4.82, 1.2}, 155, 3},
    CostFactors{false, Layout::row, "bsr", {0.989, 0.7, 0.877, 0.271, 7.98, 2.59, 0, 0, 0.991, 1.2}, 211, 58.5},
    CostFactors{false, Layout::row, "bittcf", {1.25, 0.7, 0.558, 0.381, 175, 2.87, 18.8, 6.21, 0.49, 1.2}, 60, 23},
    CostFactors{false, Layout::column, "csr", {1.08, 0.7, 1.81, 0.566, 2.19, 3.37, 0, 0, 0, 1.2}, 12.6, 0.108},
    CostFactors{false, Layout::column, "ellpack", {1.15, 0.7, 1.79, 0.374, 0.976, 2.93, 0, 0, 6.14, 1.2}, 48, 2.5},
    CostFactors{false, Layout::column, "hll", {1.15, 0.7, 1.79, 0.374, 0.976, 2.93, 0, 0, 6.14, 1.2}, 65, 2.7},
    CostFactors{false, Layout::column, "sell", {1.19, 0.7, 1.83, 0.468, 0.92, 2.81, 0, 0, 8.26, 1.2}, 87, 2.5},
    CostFactors{false, Layout::column, "sliced-dia", {0.5, 0.7, 1.83, 0.373, 6.02, 2.89, 0, 0, 9.13, 1.2}, 150, 3.5},
    CostFactors{false, Layout::column, "pjad", {1.16, 0.7, 1.71, 0.592, 0, 3.02, 0, 0, 8.08, 1.2}, 155, 3.1},
    CostFactors{false, Layout::column, "jad", {1.16, 0.7, 1.71, 0.592, 0, 3.02, 0, 0, 8.08, 1.2}, 155, 3},
    CostFactors{false, Layout::column, "bsr", {1.02, 0.7, 1.93, 0.35, 4.63, 5.11, 0, 0, 0.887, 1.2}, 221, 59.8},
    CostFactors{false, Layout::column, "bittcf", {1.24, 0.7, 1.94, 0.817, 60.5, 5.34, 0, 0, 0.415, 1.2}, 60, 23},
    CostFactors{true, Layout::row, "csr", {0.612, 0.7, 0.815, 1.58, 11.3, 3.58, 94.7, 3.99, 0, 1.8}, 6.71, 0.0473},
    CostFactors{true, Layout::row, "ellpack", {0.612, 0.7, 0.815, 1.58, 11.3, 3.7, 97, 4, 0, 1.8}, 104, 1.1},
    CostFactors{true, Layout::row, "hll", {0.612, 0.7, 0.815, 1.58, 11.3, 3.7, 97, 4, 0, 1.8}, 119, 1.2},
    CostFactors{true, Layout::row, "sell", {0.592, 0.91, 0.5, 2.54, 30.1, 5.27, 0, 0, 0, 1.8}, 142, 4.25},
    CostFactors{true, Layout::row, "sliced-dia", {0.63, 0.707, 0.85, 1.13, 193, 4.5, 10, 34, 0, 1.8}, 142, 3.5},
    CostFactors{true, Layout::row, "pjad", {0.5, 0.7, 0.5, 2.32, 31.3, 7.42, 0, 0, 0, 1.8}, 139, 4.14},
    CostFactors{true, Layout::row, "jad", {0.5, 0.7, 0.5, 2.32, 33.1, 7.09, 0, 0, 0, 1.8}, 135, 4.18},
    CostFactors{true, Layout::row, "bsr", {1.68, 0.7, 0.517, 2.09, 15.4, 3.25, 186, 0, 0, 1.8}, 218, 30.2},
    CostFactors{true, Layout::row, "bittcf", {0.612, 0.7, 0.815, 1.58, 41, 8.5, 1180, 3.99, 0, 1.8}, 150, 22},
    CostFactors{true, Layout::column, "csr", {0.596, 0.7, 0.5, 0.571, 0, 16, 61.2, 57.4, 0.00321, 1.2}, 6.66, 0.0398},
    CostFactors{true, Layout::column, "ellpack", {0.596, 0.7, 0.5, 0.571, 0, 16.3, 63, 58, 0.00321, 1.2}, 89.6, 1.1},
    CostFactors{true, Layout::column, "hll", {0.596, 0.7, 0.5, 0.571, 0, 16.3, 63, 58, 0.00321, 1.2}, 112, 1.2},
    CostFactors{true, Layout::column, "sell", {0.698, 0.882, 0.533, 0.578, 12.3, 20.2, 0, 65, 0, 1.2}, 140, 3.47},
    CostFactors{true, Layout::column, "sliced-dia", {1, 4.5, 0.5, 0, 17, 13, 0, 95, 0, 1.2}, 142, 3.5},
    CostFactors{true, Layout::column, "pjad", {0.508, 0.775, 0.583, 0.823, 11.3, 28.8, 0, 0, 0, 1.2}, 150, 3.56},
    CostFactors{true, Layout::column, "jad", {0.5, 2.05, 0.588, 0.695, 0, 25.2, 0, 0, 0, 1.2}, 149, 3.62},
    CostFactors{true, Layout::column, "bsr", {2.25, 0.7, 0.57, 0.745, 0, 16.6, 249, 224, 0, 1.2}, 272, 23.5},
    CostFactors{true, Layout::column, "bittcf", {0.596, 0.7, 0.5, 0.571, 30, 19, 1140, 57.4, 0.00321, 1.2}, 150, 22},
    // clang-format on
};

}  // namespace fatvec
