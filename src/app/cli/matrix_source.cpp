// SPDX-License-Identifier: Apache-2.0
#include "matrix_source.hpp"

#include <filesystem>
#include <utility>

#include <fatvec/generate/generate.hpp>
#include <fatvec/io/matrix_file.hpp>

namespace fatvec::cli {
namespace {

bool is_spec_without_prefix(const std::string& text) {
  try {
    generate::parse_spec(text);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

/// Text is read once, from its begin to its end, so that it may come from a pipe.
MatrixSource read_file(const std::string& path, std::optional<std::uint64_t> memory_limit,
                       Progress& progress) {
  std::error_code unreadable;  // told where the file is opened
  if (!std::filesystem::exists(path, unreadable) && is_spec_without_prefix(path)) {
    throw InputError(
        fmt::format("{}: no such file. For the generated matrix write gen:{}", path, path));
  }
  progress.step(fmt::format("reading {}", path));
  bool sorting = false;
  auto file = io::read_matrix<double>(
      path, {.memory_limit = memory_limit, .accept = {}, .progress = [&](double done) {
               progress.share(done);
               if (done >= 1 && !std::exchange(sorting, true))
                 progress.step("sorting its entries by rows");
             }});
  return {path, std::move(file.description), std::move(file.matrix), file.duplicates};
}

}  // namespace

MatrixSource load_matrix(const std::string& text, std::optional<std::uint64_t> memory_limit,
                         Progress& progress) {
  if (text == "-") return read_file("/dev/stdin", memory_limit, progress);
  if (!generate::is_spec(text)) return read_file(text, memory_limit, progress);
  progress.step(fmt::format("generating {}", text));
  auto csr = generate::generate(generate::parse_spec(text), memory_limit,
                                [&progress](double done) { progress.share(done); });
  return {text, "generated", product::host_csr(csr), 0};
}

std::string summary(const MatrixSource& matrix) {
  return fmt::format("{}, {} x {}, {} entries", matrix.name, matrix.csr.rows(), matrix.csr.cols(),
                     matrix.csr.nnz());
}

Json to_json(const MatrixSource& matrix) {
  return {{"name", matrix.name},       {"source", matrix.description},
          {"rows", matrix.csr.rows()}, {"cols", matrix.csr.cols()},
          {"nnz", matrix.csr.nnz()},   {"duplicates_merged", matrix.duplicates}};
}

void note_duplicates(const std::string& name, std::int64_t duplicates) {
  if (duplicates == 0) return;
  fmt::print(stderr,
             "fatvec: note: {}: {} duplicate entries were added to others of the same position.\n",
             name, duplicates);
}

std::optional<double> take_precision(const PrecisionOptions& options, product::Case& task) {
  if (!options.is_single()) {
    if (options.error)
      throw UsageError("--matrix-error is for --matrix-precision single; give that as well.");
    return {};
  }
  const ErrorBound bound = options.error ? within(*options.error) : ErrorBound();
  auto [rounded, error] = product::in_single_precision(task, bound);
  task = std::move(rounded);
  return error;
}

}  // namespace fatvec::cli
