// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fatvec/app/dispatch/timing.hpp>

#include "harness/transfers.hpp"

namespace fatvec::bench {

/// In what a run multiplies, and is verified.
enum class Precision {
  in_double,
  single_values,  ///< A's values are floats, X, Y and sums doubles
  in_float
};

/// The command line. Empty lists mean "whatever the suite and the build have".
struct Options {
  std::string suite = "demo";
  std::vector<std::string> matrices;
  std::vector<std::int64_t> columns;
  std::vector<std::int64_t> lengths;  ///< of vectors
  std::vector<std::string> contenders;
  std::vector<std::string> backends;
  std::vector<std::string> formats;
  std::vector<std::string> kernels;
  std::vector<std::string> layouts;
  std::vector<std::string> sweeps;  ///< settings whose variants run, too: chunk, block, ...; "all"
  std::string output;               ///< result file; empty: none
  bool resume = false;              ///< keep the rows that the result file has already
  std::string scalar = "double";    ///< of A, X, Y and the sums: double, float; of vectors int
  std::string matrix_precision = "exact";  ///< of A's values beside X and Y in double: or single
  double alpha = 1;                        ///< Y = beta · Y + alpha · A · X
  double beta = 0;
  std::optional<double> max_seconds;  ///< of timed repetitions per row; otherwise the suite's
  std::optional<int> repetitions;     ///< timed ones of every row, whatever they take
  double max_expansion = 16;          ///< the largest size of a format, in sizes of CSR
  std::string partition = "even";     ///< of rows over ranks: even, nonzeros, metis
  bool use_nccl = true;               ///< between GPUs
  std::string transfers = "none";     ///< copies of X and Y that are timed: none, device, all
  bool dry_run = false;
  bool list = false;

  std::vector<std::string> benchmark_arguments;  ///< --benchmark_...: for Google Benchmark
  std::vector<std::string> kokkos_arguments;     ///< --kokkos-...: for Kokkos

  [[nodiscard]] bool in_int() const { return scalar == "int"; }
  [[nodiscard]] bool in_float() const { return scalar == "float"; }
  [[nodiscard]] Precision precision() const {
    if (in_float()) return Precision::in_float;
    return matrix_precision == "single" ? Precision::single_values : Precision::in_double;
  }

  [[nodiscard]] Transfers copies() const {
    return transfers == "all"      ? Transfers::all
           : transfers == "device" ? Transfers::device
                                   : Transfers::none;
  }

  /// How rows are timed: as the command line says, otherwise for at most `suite_seconds`.
  /// Repetitions that are asked for are capped only where seconds are asked for, too.
  [[nodiscard]] product::TimingPolicy timing(double suite_seconds) const;

  /// True where a Google Benchmark flag was given, as --flag or as --flag=value.
  [[nodiscard]] bool has_benchmark_flag(const std::string& flag) const;
  /// Value of --flag=VALUE, empty where it was not given.
  [[nodiscard]] std::string benchmark_flag(const std::string& flag) const;
};

/// Parses the command line; throws UsageError for what it does not understand. Nothing after --help
/// and --version, which are printed where this process speaks.
std::optional<Options> parse_options(int argc, const char* const* argv, bool speaks);

}  // namespace fatvec::bench
