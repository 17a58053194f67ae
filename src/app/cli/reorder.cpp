// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fatvec/app/cli/common/terminal.hpp>
#include <fatvec/core/output_file.hpp>
#include <fatvec/io/matrix_market.hpp>
#include <fatvec/reorder/rcm.hpp>
#include <fatvec/statistics/row_statistics.hpp>

#include "matrix_source.hpp"
#include "options.hpp"
#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

struct ReorderOptions {
  std::string matrix;
  std::string output;
  std::string permutation;
  std::optional<std::uint64_t> memory_limit;
  bool json = false;
};

std::int64_t bandwidth_of(const product::HostCsr& a) {
  const auto rows = row_statistics(product::HostCsr::execution_space(), a);
  return std::max(rows.lower_bandwidth, rows.upper_bandwidth);
}

/// The new place of each row, from 1, one a line.
void write_permutation(detail::OutputFile& file,
                       const Permutation<std::int32_t, product::HostCsr::execution_space>& place) {
  std::string text;
  for (std::size_t i = 0; i < place.extent(0); ++i) text += fmt::format("{}\n", place(i) + 1);
  file.write(text);
}

/// The matrix may replace its own file, the permutation nothing that is read or written beside it.
void require_apart(const ReorderOptions& options) {
  if (options.permutation.empty()) return;
  if (options.permutation == options.output ||
      (!detail::OutputFile::is_stream(options.output) &&
       detail::OutputFile::are_same(options.permutation, options.output)))
    throw UsageError(
        fmt::format("reorder: --output and --permutation are both {}.", options.output));
  require_not_the_input(options.permutation, options.matrix, "--permutation");
}

int reorder(const ReorderOptions& options) {
  require_ending(options.output, {".mtx", ".mtx.gz"},
                 ".mtx or .mtx.gz (Matrix Market); fatvec convert writes other formats");
  for (const auto& path : {options.output, options.permutation})
    if (!path.empty()) detail::OutputFile::require_writable(path);
  require_apart(options);
  const KokkosSession kokkos;
  const product::HostCsr::execution_space exec;
  Progress progress(load_steps + 3);
  const MatrixSource matrix = load_matrix(options.matrix, options.memory_limit, progress);
  constexpr double copies = 5;  // of A: the pattern both ways, and the matrix in its new order
  detail::require_fits<Kokkos::HostSpace>(
      "A new order",
      Footprint{static_cast<double>(matrix.csr.nnz()),
                copies * static_cast<double>(matrix.csr.bytes())},
      options.memory_limit, "A and its pattern both ways");
  progress.step("ordering rows");
  const auto place = rcm(exec, matrix.csr);
  progress.step("permuting");
  const auto csr = permuted(exec, matrix.csr, place);
  progress.step(fmt::format("writing {}", options.output));
  std::optional<detail::OutputFile> permutation;  // complete before the matrix replaces anything
  if (!options.permutation.empty())
    write_permutation(permutation.emplace(options.permutation), place);
  io::write_matrix_market(
      options.output, csr,
      fmt::format("{} in reverse Cuthill-McKee order, by {}", matrix.name, version()),
      [&progress](double done) { progress.share(done); });
  if (permutation) permutation->commit();
  progress.clear();

  const std::int64_t before = bandwidth_of(matrix.csr);
  const std::int64_t after = bandwidth_of(csr);
  std::FILE* const out = report_stream(options.output);
  if (options.json) {
    Json object = to_json(matrix);
    object["output"] = options.output;
    object["bandwidth_before"] = before;
    object["bandwidth"] = after;
    write_json(out, object);
    return success;
  }
  print_notes(matrix);
  fmt::print(out, "{}: bandwidth {}, before {}; written to {}\n", summary(matrix), after, before,
             options.output);
  return success;
}

}  // namespace

void add_reorder(CLI::App& app, Action& action) {
  auto* const command = app.add_subcommand(
      "reorder", "Write a square matrix with rows and columns in reverse Cuthill-McKee order");
  const auto options = std::make_shared<ReorderOptions>();
  add_matrix(*command, options->matrix);
  auto* const output =
      command->add_option("-o,--output", options->output,
                          "File to write (.gz compresses); replaces an existing one when complete");
  file_to_write(output)->required();
  file_to_write(command->add_option("--permutation", options->permutation,
                                    "Also write the new place of each row, from 1, one a line"));
  add_memory_limit(*command, options->memory_limit);
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([&action, options] { action = [options] { return reorder(*options); }; });
}

}  // namespace fatvec::cli
