// SPDX-License-Identifier: Apache-2.0
#include "choice.hpp"

#include "policy_words.hpp"

#include <fatvec/app/dispatch/ordered.hpp>
#include <fatvec/reorder/rcm.hpp>

#include <fmt/format.h>
#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fatvec::cli {
namespace {

/// The terms of the model as keys, named as their enumerators are.
constexpr const char* term_keys[] = {
    "launch", "main_memory",   "scattered_x", "x_from_cache", "entries", "multiplications",
    "rows",   "elements_of_y", "longest_row", "mean_row",     "packing"};
static_assert(std::size(term_keys) == Term::count, "a key for every term");

}  // namespace

void add_choice_options(CLI::App& command, ChoiceOptions& options, bool all_backends) {
  add_matrix(command, options.matrix);
  auto* const k =
      command.add_option("-k,--k", options.k, "Columns of X and Y; several numbers, by commas")
          ->delimiter(',')
          ->allow_extra_args(false);
  whole(k->capture_default_str(), 1)->type_name("K");
  add_backend_and_layout(command, options.backend, options.layout, all_backends);
  auto* const products = command.add_option(
      "--products", options.products, "Products that will be formed: whether a conversion pays");
  whole(products->capture_default_str(), 1)->type_name("N");
  add_matrix_precision(command, options.precision);
  add_reorder_option(command, options.reorder,
                     "Look at reverse Cuthill-McKee order of the rows, too; automatic: where the "
                     "matrix is square");
  add_memory_limit(command, options.format.memory_limit);
  command.add_flag("--json", options.json, "Print one JSON object");
}

Workload workload_of(const ChoiceOptions& options, std::int64_t k) {
  return {.k = k,
          .layout = layout_of(options.layout),
          .products = static_cast<double>(options.products),
          .value_bytes = sizeof(double)};
}

std::vector<Prediction> ranking_of(const ChoiceOptions& options, const Structure& structure,
                                   std::int64_t k) {
  std::vector<std::string_view> kernels;
  for (const auto& info : product::kernels())
    if (!info.portable) kernels.push_back(info.kernel);
  const auto memory = static_cast<double>(
      options.format.memory_limit.value_or(product::free_memory_of(options.backend)));
  return rank(product::machine(options.backend), structure, workload_of(options, k), kernels,
              memory);
}

void require_order_in_double(const ChoiceOptions& options) {
  if (options.reorder != "none" && options.precision.is_single())
    throw UsageError("--reorder multiplies in double; leave out --matrix-precision.");
}

std::optional<OrderedRows> ordered_rows(const ChoiceOptions& options, const MatrixSource& matrix,
                                        const Structure& structure, Progress& progress) {
  const auto& csr = matrix.csr;
  if (options.reorder == "none" || (options.reorder == "automatic" && csr.rows() != csr.cols()))
    return {};
  progress.step("ordering rows");
  const product::HostCsr::execution_space exec;
  const Kokkos::Timer timer;
  const auto order = detail::inverse(exec, rcm(exec, csr));
  const auto rows = detail::rows_in_order(exec, csr, order);
  OrderedRows ordered{structure, timer.seconds()};
  detail::count_reads(exec, rows, ordered.structure);
  return ordered;
}

OrderGain gain_of(const ChoiceOptions& options, const OrderedRows& ordered,
                  const Prediction& before, std::int64_t k) {
  const Choice choice{std::string(product::ordered_kernel), "", before.choice.packed};
  return {
      before.seconds,
      predict(product::machine(options.backend), ordered.structure, workload_of(options, k), choice)
          .seconds,
      ordered.seconds};
}

std::string name_of(const Choice& choice) {
  std::string name = choice.kernel + (choice.packed ? ", packed" : "");
  if (const auto words = words_of_policy(choice.policy); !words.empty()) name += ", " + words;
  return name;
}

Structure structure_of(const ChoiceOptions& options, const MatrixSource& matrix,
                       Progress& progress) {
  progress.step("analysing the structure");
  const Structure structure = product::structure(matrix.csr, options.format);
  return options.precision.is_single() ? with_value_bytes(structure, sizeof(float)) : structure;
}

const Machine& machine_of(const ChoiceOptions& options, Progress& progress) {
  progress.step("measuring the machine");
  return product::machine(options.backend);
}

Json to_json(const Machine& machine) {
  return {{"device", machine.device},
          {"backend", machine.backend},
          {"threads", machine.threads},
          {"memory_gbs", machine.memory_gbs},
          {"cache_gbs", machine.cache_gbs},
          {"cache_bytes", machine.cache_bytes},
          {"launch_seconds", machine.launch_seconds},
          {"latency_seconds", machine.latency_seconds},
          {"prefetched_beyond", machine.prefetched_beyond}};
}

Json to_json(const Structure& structure) {
  return {{"mean_row", structure.rows.mean},
          {"longest_row", structure.rows.max},
          {"columns_touched", structure.rows.columns_touched},
          {"block_size", structure.block_size},
          {"near_reads", structure.near_reads},
          {"middle_reads", structure.middle_reads},
          {"far_reads", structure.far_reads}};
}

Json to_json(const Prediction& prediction) {
  Json parts = Json::object();
  for (std::size_t n = 0; n < Term::count; ++n) parts[term_keys[n]] = prediction.parts[n];
  Json json = {
      {"kernel", prediction.choice.kernel},
      {"packed", prediction.choice.packed},
      {"format", prediction.format},
      {"fits", prediction.fits},
      {"seconds", prediction.seconds},
      {"bytes", prediction.bytes},
      {"matrix_bytes", count(prediction.matrix_bytes)},
      {"setup_seconds", prediction.setup_seconds},
      {"break_even", std::isfinite(prediction.break_even) ? Json(prediction.break_even) : Json()},
      {"parts", parts},
      {"terms", prediction.unweighted},
      {"setup_terms", prediction.setup_terms}};
  return json;
}

Json to_json(const OrderGain& gain) {
  const double break_even = gain.break_even();
  return {{"before_seconds", gain.before},
          {"seconds", gain.after},
          {"ordering_seconds", gain.ordering},
          {"break_even", std::isfinite(break_even) ? Json(break_even) : Json()}};
}

void print_setting(const MatrixSource& matrix, const Structure& structure, const Machine& machine,
                   const std::optional<double>& matrix_error) {
  write_line(stdout, "matrix", "{}", summary(matrix));
  const double touched = std::max(1.0, static_cast<double>(structure.rows.columns_touched));
  write_line(stdout, "structure",
             "rows of {:.1f} entries, the longest {}; 256 rows together read each row of X {:.1f} "
             "times; blocks of {}",
             structure.rows.mean, structure.rows.max, structure.near_reads / touched,
             structure.block_size);
  write_line(stdout, "machine", "{}", summary(machine));
  if (matrix_error) write_line(stdout, "precision", "{}", precision_text(*matrix_error));
}

std::string summary(const Machine& machine) {
  return fmt::format("{} ({}, {} threads): memory {:.0f} GB/s, cache {:.0f} GB/s", machine.device,
                     machine.backend, machine.threads, machine.memory_gbs, machine.cache_gbs) +
         (machine.cpu
              ? fmt::format(", X prefetched from {:.0f} MB on", machine.prefetched_beyond * 1e-6)
              : "");
}

}  // namespace fatvec::cli
