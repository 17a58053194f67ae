// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <fatvec/core/output_file.hpp>
#include <fatvec/io/matrix_file.hpp>

#include "matrix_source.hpp"
#include "options.hpp"
#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

struct ConvertOptions {
  std::string matrix;
  std::string output;
  unsigned petsc_bits = 32;
  std::optional<std::uint64_t> memory_limit;
  bool json = false;
};

int convert_file(const ConvertOptions& options) {
  if (io::format_of_name(options.output) != io::FileFormat::petsc && options.petsc_bits != 32)
    throw UsageError(
        fmt::format("--petsc-bits is for .petsc files, not for {}; leave it out.", options.output));
  detail::OutputFile::require_writable(options.output);
  const KokkosSession kokkos;
  Progress progress(load_steps + 1);
  const MatrixSource source = load_matrix(options.matrix, options.memory_limit, progress);
  progress.step(fmt::format("writing {}", options.output));
  io::write_matrix(options.output, source.csr,
                   {.comment = fmt::format("converted by {}\n{}", version(), source.name),
                    .petsc_bits = options.petsc_bits,
                    .progress = [&progress](double done) { progress.share(done); }});
  progress.clear();
  print_notes(source);

  std::FILE* const out = report_stream(options.output);
  if (options.json) {
    Json report = to_json(source);
    report["output"] = options.output;
    write_json(out, report);
  } else {
    fmt::print(out, "{}, written to {}\n", summary(source), options.output);
  }
  return success;
}

}  // namespace

void add_convert(CLI::App& app, Action& action) {
  auto* const command = app.add_subcommand("convert", "Write a matrix to a file of another format");
  const auto options = std::make_shared<ConvertOptions>();
  add_matrix(*command, options->matrix);
  auto* const output = command->add_option(
      "FILE", options->output,
      "File to write, whose ending says the format: .mtx, .mtx.gz (Matrix Market), .npz (SciPy), "
      ".petsc (PETSc binary) or .bsp.h5 (Binsparse); replaces an existing one when complete");
  file_to_write(output)->required()->type_name("");
  command
      ->add_option("--petsc-bits", options->petsc_bits,
                   "Of the integers of a .petsc file: 64 for a PETSc with 64-bit indices")
      ->type_name("32|64")
      ->capture_default_str()
      ->check(CLI::IsMember({32U, 64U}));
  add_memory_limit(*command, options->memory_limit);
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([&action, options] { action = [options] { return convert_file(*options); }; });
}

}  // namespace fatvec::cli
