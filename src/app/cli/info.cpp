// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include <fatvec/statistics/block_fill.hpp>
#include <fatvec/statistics/row_statistics.hpp>
#include <fatvec/statistics/symmetry.hpp>
#include <fatvec/statistics/vector_statistics.hpp>

#include "matrix_source.hpp"
#include "options.hpp"
#include "picture.hpp"
#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

struct InfoOptions {
  std::string matrix;
  FormatOptions format;
  std::optional<product::StorageOrder> storage;  ///< changes no size
  std::string picture;                           ///< where to draw it; empty: nowhere
  bool json = false;
};

/// A format's size for this matrix, and whether the memory holds it.
struct FormatLine {
  std::string_view name;
  Footprint footprint;
  double padding = 0;  ///< slots that hold no entry
  bool fits = false;
};

std::vector<FormatLine> format_lines(const product::HostCsr& csr, const FormatOptions& options,
                                     std::uint64_t limit) {
  std::vector<FormatLine> lines;
  for (const auto& [name, footprint] : product::footprints(csr, options)) {
    const double padding = footprint.stored_entries - static_cast<double>(csr.nnz());
    lines.push_back({name, footprint, padding, footprint.bytes <= static_cast<double>(limit)});
  }
  return lines;
}

double percent_padding(const FormatLine& line) {
  return line.padding == 0 ? 0
                           : 100 * line.padding / (line.footprint.stored_entries - line.padding);
}

/// Of the entries, those on diagonals of slices that are worth a slot. A lower bound: what is left
/// over counts with its padding.
double percent_on_diagonals(const std::vector<FormatLine>& lines, std::int64_t nnz) {
  for (const auto& line : lines)
    if (line.name == "sliced-dia" && nnz > 0)
      return 100 * std::max(0.0, 1 - line.footprint.left_over / static_cast<double>(nnz));
  return 0;
}

/// All that `fatvec info` finds out.
struct Findings {
  RowStatistics rows{};
  VectorStatistics<double> values{};
  Symmetry symmetry{};
  std::vector<BlockFill> blocks{};
  std::optional<double> matrix_error{};  ///< of A's values as floats, the largest, where all can be
  std::vector<FormatLine> formats{};
  std::uint64_t limit = 0;
};

Json info_json(const MatrixSource& matrix, const Findings& found) {
  const auto& rows = found.rows;
  Json info = to_json(matrix);
  info["entries_per_row"] = {{"min", rows.min},
                             {"mean", rows.mean},
                             {"max", rows.max},
                             {"median", rows.median},
                             {"standard_deviation", rows.standard_deviation},
                             {"average_deviation", rows.average_deviation},
                             {"percent_average_deviation", rows.percent_average_deviation}};
  info["empty_rows"] = rows.empty_rows;
  info["empty_columns"] = rows.cols - rows.columns_touched;
  info["explicit_zeros"] = rows.explicit_zeros;
  info["values"] = {{"sum", found.values.sum},
                    {"absolute_sum", found.values.absolute_sum},
                    {"frobenius_norm", found.values.norm2()},
                    {"max_norm", found.values.max_norm()},
                    {"min", found.values.min},
                    {"max", found.values.max}};
  info["single_precision"] = {
      {"possible", found.matrix_error.has_value()},
      {"matrix_error", found.matrix_error ? Json(*found.matrix_error) : Json()}};
  info["bandwidth"] = {{"lower", rows.lower_bandwidth}, {"upper", rows.upper_bandwidth}};
  info["symmetry"] = to_string(found.symmetry);
  info["blocks"] = Json::array();
  for (const auto& [size, footprint, ratio] : found.blocks) {
    info["blocks"].push_back(
        {{"size", size}, {"fill_ratio", ratio}, {"bytes", count(footprint.bytes)}});
  }
  info["best_block_size"] = best_block_fill(found.blocks).block_size;
  info["percent_on_diagonals"] = percent_on_diagonals(found.formats, rows.nnz);
  info["memory_limit"] = found.limit;
  info["formats"] = Json::array();
  for (const auto& line : found.formats) {
    info["formats"].push_back({{"name", line.name},
                               {"bytes", count(line.footprint.bytes)},
                               {"stored_entries", count(line.footprint.stored_entries)},
                               {"padding_entries", count(line.padding)},
                               {"padding_percent", percent_padding(line)},
                               {"fits", line.fits}});
  }
  return info;
}

/// What is stored for each entry, six block sizes a line.
void print_blocks(const std::vector<BlockFill>& blocks) {
  const char* label = "block fill";
  for (std::size_t first = 0; first < blocks.size(); first += 6, label = "") {
    std::string text;
    for (std::size_t n = first; n < std::min(first + 6, blocks.size()); ++n)
      text += fmt::format("{:>3}: {:<6.2f}", blocks[n].block_size, blocks[n].ratio);
    text.erase(text.find_last_not_of(' ') + 1);
    write_line(stdout, label, "{}", text);
  }
  const auto& best = best_block_fill(blocks);
  write_line(stdout, "best blocks", "{0} x {0}, {1}", best.block_size,
             human_bytes(best.footprint.bytes));
}

void print_info(const MatrixSource& matrix, const Findings& found) {
  const auto& rows = found.rows;
  write_line(stdout, "matrix", "{} ({})", summary(matrix), matrix.description);
  write_line(stdout, "row lengths", "min {}, mean {:.2f}, median {:g}, max {}", rows.min, rows.mean,
             rows.median, rows.max);
  write_line(stdout, "deviation", "standard {:.2f}, average {:.2f} ({:.2f} % of the mean)",
             rows.standard_deviation, rows.average_deviation, rows.percent_average_deviation);
  write_line(stdout, "empty", "{} rows, {} columns", rows.empty_rows,
             rows.cols - rows.columns_touched);
  write_line(stdout, "zeros stored", "{}", rows.explicit_zeros);
  if (matrix.csr.nnz() > 0)
    write_line(stdout, "values", "min {:g}, max {:g}, Frobenius norm {:.9g}; as floats {}",
               found.values.min, found.values.max, found.values.norm2(),
               found.matrix_error ? fmt::format("off by {:.2g}", *found.matrix_error) : "refused");
  write_line(stdout, "bandwidth", "lower {}, upper {}", rows.lower_bandwidth, rows.upper_bandwidth);
  write_line(stdout, "symmetry", "{}", to_string(found.symmetry));
  print_blocks(found.blocks);
  write_line(stdout, "diagonals", "{:.1f} % of the entries, for sliced-dia",
             percent_on_diagonals(found.formats, rows.nnz));
  write_line(stdout, "format", "{:>12}{:>18}{:>14}  fits {}", "size", "padding slots", "of entries",
             human_bytes(static_cast<double>(found.limit)));
  for (const auto& line : found.formats) {
    fmt::print("  {:<12}{:>12}{:>18.0f}{:>12.1f} %  {}\n", line.name,
               human_bytes(line.footprint.bytes), line.padding, percent_padding(line),
               line.fits ? "yes" : "no");
  }
}

constexpr std::size_t find_steps = 5;

Findings find(const InfoOptions& options, const MatrixSource& matrix, Progress& progress) {
  const Kokkos::DefaultHostExecutionSpace host;
  Findings found;
  progress.step("counting entries in rows and columns");
  found.rows = row_statistics(matrix.csr);
  progress.step("looking at values");
  found.values = vector_statistics(host, matrix.csr.values);
  try {
    found.matrix_error =
        detail::round_values(host, matrix.csr, matrix.csr.values, nullptr, ErrorBound());
  } catch (const PrecisionError&) {  // --matrix-precision single says which
  }
  progress.step("comparing with the transpose");
  found.symmetry = symmetry(matrix.csr);
  progress.step("counting blocks");
  found.blocks = block_fill(host, matrix.csr);
  progress.step("sizes of the formats");
  found.limit = options.format.memory_limit.value_or(free_memory<Kokkos::HostSpace>());
  found.formats = format_lines(matrix.csr, options.format, found.limit);
  return found;
}

int info(const InfoOptions& options) {
  if (!options.picture.empty()) require_picture_path(options.picture);
  if (options.picture == "-" && options.json)
    throw UsageError("--picture - and --json both write to the standard output; give a FILE.svg.");
  const KokkosSession kokkos;
  Progress progress(load_steps + find_steps);
  const MatrixSource matrix = load_matrix(options.matrix, options.format.memory_limit, progress);
  const Findings found = find(options, matrix, progress);
  progress.clear();
  if (options.json) {
    write_json(stdout, info_json(matrix, found));
  } else {
    print_notes(matrix);
    print_info(matrix, found);
  }
  if (!options.picture.empty()) write_picture(options.picture, matrix.csr, summary(matrix));
  return success;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto* const command = app.add_subcommand("info",
                                           "What a matrix is like: row lengths, values, bandwidth, "
                                           "symmetry, blocks, its size per format");
  const auto options = std::make_shared<InfoOptions>();
  add_matrix(*command, options->matrix);
  add_format_options(*command, options->format, options->storage);
  file_name(command->add_option("--picture", options->picture,
                                "Draw where the entries are and how long the rows are: a file "
                                "that ends in .svg, or - for the terminal"))
      ->type_name("FILE.svg|-");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([&action, options] { action = [options] { return info(*options); }; });
}

}  // namespace fatvec::cli
