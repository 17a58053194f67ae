// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <fatvec/app/dispatch/product.hpp>

/// Where a matrix has its entries, and how long its rows are, to look at.
namespace fatvec::cli {

/// Entries counted in a grid of equal cells over the matrix.
struct SpyPlot {
  std::int64_t rows = 0;               ///< cells in a column of the grid
  std::int64_t cols = 0;               ///< cells in a row of it
  std::vector<std::int64_t> counts{};  ///< rows x cols of them, row by row
};

/// A grid with the shape of the matrix: `cells` along its longer side, or one for each row (column)
/// where it has fewer.
SpyPlot spy_plot(const product::HostCsr& csr, std::int64_t cells);

/// Rows with `shortest` to `longest` entries.
struct LengthClass {
  std::int64_t shortest = 0;
  std::int64_t longest = 0;
  std::int64_t rows = 0;
};

/// Classes 0, 1, 2, 3 to 4, 5 to 8, ... up to the longest row; none of an empty matrix.
std::vector<LengthClass> length_classes(const product::HostCsr& csr);

/// Both as an SVG document, under `title`.
std::string picture_svg(const product::HostCsr& csr, const std::string& title);

/// Both as lines of at most 80 characters (Braille and block elements, UTF-8).
std::string picture_text(const product::HostCsr& csr);

/// Writes the SVG to `path`, or the text to the standard output where `path` is "-". Throws
/// UsageError for a name that ends otherwise than in .svg.
void write_picture(const std::string& path, const product::HostCsr& csr, const std::string& title);

/// Throws what write_picture() would throw for this path, before anything is computed.
void require_picture_path(const std::string& path);

}  // namespace fatvec::cli
