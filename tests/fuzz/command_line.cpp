// SPDX-License-Identifier: Apache-2.0
// The command line of fatvec-bench and the options that fatvec's subcommands share, one argument a
// line: any arguments are options or a complaint of fatvec, and numbers keep to their bounds.
#include <cmath>
#include <sstream>
#include <vector>

#include "harness/options.hpp"
#include "options.hpp"
#include "support.hpp"

/// The one thing that the options ask of the kernels, which are not built here.
std::vector<std::string_view> fatvec::product::backends() {
  return {"cuda", "openmp", "serial"};
}

namespace fatvec::fuzz {
namespace {

/// Help and version end the program.
bool ends_the_program(const std::string& argument) {
  const bool shorts = argument.size() > 1 && argument[0] == '-' && argument[1] != '-';
  return argument.starts_with("--help") || argument.starts_with("--version") ||
         (shorts && argument.find('h') != std::string::npos);
}

void check_bench(const std::vector<const char*>& arguments) {
  try {
    const auto parsed =
        bench::parse_options(static_cast<int>(arguments.size()), arguments.data(), false);
    if (!parsed) return;
    const bench::Options& options = *parsed;
    expect(std::isfinite(options.alpha) && std::isfinite(options.beta), "alpha, beta are finite");
    expect(options.max_expansion >= 0, "the expansion is a number");
    expect(!options.max_seconds || *options.max_seconds >= 0, "seconds are a number");
    for (const auto k : options.columns) expect(k >= 1, "k is positive");
    for (const auto length : options.lengths) expect(length >= 1, "lengths are positive");
  } catch (const UsageError&) {
  }
}

void check_subcommand(const std::vector<const char*>& arguments) {
  std::string matrix;
  std::string backend = "openmp";
  std::string layout = "row";
  FormatOptions format;
  std::optional<product::StorageOrder> storage;
  CLI::App app("a subcommand");
  cli::add_matrix(app, matrix);
  cli::add_backend_and_layout(app, backend, layout);
  cli::add_format_options(app, format, storage);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
    expect(layout == "row" || layout == "column", "the layout is one of two");
    expect(format.hack_size >= 1 && format.sort_window >= 1, "sizes are positive");
    expect(format.slice_size >= 0 && format.block_size >= 0, "others are not negative");
  } catch (const CLI::ParseError&) {  // main() prints these
  }
}

void check(std::string_view text) {
  std::vector<std::string> lines = {"fuzz"};
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    if (ends_the_program(line)) return;
    lines.push_back(line.substr(0, line.find('\0')));
  }
  std::vector<const char*> arguments;
  for (const auto& line : lines) arguments.push_back(line.c_str());
  check_bench(arguments);
  check_subcommand(arguments);
}

}  // namespace
}  // namespace fatvec::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fatvec::fuzz::check(fatvec::fuzz::text_of(data, size));
  return 0;
}
