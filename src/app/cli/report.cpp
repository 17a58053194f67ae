// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>

#include <fatvec/app/cli/common/terminal.hpp>

namespace fatvec::cli {

std::string version() {
  return fmt::format("fatvec {}, Kokkos {}.{}.{}", FATVEC_VERSION, KOKKOS_VERSION / 10000,
                     KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100);
}

std::FILE* report_stream(const std::string& output) {
  struct stat target{};
  struct stat standard{};
  const bool known = stat(output.c_str(), &target) == 0 && fstat(STDOUT_FILENO, &standard) == 0;
  return known && target.st_dev == standard.st_dev && target.st_ino == standard.st_ino ? stderr
                                                                                       : stdout;
}

void write_fact(std::FILE* stream, const char* label, const std::string& text) {
  constexpr std::size_t indent = 14;
  const std::string padded = fmt::format("{:<{}}", label, indent);
  fmt::print(stream, "{}{}\n", bold(stream, padded),
             is_terminal(stream) ? wrapped(text, 80 - indent, indent) : text);
}

void write_json(std::FILE* stream, const Json& object) {
  Json whole = {{"json_version", json_version}};
  whole.update(object);
  // File names need not be UTF-8.
  fmt::print(stream, "{}\n", whole.dump(2, ' ', false, Json::error_handler_t::replace));
}

Json to_json(const FormatOptions& options, const std::optional<product::StorageOrder>& storage) {
  return {{"hack_size", options.hack_size},
          {"slice_size", options.slice_size},
          {"sort_window", options.sort_window},
          {"block_size", options.block_size},
          {"storage", storage ? Json(to_string(*storage)) : Json()}};
}

Json count(double value) {
  return value < 0x1p53 ? Json(static_cast<std::uint64_t>(value)) : Json(value);
}

std::string precision_text(double largest_error) {
  return fmt::format("A's values as floats, which moves them by {:.3g} of themselves at most",
                     largest_error);
}

}  // namespace fatvec::cli
