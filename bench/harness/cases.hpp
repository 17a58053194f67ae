// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/contender.hpp"
#include "harness/options.hpp"
#include "harness/suite.hpp"

namespace fatvec::bench {

/// A matrix of the run: a generator's description or a file.
struct MatrixSource {
  std::string text;
  std::string name;  ///< in case names: the text, or a file's name without folder and extensions
};

/// One row of the results.
struct BenchCase {
  const Contender* contender = nullptr;
  MatrixSource matrix;
  product::Layout layout = product::Layout::row;
  std::int64_t k = 1;
  std::int64_t largest_k = 1;  ///< of all cases of this matrix: one oracle serves them all
  Precision precision = Precision::in_double;

  /// "matrix:NAME/contender:NAME/.../layout:NAME/k:K", in float "matrix:NAME/scalar:float/...",
  /// with values of A in single precision "matrix:NAME/precision:single/..."; keys end at the first
  /// ':', no value holds '/'.
  [[nodiscard]] std::string name() const;
};

/// The cases that the options select, ordered by matrix, layout, k and contender. Throws UsageError
/// for names nobody knows (listing those known) and for an empty selection, InputError for matrix
/// files that cannot be read.
std::vector<BenchCase> select_cases(const Registry& registry, const Suite& suite,
                                    const Options& options);

/// A row of a suite of ranks.
struct RankCase {
  MatrixSource matrix;
  int ranks = 1;
  std::string format;     ///< of the local parts
  std::string exchange;   ///< mpi, nccl
  std::string partition;  ///< even, nonzeros, metis
  product::Layout layout = product::Layout::row;
  std::int64_t k = 1;

  /// "matrix:NAME/ranks:N/contender:fatvec/...", and the others in their order here.
  [[nodiscard]] std::string name() const;
};

/// The same for a suite of ranks: on 1, 2, 4, ... and all `ranks`, ordered by matrix, format,
/// layout, k and ranks. There is one contender, CSR unless formats are named.
std::vector<RankCase> select_rank_cases(const Suite& suite, const Options& options, int ranks,
                                        const std::string& exchange);

/// A row of the suite of vectors.
struct VectorCase {
  const VectorContender* contender = nullptr;
  std::int64_t n = 0;
  product::Layout layout = product::Layout::column;
  std::int64_t k = 1;

  /// "vector:N/operation:NAME/contender:NAME/.../layout:NAME/k:K"
  [[nodiscard]] std::string name() const;
};

/// The same for a suite of vectors, ordered by layout, k, length, operation and contender.
/// Multivectors are asked for their statistics and dot products only; matrices, formats and kernels
/// cannot be selected.
std::vector<VectorCase> select_vector_cases(const Registry& registry, const Suite& suite,
                                            const Options& options);

}  // namespace fatvec::bench
