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
  std::array<double, 11> factors;
  double setup_launches;  ///< conversion from CSR: launches,
  double setup_bytes;     ///< and times the bytes of CSR and the format / main memory's bandwidth
};

/// Fitted by scripts/calibrate to measurements of generated matrices (docs/choice.md): on GPUs what
/// plans choose among together, so that the choice costs little. By hand are packing, set-up, on
/// CPUs ELLPACK's and HLL's products (CSR's, for rows are contiguous there, with a little more for
/// rows and multiplications), BitTCF's (CSR's, with more for rows, entries and multiplications) and
/// sliced diagonals' (docs/lab/0060).
inline constexpr std::array cost_table = {
    // clang-format off
    CostFactors{false, Layout::row, "csr", {0.805, 0.7, 0.905, 0.417, 8.44, 2.31, 22.2, 0, 0, 0.134, 1.2}, 9.48, 0.466},
    CostFactors{false, Layout::row, "ellpack", {0.895, 0.785, 0.5, 0.545, 0, 2.82, 0, 0, 1.09, 0.0448, 1.2}, 48, 2.5},
    CostFactors{false, Layout::row, "hll", {0.869, 0.895, 0.875, 0.359, 1.24, 2.28, 28.8, 6.31, 1.48, 0.0222, 1.2}, 65, 2.7},
    CostFactors{false, Layout::row, "sell", {0.962, 0.935, 0.5, 0.702, 0, 2.02, 0, 1.77, 1.21, 0, 1.2}, 87, 2.5},
    CostFactors{false, Layout::row, "sliced-dia", {0.802, 0.7, 1.09, 0.29, 9.25, 3.24, 0, 5.62, 1.44, 0.426, 1.2}, 150, 3.5},
    CostFactors{false, Layout::row, "pjad", {0.887, 0.7, 0.5, 0.729, 0, 2.63, 0, 0, 1.55, 0.127, 1.2}, 155, 3.1},
    CostFactors{false, Layout::row, "jad", {0.893, 0.7, 0.5, 0.733, 0, 2.62, 0, 0, 1.57, 0.12, 1.2}, 155, 3},
    CostFactors{false, Layout::row, "bsr", {0.862, 0.7, 0.614, 0.65, 5.32, 3.29, 0, 0, 0, 0.443, 1.2}, 75, 14},
    CostFactors{false, Layout::row, "bittcf", {0.953, 0.7, 0.715, 1.01, 89.7, 0.853, 212, 0, 0.412, 0.432, 1.2}, 85, 14},
    CostFactors{false, Layout::column, "csr", {0.947, 0.7, 0.675, 0.912, 17.2, 2.22, 0, 0, 0, 0, 1.2}, 12.6, 0.108},
    CostFactors{false, Layout::column, "ellpack", {0.723, 0.7, 0.8, 0.932, 0, 1.81, 0, 0, 1.41, 0.219, 1.2}, 48, 2.5},
    CostFactors{false, Layout::column, "hll", {0.506, 0.7, 1.02, 0.839, 2.97, 1.82, 0, 0, 1.65, 0.501, 1.2}, 65, 2.7},
    CostFactors{false, Layout::column, "sell", {0.779, 0.7, 0.679, 1.03, 0, 2.93, 0, 0, 1.65, 0.129, 1.2}, 87, 2.5},
    CostFactors{false, Layout::column, "sliced-dia", {0.935, 0.7, 0.812, 0.529, 66.5, 1.52, 0, 0, 0.729, 0.257, 1.2}, 150, 3.5},
    CostFactors{false, Layout::column, "pjad", {0.817, 0.7, 0.504, 1.04, 0, 1.86, 0, 0, 3.07, 0.082, 1.2}, 155, 3.1},
    CostFactors{false, Layout::column, "jad", {0.829, 0.7, 0.574, 0.994, 0, 1.88, 0, 0, 3.09, 0.0735, 1.2}, 155, 3},
    CostFactors{false, Layout::column, "bsr", {0.777, 0.7, 0.748, 0.88, 10.7, 3.45, 0, 0, 0.137, 0.413, 1.2}, 75, 14},
    CostFactors{false, Layout::column, "bittcf", {0.995, 0.7, 1.72, 0.981, 231, 1.69, 0, 0, 0.419, 0.326, 1.2}, 85, 14},
    CostFactors{true, Layout::row, "csr", {0.612, 0.7, 0.815, 1.58, 11.3, 3.58, 94.7, 3.99, 0, 0, 1.8}, 6.71, 0.0473},
    CostFactors{true, Layout::row, "ellpack", {0.612, 0.7, 0.815, 1.58, 11.3, 3.7, 97, 4, 0, 0, 1.8}, 104, 1.1},
    CostFactors{true, Layout::row, "hll", {0.612, 0.7, 0.815, 1.58, 11.3, 3.7, 97, 4, 0, 0, 1.8}, 119, 1.2},
    CostFactors{true, Layout::row, "sell", {0.592, 0.91, 0.5, 2.54, 30.1, 5.27, 0, 0, 0, 0, 1.8}, 142, 4.25},
    CostFactors{true, Layout::row, "sliced-dia", {0.63, 0.707, 0.85, 1.13, 193, 4.5, 10, 34, 0, 0, 1.8}, 142, 3.5},
    CostFactors{true, Layout::row, "pjad", {0.5, 0.7, 0.5, 2.32, 31.3, 7.42, 0, 0, 0, 0, 1.8}, 139, 4.14},
    CostFactors{true, Layout::row, "jad", {0.5, 0.7, 0.5, 2.32, 33.1, 7.09, 0, 0, 0, 0, 1.8}, 135, 4.18},
    CostFactors{true, Layout::row, "bsr", {1.68, 0.7, 0.517, 2.09, 15.4, 3.25, 186, 0, 0, 0, 1.8}, 1500, 15},
    CostFactors{true, Layout::row, "bittcf", {0.612, 0.7, 0.815, 1.58, 41, 8.5, 1180, 3.99, 0, 0, 1.8}, 150, 22},
    CostFactors{true, Layout::column, "csr", {0.596, 0.7, 0.5, 0.571, 0, 16, 61.2, 57.4, 0.00321, 0, 1.2}, 6.66, 0.0398},
    CostFactors{true, Layout::column, "ellpack", {0.596, 0.7, 0.5, 0.571, 0, 16.3, 63, 58, 0.00321, 0, 1.2}, 89.6, 1.1},
    CostFactors{true, Layout::column, "hll", {0.596, 0.7, 0.5, 0.571, 0, 16.3, 63, 58, 0.00321, 0, 1.2}, 112, 1.2},
    CostFactors{true, Layout::column, "sell", {0.698, 0.882, 0.533, 0.578, 12.3, 20.2, 0, 65, 0, 0, 1.2}, 140, 3.47},
    CostFactors{true, Layout::column, "sliced-dia", {1, 4.5, 0.5, 0, 17, 13, 0, 95, 0, 0, 1.2}, 142, 3.5},
    CostFactors{true, Layout::column, "pjad", {0.508, 0.775, 0.583, 0.823, 11.3, 28.8, 0, 0, 0, 0, 1.2}, 150, 3.56},
    CostFactors{true, Layout::column, "jad", {0.5, 2.05, 0.588, 0.695, 0, 25.2, 0, 0, 0, 0, 1.2}, 149, 3.62},
    CostFactors{true, Layout::column, "bsr", {2.25, 0.7, 0.57, 0.745, 0, 16.6, 249, 224, 0, 0, 1.2}, 1500, 15},
    CostFactors{true, Layout::column, "bittcf", {0.596, 0.7, 0.5, 0.571, 30, 19, 1140, 57.4, 0.00321, 0, 1.2}, 150, 22},
    // clang-format on
};

}  // namespace fatvec
