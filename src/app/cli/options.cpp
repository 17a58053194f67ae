// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fatvec/app/dispatch/product.hpp>
#include <fatvec/generate/generate.hpp>

namespace fatvec::cli {
namespace {

/// CLI11 shows what `problem` returns as "--option: ..."; an empty text is a good value.
template <class Problem>
CLI::Option* check(CLI::Option* option, const Problem& problem) {
  return option->check(CLI::Validator([problem](std::string& text) { return problem(text); }, ""));
}

/// The number that is all of `text`, NaN for none.
double number(std::string_view text) {
  double value = 0;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool good = status == std::errc() && end == text.data() + text.size();
  return good ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string joined(const std::vector<std::string_view>& names, std::string_view separator) {
  std::string text;
  for (const auto name : names) text.append(text.empty() ? "" : separator).append(name);
  return text;
}

CLI::Option* one_of(CLI::Option* option, const std::vector<std::string_view>& names) {
  option->type_name(joined(names, "|"));
  return check(option, [names](const std::string& text) {
    const bool known = std::find(names.begin(), names.end(), text) != names.end();
    return known ? ""
                 : fmt::format("unknown name '{}'; this build has {}.", text, joined(names, ", "));
  });
}

CLI::Option* finite(CLI::Option* option, double least) {
  return check(option, [least](const std::string& text) {
    const double value = number(text);
    if (std::isfinite(value) && value >= least) return std::string();
    return std::isinf(least)
               ? fmt::format("wants a finite number, not '{}'.", text)
               : fmt::format("wants a finite number of at least {}, not '{}'.", least, text);
  });
}

CLI::Option* finite(CLI::Option* option) {
  return finite(option, -std::numeric_limits<double>::infinity());
}

CLI::Option* whole(CLI::Option* option, std::int64_t least) {
  return check(option, [least](const std::string& text) {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool good = status == std::errc() && end == text.data() + text.size() && value >= least;
    return good ? "" : fmt::format("wants a whole number of at least {}, not '{}'.", least, text);
  });
}

void add_matrix(CLI::App& command, std::string& matrix) {
  command
      .add_option("MATRIX", matrix,
                  "Matrix Market file (.mtx, .mtx.gz) or generator spec, e.g. gen:stencil27:100")
      ->required()
      ->type_name("");
  command.footer([] { return generate::spec_help(); });
}

void add_backend_and_layout(CLI::App& command, std::string& backend, std::string& layout) {
  one_of(command.add_option("--backend", backend, "Where to multiply")->capture_default_str(),
         product::backends());
  one_of(command.add_option("--layout", layout, "What lies together in X and Y: a row or a column")
             ->capture_default_str(),
         {product::to_string(product::Layout::row), product::to_string(product::Layout::column)});
}

void add_memory_limit(CLI::App& command, std::optional<std::uint64_t>& limit) {
  const auto to_bytes = [](std::string& text) {
    const std::string given = text;
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
                        std::optional<product::StorageOrder>& storage,
                        const std::string& storage_names) {
  const auto rows = [&command](const char* name, std::int64_t& value, const char* meaning) {
    whole(command.add_option(name, value, meaning)->capture_default_str(), 1)->type_name("N");
  };
  rows("--hack-size", options.hack_size, "Rows per hack (hll)");
  rows("--slice-size", options.slice_size, "Rows per slice (sell) or block (pjad)");
  rows("--sort-window", options.sort_window, "Rows sorted by length among themselves (sell)");
  whole(command
            .add_option("--block-size", options.block_size,
                        "Rows per block (bsr), at most 16; 0: the fewest bytes")
            ->capture_default_str(),
        0)
      ->type_name("N");
  using product::StorageOrder;
  const auto take = [&storage](const std::string& name) {
    const bool row_major = name == to_string(StorageOrder::row_major);
    storage = row_major ? StorageOrder::row_major : StorageOrder::column_major;
  };
  auto* const order = one_of(
      command.add_option_function<std::string>(
          storage_names, take, "Order of the padded arrays (ellpack, hll), within a block (bsr)"),
      {to_string(StorageOrder::column_major), to_string(StorageOrder::row_major)});
  order->default_str(storage ? std::string(to_string(*storage)) : "by format and backend");
  add_memory_limit(command, options.memory_limit);
}

}  // namespace fatvec::cli
