// SPDX-License-Identifier: Apache-2.0
#include "matrix_source.hpp"

#include <filesystem>

#include <fatvec/formats/assemble.hpp>
#include <fatvec/generate/generate.hpp>
#include <fatvec/io/matrix_market.hpp>

namespace fatvec::cli {
namespace {

std::string describe(const io::MatrixMarketHeader& header) {
  constexpr const char* fields[] = {"real", "integer", "pattern", "complex"};
  constexpr const char* symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
  return fmt::format("{} {} {}", header.coordinate ? "coordinate" : "array",
                     fields[static_cast<int>(header.field)],
                     symmetries[static_cast<int>(header.symmetry)]);
}

bool is_spec_without_prefix(const std::string& text) {
  try {
    generate::parse_spec(text);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

/// The file is opened once and read from its begin to its end, so that it may be a pipe.
MatrixSource read_file(const std::string& path, std::optional<std::uint64_t> memory_limit,
                       Progress& progress) {
  std::error_code unreadable;  // told where the file is opened
  if (!std::filesystem::exists(path, unreadable) && is_spec_without_prefix(path)) {
    throw InputError(
        fmt::format("{}: no such file. For the generated matrix write gen:{}", path, path));
  }
  progress.step(fmt::format("reading {}", path));
  io::MatrixMarketHeader header;
  const auto coo = io::read_matrix_market<double>(
      path, &header,
      {.memory_limit = memory_limit, .accept = {}, .progress = [&progress](double done) {
         progress.share(done);
       }});
  progress.step("sorting its entries by rows");
  AssemblyReport report;
  auto csr =
      csr_from_coo<Kokkos::DefaultHostExecutionSpace, std::int32_t>(coo, &report, memory_limit);
  validate(Kokkos::DefaultHostExecutionSpace(), csr);
  return {path, describe(header), std::move(csr), report.duplicates};
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

void print_notes(const MatrixSource& matrix) {
  if (matrix.duplicates == 0) return;
  fmt::print(stderr,
             "fatvec: note: {}: {} duplicate entries were added to others of the same position.\n",
             matrix.name, matrix.duplicates);
}

}  // namespace fatvec::cli
