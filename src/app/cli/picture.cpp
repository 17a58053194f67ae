// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include <fatvec/core/output_file.hpp>

namespace fatvec::cli {
namespace {

constexpr std::int64_t svg_cells = 160;
constexpr std::int64_t text_cells = 96;  ///< dots; two in a character, four below each other

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text)
    safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return safe;
}

std::string label(const LengthClass& row) {
  return row.shortest == row.longest ? fmt::format("{}", row.longest)
                                     : fmt::format("{} - {}", row.shortest, row.longest);
}

/// The largest number of rows in a class, at least 1.
std::int64_t most_rows(const std::vector<LengthClass>& classes) {
  std::int64_t most = 1;
  for (const auto& row : classes) most = std::max(most, row.rows);
  return most;
}

/// Squares whose darkness grows with the logarithm of the entries in them; runs of equal ones are
/// one rectangle.
std::string spy_svg(const SpyPlot& spy, double size, double x, double y) {
  std::int64_t most = 1;
  for (const auto count : spy.counts) most = std::max(most, count);
  const auto level = [&](std::int64_t count) {
    if (count == 0) return 0;
    return 2 + static_cast<int>(3 * std::log1p(count) / std::log1p(static_cast<double>(most)));
  };
  const double cell = size / static_cast<double>(std::max<std::int64_t>({spy.rows, spy.cols, 1}));
  std::string svg = fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"none\" "
      "stroke=\"#8a8f96\"/>\n",
      x, y, cell * static_cast<double>(spy.cols), cell * static_cast<double>(spy.rows));
  for (std::int64_t i = 0; i < spy.rows; ++i) {
    const auto* const row = spy.counts.data() + i * spy.cols;
    for (std::int64_t j = 0, end = 0; j < spy.cols; j = end) {
      const int shade = level(row[j]);
      for (end = j + 1; end < spy.cols && level(row[end]) == shade;) ++end;
      if (shade > 0)
        svg += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
            "fill-opacity=\"{:.1f}\"/>\n",
            x + cell * static_cast<double>(j), y + cell * static_cast<double>(i),
            cell * static_cast<double>(end - j), cell, 0.2 * shade);
    }
  }
  return svg;
}

}  // namespace

SpyPlot spy_plot(const product::HostCsr& csr, std::int64_t cells) {
  const std::int64_t longer = std::max<std::int64_t>({csr.rows(), csr.cols(), 1});
  const std::int64_t across = std::min(cells, longer);
  const auto cells_for = [&](std::int64_t extent) {
    return (extent * across + longer - 1) / longer;
  };
  SpyPlot spy{cells_for(csr.rows()), cells_for(csr.cols()), {}};
  spy.counts.resize(static_cast<std::size_t>(spy.rows * spy.cols));
  for (std::int64_t i = 0; i < csr.rows(); ++i) {
    const std::int64_t cell = i * across / longer * spy.cols;
    for (auto n = csr.row_map(i); n < csr.row_map(i + 1); ++n)
      ++spy.counts[static_cast<std::size_t>(cell + csr.entries(n) * across / longer)];
  }
  return spy;
}

std::vector<LengthClass> length_classes(const product::HostCsr& csr) {
  std::vector<LengthClass> classes;
  for (std::int64_t i = 0; i < csr.rows(); ++i) {
    const auto length = static_cast<std::uint64_t>(csr.row_map(i + 1) - csr.row_map(i));
    // Class n > 1 ends at 2^(n - 1).
    const auto at =
        length < 2 ? length : static_cast<std::uint64_t>(std::bit_width(length - 1)) + 1;
    while (classes.size() <= at) {
      const std::int64_t before = classes.empty() ? -1 : classes.back().longest;
      const std::int64_t longest = before < 1 ? before + 1 : 2 * before;
      classes.push_back({before + 1, longest, 0});
    }
    ++classes[at].rows;
  }
  return classes;
}

std::string picture_svg(const product::HostCsr& csr, const std::string& title) {
  constexpr double size = 480;
  constexpr double left = 620;
  constexpr double bar = 180;
  constexpr double pitch = 22;
  const auto classes = length_classes(csr);
  const double most = static_cast<double>(most_rows(classes));
  const double height = 60 + std::max(size, pitch * static_cast<double>(classes.size() + 1)) + 20;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 920 {0}\" width=\"920\" "
      "height=\"{0}\" font-family=\"sans-serif\" font-size=\"14\" fill=\"#0072B2\">\n"
      "<rect width=\"920\" height=\"{0}\" fill=\"#ffffff\"/>\n"
      "<text x=\"20\" y=\"30\" font-weight=\"bold\" fill=\"#222222\">{1}</text>\n"
      "<text x=\"{2}\" y=\"72\" text-anchor=\"end\" fill=\"#5f6670\">entries</text>\n"
      "<text x=\"{3}\" y=\"72\" fill=\"#5f6670\">rows</text>\n",
      height, escaped(title), left - 8, left);
  svg += spy_svg(spy_plot(csr, svg_cells), size, 20, 60);
  for (std::size_t n = 0; n < classes.size(); ++n) {
    const double y = 60 + pitch * static_cast<double>(n + 1);
    const double width = bar * static_cast<double>(classes[n].rows) / most;
    svg += fmt::format(
        "<text x=\"{0}\" y=\"{1}\" text-anchor=\"end\" fill=\"#222222\">{2}</text>"
        "<rect x=\"{3}\" y=\"{4}\" width=\"{5:.1f}\" height=\"14\"/>"
        "<text x=\"{6:.1f}\" y=\"{1}\" fill=\"#222222\">{7}</text>\n",
        left - 8, y + 12, label(classes[n]), left, y, width, left + width + 6, classes[n].rows);
  }
  return svg + "</svg>\n";
}

std::string picture_text(const product::HostCsr& csr) {
  // The dots of a Braille character, row by row; U+2800 has none.
  constexpr int dots[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  const auto spy = spy_plot(csr, text_cells);
  std::string text;
  for (std::int64_t i = 0; i < spy.rows; i += 4) {
    for (std::int64_t j = 0; j < spy.cols; j += 2) {
      int character = 0x2800;
      for (std::int64_t di = 0; di < std::min<std::int64_t>(4, spy.rows - i); ++di)
        for (std::int64_t dj = 0; dj < std::min<std::int64_t>(2, spy.cols - j); ++dj)
          if (spy.counts[static_cast<std::size_t>((i + di) * spy.cols + j + dj)] > 0)
            character |= dots[di][dj];
      text += static_cast<char>(0xE0 | (character >> 12));
      text += static_cast<char>(0x80 | ((character >> 6) & 0x3F));
      text += static_cast<char>(0x80 | (character & 0x3F));
    }
    text += '\n';
  }
  const auto classes = length_classes(csr);
  const auto most = most_rows(classes);
  text += fmt::format("{:>21}  rows\n", "entries");
  for (const auto& row : classes) {
    std::string bar;
    for (std::int64_t n = (40 * row.rows + most - 1) / most; n > 0; --n) bar += "█";
    text += fmt::format("{:>21}  {}{}{}\n", label(row), bar, bar.empty() ? "" : " ", row.rows);
  }
  return text;
}

void require_picture_path(const std::string& path) {
  if (path == "-") return;
  if (!path.ends_with(".svg"))
    throw UsageError(fmt::format(
        "--picture {}: pictures are written as SVG: give a name that ends in .svg, or - for the "
        "terminal. Browsers show SVG; rsvg-convert and Inkscape make PNG of it.",
        path));
  detail::OutputFile::require_writable(path);
}

void write_picture(const std::string& path, const product::HostCsr& csr, const std::string& title) {
  if (path == "-") {
    fmt::print("{}", picture_text(csr));
    return;
  }
  detail::OutputFile file(path);
  file.write(picture_svg(csr, title));
  file.commit();
}

}  // namespace fatvec::cli
