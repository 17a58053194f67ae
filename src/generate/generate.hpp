// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/formats/csr.hpp>

/// Synthetic matrices: the same text describes the same matrix on every machine and for every
/// number of threads.
namespace fatvec::generate {

/// What generators produce: host CSR, sorted and without duplicates, 64-bit offsets.
using HostCsr = CsrMatrix<double, std::int32_t, Kokkos::DefaultHostExecutionSpace, std::int64_t>;

/// A description as parse_spec reads it (which is what checks each field). A kind ignores the
/// fields that do not concern it; spec_help() says which ones do.
struct Spec {
  std::string kind;  ///< "stencil27"
  std::string twin;  ///< twin: of which matrix
  std::vector<std::int64_t>
      sizes;  ///< grid extents NX, NY, NZ, or rows and columns; one number stands for all of them;
              ///< twin: rows, none for the matrix' own
  std::int64_t half_bandwidth = 0;  ///< banded: entries on either side of the diagonal
  std::int64_t per_row = 0;         ///< uniform: entries in every row
  double mean = 1;                  ///< powerlaw: mean entries per row, above 0
  std::int64_t dof = 1;             ///< stencils: unknowns per grid point, at least 1
  double exponent = 2.4;            ///< powerlaw: P(row length = x) falls as x^-exponent, above 1
  std::optional<std::int64_t>
      max;  ///< powerlaw: longest row; default: webbase-1M's 4700, scaled to the rows
  std::uint64_t seed = 1;  ///< of the random numbers

  /// The text that parse_spec read, with its "gen:": names the matrix in messages and results.
  std::string text;
};

/// True for a text that starts with "gen:"; wherever a matrix file is accepted, such a text is,
/// too.
bool is_spec(std::string_view text);

/// Reads "gen:KIND:SIZE[:ARGUMENT][:option=value]..." ("gen:" may be missing).
/// Throws UsageError saying what is wrong, followed by spec_help().
Spec parse_spec(std::string_view text);

/// Every kind with its syntax and every option, one a line.
std::string spec_help();

/// Builds the matrix in parallel; needs no memory worth mentioning beside the result's.
/// memory_limit in bytes, default: the free host memory. Throws UsageError where the numbers
/// contradict each other (more entries per row than columns), and, before anything is allocated,
/// CapacityError where rows or columns exceed 32-bit indices or the matrix exceeds the memory
/// limit. progress: called now and then, by the calling thread, with the share of the rows that are
/// made, 0 to 1; must not throw.
HostCsr generate(const Spec& spec, std::optional<std::uint64_t> memory_limit = {},
                 const std::function<void(double done)>& progress = {});

/// Rows first ... last - 1.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

/// The rows of the matrix that choose(all rows) names, with all its columns: the same rows as
/// generate() makes, at the cost of their own. Errors as there; choose must stay within all rows.
HostCsr generate_rows(const Spec& spec, const std::function<RowRange(std::int64_t rows)>& choose,
                      std::optional<std::uint64_t> memory_limit = {});

}  // namespace fatvec::generate
