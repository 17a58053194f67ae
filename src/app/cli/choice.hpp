// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fatvec/app/dispatch/measure.hpp>
#include <fatvec/plan/explain.hpp>
#include <fatvec/plan/row_order.hpp>

#include "matrix_source.hpp"
#include "options.hpp"

/// What `fatvec analyse` and `fatvec tune` have in common.
namespace fatvec::cli {

struct ChoiceOptions {
  std::string matrix;
  std::vector<std::int64_t> k = {1, 8, 64};
  std::string backend{product::default_backend()};
  std::string layout{product::to_string(product::Layout::row)};
  std::int64_t products = 1000;
  std::string reorder = "none";
  FormatOptions format;
  PrecisionOptions precision;
  bool json = false;
};

/// MATRIX, --k, --backend, --layout, --products, --matrix-precision, --memory-limit and --json.
/// all_backends: whether --backend also takes "all".
void add_choice_options(CLI::App& command, ChoiceOptions& options, bool all_backends = false);

/// What the options say of products with k columns.
Workload workload_of(const ChoiceOptions& options, std::int64_t k);

/// Steps of a Progress that structure_of and machine_of take.
inline constexpr std::size_t analysis_steps = 2;

/// What the model wants to know about the matrix, its values stored as the options say.
Structure structure_of(const ChoiceOptions& options, const MatrixSource& matrix,
                       Progress& progress);

/// The machine of --backend: kept from an earlier run, or measured.
const Machine& machine_of(const ChoiceOptions& options, Progress& progress);

/// All kernels for one k, the best first.
std::vector<Prediction> ranking_of(const ChoiceOptions& options, const Structure& structure,
                                   std::int64_t k);

/// A's rows in reverse Cuthill-McKee order, as CSR.
struct OrderedRows {
  Structure structure;
  double seconds = 0;  ///< that finding the order and moving the rows took
};

/// Throws UsageError for --reorder with --matrix-precision single: orders are of doubles.
void require_order_in_double(const ChoiceOptions& options);

/// Where --reorder asks for it; nothing for a matrix that is not square and may stay as it is.
std::optional<OrderedRows> ordered_rows(const ChoiceOptions& options, const MatrixSource& matrix,
                                        const Structure& structure, Progress& progress);

/// What the order is expected to bring over the best choice in A's.
OrderGain gain_of(const ChoiceOptions& options, const OrderedRows& ordered,
                  const Prediction& before, std::int64_t k);

/// "hll-row", "bsr-row, packed", "csr-portable, row by row, tiles of 4 columns".
std::string name_of(const Choice& choice);

Json to_json(const Machine& machine);
Json to_json(const Structure& structure);
Json to_json(const Prediction& prediction);
Json to_json(const OrderGain& gain);

/// "AMD EPYC (OpenMP, 2 threads): memory 12 GB/s, cache 156 GB/s, X prefetched from 12 MB on".
std::string summary(const Machine& machine);

/// Lines about the matrix and the machine; matrix_error: of A's values in single precision.
void print_setting(const MatrixSource& matrix, const Structure& structure, const Machine& machine,
                   const std::optional<double>& matrix_error);

}  // namespace fatvec::cli
