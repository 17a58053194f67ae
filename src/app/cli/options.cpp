// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/core/output_file.hpp>

namespace fatvec::cli {

void add_matrix(CLI::App& command, std::string& matrix) {
  command
      .add_option("MATRIX", matrix,
                  "File (Matrix Market .mtx, .mtx.gz, SciPy .npz, PETSc binary, Binsparse .bsp.h5; "
                  "- for the standard input) "
                  "or generator spec, e.g. gen:stencil27:100")
      ->required()
      ->type_name("");
  command.footer("The generated matrices: fatvec help generators.\n");
}

void add_backend_and_layout(CLI::App& command, std::string& backend, std::string& layout,
                            bool all) {
  auto names = product::backends();
  if (all) names.emplace_back("all");
  one_of(command
             .add_option("--backend", backend,
                         all ? "Where to multiply; all: which backend should" : "Where to multiply")
             ->capture_default_str(),
         names);
  one_of(command.add_option("--layout", layout, "What lies together in X and Y: a row or a column")
             ->capture_default_str(),
         {product::to_string(product::Layout::row), product::to_string(product::Layout::column)});
}

product::Layout layout_of(std::string_view name) {
  return name == to_string(product::Layout::column) ? product::Layout::column
                                                    : product::Layout::row;
}

CLI::Option* add_reorder_option(CLI::App& command, std::string& order,
                                const std::string& description) {
  return one_of(command.add_option("--reorder", order, description)->capture_default_str(),
                {"none", "rcm", "automatic"});
}

void require_not_the_input(const std::string& output, const std::string& input,
                           std::string_view option) {
  std::error_code missing;
  if (std::filesystem::is_regular_file(output, missing) &&
      std::filesystem::equivalent(output, input == "-" ? "/dev/stdin" : input, missing))
    throw UsageError(fmt::format("{} {} would replace the input {}; choose another name.", option,
                                 output, input));
}

void require_ending(const std::string& output, std::initializer_list<std::string_view> endings,
                    std::string_view written) {
  const bool has_one = !std::filesystem::path(output).extension().empty();
  const auto fits = [&](std::string_view ending) { return output.ends_with(ending); };
  if (!has_one || detail::OutputFile::is_stream(output) || std::ranges::any_of(endings, fits))
    return;
  throw UsageError(
      fmt::format("--output {}: the name's ending says what is written: {}.", output, written));
}

void add_matrix_precision(CLI::App& command, PrecisionOptions& options) {
  one_of(command
             .add_option("--matrix-precision", options.matrix,
                         "Of A's values as they are stored; X, Y and sums are in double")
             ->capture_default_str(),
         {"exact", "single"});
  auto* const error = command.add_option(
      "--matrix-error", options.error,
      "The relative error that single precision may cost a value; otherwise A is refused "
      "(default: 6e-8, half a unit in a float's last place)");
  finite(error, 0)->type_name("E");
}

void add_memory_limit(CLI::App& command, std::optional<std::uint64_t>& limit) {
  const auto to_bytes = [](std::string& text) {
    const std::string given = text;
    text.erase(0, std::min(text.find_first_not_of('0'), text.size()));     // CLI11: an octal number
    if (!std::isdigit(static_cast<unsigned char>(text[0]))) text = given;  // 0, 0MB
    try {
      if (given[0] != '-' && CLI::AsSizeValue(true)(text).empty()) return std::string();
    } catch (const CLI::ValidationError&) {  // says the same, with a list of 25 units
    }
    return fmt::format("wants a size such as 500MB or 4GB, not '{}'.", given);
  };
  command
      .add_option("--memory-limit", limit,
                  "Refuse what needs more than this, e.g. 4GB (default: the free memory)")
      ->transform(CLI::Validator(to_bytes, ""))
      ->type_name("SIZE");
}

void add_format_options(CLI::App& command, FormatOptions& options,
                        std::optional<product::StorageOrder>& storage) {
  const auto rows = [&command](const char* name, std::int64_t& value, const char* meaning,
                               std::int64_t least) {
    whole(command.add_option(name, value, meaning)->capture_default_str(), least)->type_name("N");
  };
  rows("--hack-size", options.hack_size, "Rows per hack (hll)", 1);
  rows("--slice-size", options.slice_size,
       "Rows per slice (sell) or block (pjad); 0: 32, or for sell on CPUs as many as a vector "
       "register has elements",
       0);
  rows("--sort-window", options.sort_window, "Rows sorted by length among themselves (sell)", 1);
  rows("--block-size", options.block_size, "Rows per block (bsr), at most 16; 0: the fewest bytes",
       0);
  using product::StorageOrder;
  const auto take = [&storage](const std::string& name) {
    const bool row_major = name == to_string(StorageOrder::row_major);
    storage = row_major ? StorageOrder::row_major : StorageOrder::column_major;
  };
  auto* const order = one_of(
      command.add_option_function<std::string>(
          "--storage", take, "Order of the padded arrays (ellpack, hll) or of a block (bsr)"),
      {to_string(StorageOrder::column_major), to_string(StorageOrder::row_major)});
  order->default_str(storage ? std::string(to_string(*storage)) : "by format and backend");
  add_memory_limit(command, options.memory_limit);
}

void add_old_name(CLI::App& command, const std::string& old, const std::string& name) {
  auto* const option = command.get_option(name);
  const auto hand_on = [option, old, name](const std::string& value) {
    fmt::print(stderr, "fatvec: note: {} is now {}; the old name goes with the next version.\n",
               old, name);
    option->add_result(value);
    option->run_callback();
  };
  command.add_option_function<std::string>(old, hand_on)->group("");
}

}  // namespace fatvec::cli
