// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fatvec/generate/row_lengths.hpp>

/// Structural twins: generated stand-ins for well-known matrices of the SuiteSparse collection and
/// of the Matrix Market.
namespace fatvec::generate {

/// Where the entries of a row lie.
enum class Structure {
  band,     ///< anywhere within `reach` of the diagonal
  grid2,    ///< 5-point star on a 2-D grid: the row's own line and the two beside it, `reach` away
  grid3,    ///< 7-point star on a 3-D grid: lines, and planes `reach` away
  mesh2,    ///< irregular 2-D mesh: three lines, entries spread over three times their number of
            ///< places
  mesh3,    ///< irregular 3-D mesh: three planes of three lines, likewise
  circuit,  ///< most near the diagonal, a third anywhere
  web,      ///< half near the diagonal, half anywhere, low columns favoured
  road      ///< near the diagonal, one in ten anywhere
};

/// Where a twin's shortest row and its deviation are from; its rows, entries and longest row are
/// published for all.
enum class Origin {
  measured,  ///< on the matrix itself
  estimated  ///< from what is known of the matrix and its kind
};

/// Whether a matrix is symmetric, and its twin with it.
enum class Symmetry {
  general,   ///< not in its pattern
  symmetric  ///< in pattern and values
};

/// A square matrix as its twin resembles it. Symmetric twins have its rows, entries and longest
/// row; their row lengths spread as near to its as symmetry allows, and the shortest is not kept.
struct Twin {
  std::string_view name;
  Structure structure;
  std::int64_t dofs;  ///< this many consecutive rows share their columns' pattern; columns come in
                      ///< blocks of as many
  LengthLaw lengths;
  std::int64_t reach;  ///< in rows: see Structure; 0: of a square or cubic grid
  Origin origin;
  Symmetry symmetry = Symmetry::general;
};

/// Every twin, by name.
std::span<const Twin> twins();

/// Throws UsageError for an unknown name, listing similar ones and all.
const Twin& find_twin(std::string_view name);

/// The names, in lines of at most 100 characters that start with `indent`.
std::string twin_names(std::string_view indent);

/// The same kind of matrix with another number of rows, at least 100: row lengths stay, save where
/// they exceed the rows. Throws UsageError for fewer.
Twin scaled(const Twin& twin, std::int64_t rows);

}  // namespace fatvec::generate
