// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/statistics/vector_statistics.hpp>

#include "check.hpp"
#include "matrix_source.hpp"
#include "options.hpp"

/// Private to `fatvec multiply`: what multiply.cpp and multiply_distributed.cpp do, and what
/// multiply_report.cpp tells.
namespace fatvec::cli {

struct MultiplyOptions {
  std::string matrix;
  std::string x, y;            ///< files; empty: random
  std::string output, expect;  ///< files; empty: not wanted
  std::string format, kernel;  ///< empty: fatvec chooses
  std::string backend{product::default_backend()};
  std::string layout{product::to_string(product::Layout::row)};
  FormatOptions format_options;
  std::optional<product::StorageOrder> storage;
  std::string scalar = "double";  ///< of A, X, Y and sums, or "float"
  PrecisionOptions precision;
  std::int64_t k = 1;
  std::uint64_t seed = 1;
  double alpha = 1;
  double beta = 0;
  double tolerance = 1e-5;
  std::int64_t repeat = 10;
  bool verify = false;
  bool json = false;
  bool distributed = false;
  std::string partition = "even";  ///< of the rows over the ranks
  std::string reorder = "none";    ///< the rows, by a plan
  bool symmetric = false;          ///< one triangle is stored
};

/// What was multiplied, how, and what came of it.
struct Outcome {
  std::string_view format;
  std::string_view kernel;
  std::int64_t k = 0;
  std::uint64_t matrix_bytes = 0;
  std::int64_t stored_entries = 0;
  std::optional<double> matrix_error{};  ///< of A's values in single precision, the largest
  double setup_seconds = 0;
  double first_seconds = 0;  ///< of the run whose result is checked and written
  double seconds = 0;  ///< the median of the further runs; of the first one where there are none
  double gflops = 0;
  std::vector<VectorStatistics<double>> x, y;  ///< of each column, Y after the first run
  std::vector<Check> checks;
  std::string order;  ///< of the rows, in words; empty: they were not to be reordered
  bool reordered = false;
};

/// The norms of each column, and those of all columns together in words.
Json norms_json(const std::vector<VectorStatistics<double>>& columns);
std::string norms_text(const std::vector<VectorStatistics<double>>& columns);

/// The product on all ranks that mpirun started, its report on the first one's standard output;
/// returns the exit code of all. Throws UsageError where this program was built without MPI.
int multiply_distributed(const MultiplyOptions& options);

/// The report on `stream`, as JSON or for people. MultiplyOptions says which.
void report(std::FILE* stream, const MultiplyOptions& options, const MatrixSource& matrix,
            const Outcome& outcome);

}  // namespace fatvec::cli
