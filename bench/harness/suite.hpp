// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/app/dispatch/timing.hpp>

namespace fatvec::bench {

/// A matrix of a suite: a generator's description, and a small relative with the same structure for
/// --dry-run.
struct SuiteMatrix {
  std::string full;
  std::string tiny;
  std::string real = {};  ///< the matrix that `full` is the twin of, taken instead where its file
                          ///< is there; may be empty
};

/// The matrices with these names, each with its twins.
std::vector<SuiteMatrix> collection(std::initializer_list<std::string_view> names);

/// NAME.mtx.gz or NAME.mtx of the real matrix in the folder FATVEC_MATRICES; empty where there is
/// none.
std::string real_file(const SuiteMatrix& matrix);

/// What is to be loaded: the tiny twin, the real file, or the full twin.
std::string source_text(const SuiteMatrix& matrix, bool tiny);

/// A line for people: which matrix, and whether the real one or its twin will be used.
std::string describe(const SuiteMatrix& matrix);

/// What stands behind the name of a twin: that it is one, and whether the spread of its row lengths
/// is the matrix's or estimated; empty behind others.
std::string_view twin_note(std::string_view name);

/// The numbers of columns that are measured with X and Y in one layout.
struct Sweep {
  product::Layout layout = product::Layout::row;
  std::vector<std::int64_t> columns;
};

/// What grows with the ranks of a suite that runs on several: the matrix, or nothing.
enum class Scaling { none, weak, strong };

/// A suite is data: bench/suites has one table per file.
struct Suite {
  std::string_view name;
  std::string_view description;
  std::vector<SuiteMatrix> matrices;
  std::vector<Sweep> sweeps;
  double max_seconds = product::TimingPolicy().most_seconds;  ///< of timed repetitions per row
  std::vector<std::int64_t> lengths{};    ///< of vectors, in a suite of these, not of matrices,
  std::int64_t multivector_elements = 0;  ///< and the elements of its multivectors, whatever k
  Scaling scaling = Scaling::none;  ///< over ranks; its matrices are what one has (weak), or all
};

/// Every suite of the program, the default first.
std::span<const Suite> suites();

/// Throws UsageError, listing the suites, for an unknown name.
const Suite& find_suite(std::string_view name);

}  // namespace fatvec::bench
