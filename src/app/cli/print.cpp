// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <fatvec/app/dispatch/storage.hpp>
#include <fatvec/plan/convert.hpp>

#include "matrix_source.hpp"
#include "options.hpp"
#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

struct PrintOptions {
  std::string matrix;
  std::string format;
  FormatOptions format_options;
  std::optional<product::StorageOrder> storage = product::StorageOrder::column_major;
  std::int64_t limit = 1000;
  bool force = false;
  bool stars = false;
  bool json = false;
};

struct Array {
  std::string name;   ///< of the format's member
  std::string alias;  ///< in the literature, empty for none
  bool per_slot;      ///< has an element, or a block of them, for every entry and padding slot
  Json values;

  [[nodiscard]] std::string label() const {
    return alias.empty() ? name : fmt::format("{} ({})", name, alias);
  }
};

/// The arrays of any registered format, in the order in which one reads them.
template <class Matrix>
std::vector<Array> arrays_of(const Matrix& matrix) {
  std::vector<Array> arrays;
  std::uint64_t bytes = 0;
  const auto add = [&](const char* name, const char* alias, bool per_slot, const auto& view) {
    Json values = Json::array();
    for (std::size_t n = 0; n < view.size(); ++n) values.push_back(view.data()[n]);
    arrays.push_back({name, alias, per_slot, std::move(values)});
    bytes += detail::view_bytes(view);
  };
  if constexpr (requires { matrix.row_map; }) add("row_map", "IRP", false, matrix.row_map);
  if constexpr (requires { matrix.window_offsets; })
    add("window_offsets", "", false, matrix.window_offsets);
  if constexpr (requires { matrix.value_offsets; })
    add("value_offsets", "", false, matrix.value_offsets);
  if constexpr (requires { matrix.permutation; }) add("permutation", "", false, matrix.permutation);
  if constexpr (requires { matrix.hack_offsets(); })
    add("hack_offsets", "", false, matrix.hack_offsets());
  else if constexpr (requires { matrix.slice_offsets; })
    add("slice_offsets", "", false, matrix.slice_offsets);
  if constexpr (requires { matrix.slot_offsets; }) {
    add("slot_offsets", "", false, matrix.slot_offsets);
    add("rest_offsets", "", false, matrix.rest_offsets);
    Json first_columns = Json::array();
    Json masks = Json::array();
    for (std::size_t n = 0; n < matrix.diagonals.size(); ++n) {
      first_columns.push_back(matrix.diagonals(n).first_column);
      masks.push_back(matrix.diagonals(n).mask);
    }
    arrays.push_back({"first_columns", "", false, std::move(first_columns)});
    arrays.push_back({"masks", "", false, std::move(masks)});
    bytes += detail::view_bytes(matrix.diagonals);
  }
  if constexpr (requires { matrix.diagonal_offsets; })
    add("diagonal_offsets", "IA", false, matrix.diagonal_offsets);
  if constexpr (requires { matrix.offsets; }) add("offsets", "", false, matrix.offsets);
  if constexpr (requires { matrix.row_lengths; }) add("row_lengths", "", false, matrix.row_lengths);
  if constexpr (requires { matrix.masks; }) add("masks", "", false, matrix.masks);
  constexpr bool padded = !requires { matrix.masks; } && !requires { matrix.diagonals; };
  if constexpr (requires { matrix.entries; }) add("entries", "JA", padded, matrix.entries);
  add("values", "AS", padded, matrix.values);
  if (bytes != matrix.bytes())
    throw std::logic_error(fmt::format("print does not know all arrays of {}", Matrix::name));
  return arrays;
}

/// A block size that is left to the format is filled in.
std::vector<Array> build(const product::HostCsr& csr, PrintOptions& options) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  std::vector<Array> arrays;
  for_each_kernel([&](auto kernel) {
    using Matrix =
        typename decltype(kernel)::template Matrix<double, std::int32_t, Host, std::int32_t>;
    if (options.format != Matrix::name || !arrays.empty()) return;
    product::with_storage<Matrix>(options.storage, [&]<class Stored>(std::type_identity<Stored>) {
      const auto matrix = convert<Stored>(Host(), csr, options.format_options);
      Kokkos::fence("fatvec::cli::print");
      arrays = arrays_of(matrix);
      if constexpr (requires { matrix.block_size(); })
        options.format_options.block_size = matrix.block_size();
    });
  });
  return arrays;
}

void require_small(const MatrixSource& matrix, const PrintOptions& options) {
  for (const auto& [format, footprint] : product::footprints(matrix.csr, options.format_options)) {
    const double elements = footprint.stored_entries + matrix.csr.rows();
    if (options.force || format != options.format || elements <= static_cast<double>(options.limit))
      continue;
    throw CapacityError(fmt::format(
        "{} in {} has {} rows and {:.0f} slots ({}), together more than the {} that are printed; "
        "raise --limit, or print them all with --force.",
        matrix.name, format, matrix.csr.rows(), footprint.stored_entries,
        human_bytes(footprint.bytes), options.limit));
  }
}

std::string text_of(const Json& value) {
  return value.is_number_float() ? fmt::to_string(value.get<double>())
                                 : fmt::to_string(value.get<std::int64_t>());
}

/// One line per array; with `stars`, padding as "*".
void print_arrays(const std::vector<Array>& arrays, bool stars) {
  const auto entries = std::ranges::find(arrays, "entries", &Array::name);
  std::size_t width = 13;
  for (const auto& array : arrays) width = std::max(width, array.label().size());
  for (const auto& array : arrays) {
    fmt::print("{:<{}} [{}]", array.label(), width, array.values.size());
    for (std::size_t n = 0; n < array.values.size(); ++n) {
      const bool star = stars && array.per_slot &&
                        entries->values[n / (array.values.size() / entries->values.size())] == -1;
      fmt::print(" {}", star ? "*" : text_of(array.values[n]));
    }
    fmt::print("\n");
  }
}

int print(PrintOptions options) {
  const KokkosSession kokkos;
  Progress progress(load_steps);
  const MatrixSource matrix =
      load_matrix(options.matrix, options.format_options.memory_limit, progress);
  progress.clear();
  require_small(matrix, options);
  const auto arrays = build(matrix.csr, options);
  if (options.json) {
    Json object = to_json(matrix);
    object["format"] = options.format;
    object.update(to_json(options.format_options, options.storage));
    for (const auto& array : arrays) object["arrays"][array.name] = array.values;
    write_json(stdout, object);
    return success;
  }
  print_notes(matrix);
  fmt::print("{}: {}\n", options.format, summary(matrix));
  print_arrays(arrays, options.stars);
  return success;
}

}  // namespace

void add_print(CLI::App& app, Action& action) {
  auto* const command =
      app.add_subcommand("print", "The arrays of a small matrix as a format stores them");
  const auto options = std::make_shared<PrintOptions>();
  options->format = product::formats().front();
  add_matrix(*command, options->matrix);
  one_of(
      command->add_option("-f,--format", options->format, "Storage format")->capture_default_str(),
      product::formats());
  add_format_options(*command, options->format_options, options->storage);
  add_old_name(*command, "--layout", "--storage");
  whole(command
            ->add_option("--limit", options->limit,
                         "Most rows and slots (entries and padding) to print")
            ->capture_default_str(),
        0)
      ->type_name("N");
  command->add_flag("--force", options->force, "Print a matrix of any size");
  command->add_flag("--stars", options->stars, "Show padding as * (stored: index -1, value 0)");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([&action, options] { action = [options] { return print(*options); }; });
}

}  // namespace fatvec::cli
