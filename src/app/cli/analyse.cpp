// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include "choice.hpp"
#include "compare_backends.hpp"
#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

/// The best few, and CSR, against which conversions are judged.
void print_ranking(const std::vector<Prediction>& ranking) {
  constexpr std::size_t shown = 3;
  constexpr const char* columns = "  {:<22}{:>11}{:>12}{:>11}{:>10}{:>12}\n";
  fmt::print(columns, "", "a product", "its traffic", "size of A", "set-up", "pays after");
  for (std::size_t n = 0; n < ranking.size(); ++n) {
    const Prediction& prediction = ranking[n];
    if (n >= shown && prediction.format != "csr") continue;
    std::string pays =
        prediction.format == "csr" ? "-" : fmt::format("{:.0f}", prediction.break_even);
    if (std::isinf(prediction.break_even)) pays = "never";
    if (!prediction.fits) pays = "does not fit";
    fmt::print(columns, name_of(prediction.choice), human_seconds(prediction.seconds),
               human_bytes(prediction.bytes), human_bytes(prediction.matrix_bytes),
               human_seconds(prediction.setup_seconds), pays);
  }
}

int analyse(const ComparisonOptions& comparison) {
  const ChoiceOptions& options = comparison.choice;
  if (comparison.copies != "each" || comparison.transfer_gbs)
    throw UsageError("--copies and --transfer-bandwidth are for --backend all.");
  require_order_in_double(options);
  const KokkosSession kokkos;
  Progress progress(load_steps + analysis_steps + 1);
  const MatrixSource matrix = load_matrix(options.matrix, options.format.memory_limit, progress);
  product::Case rounded{.matrix = matrix.csr, .options = options.format};
  const auto matrix_error = take_precision(options.precision, rounded);
  const Structure structure = structure_of(options, matrix, progress);
  const Machine& machine = machine_of(options, progress);
  const auto ordered = ordered_rows(options, matrix, structure, progress);
  progress.clear();
  Json workloads = Json::array();
  if (!options.json) {
    print_notes(matrix);
    print_setting(matrix, structure, machine, matrix_error);
  }
  for (const std::int64_t k : options.k) {
    auto ranking = ranking_of(options, structure, k);
    if (options.precision.is_single())
      std::erase_if(ranking, [](const Prediction& p) {
        return !product::has_single_precision(p.choice.kernel);
      });
    const std::string reason = explain(ranking, workload_of(options, k));
    tune::Cache cache;
    product::Case task = rounded;
    task.k = k;
    task.layout = layout_of(options.layout);
    const auto tuned = cache.find(product::key_of(options.backend, task));
    if (!cache.problem().empty()) fmt::print(stderr, "fatvec: note: {}\n", cache.problem());
    if (options.json) {
      workloads.push_back({{"k", k}, {"reason", reason}, {"ranking", Json::array()}});
      for (const auto& prediction : ranking)
        workloads.back()["ranking"].push_back(to_json(prediction));
      if (ordered)
        workloads.back()["reordered"] = to_json(gain_of(options, *ordered, ranking.front(), k));
      continue;
    }
    write_line(stdout, fmt::format("k = {}", k).c_str(), "{}", reason);
    print_ranking(ranking);
    if (ordered)
      write_line(stdout, "order", "{}", explain(gain_of(options, *ordered, ranking.front(), k)));
    if (tuned)
      write_line(stdout, "tuned",
                 "{}, {} a product, was measured here (the least of {}, spread {:.0f} %)",
                 name_of(tuned->choice), human_seconds(tuned->seconds), tuned->repetitions,
                 100 * tuned->spread);
  }
  if (!options.json) return success;
  Json object = to_json(matrix);
  object["structure"] = to_json(structure);
  object["machine"] = to_json(machine);
  object["products"] = options.products;
  object["layout"] = options.layout;
  object["matrix_precision"] = options.precision.matrix;
  if (matrix_error) object["matrix_error"] = *matrix_error;
  object["workloads"] = workloads;
  write_json(stdout, object);
  return success;
}

}  // namespace

void add_analyse(CLI::App& app, Action& action) {
  auto* const command = app.add_subcommand(
      "analyse", "Which format and kernel for a matrix, k and this machine, and why");
  const auto options = std::make_shared<ComparisonOptions>();
  add_choice_options(*command, options->choice, true);
  add_comparison_options(*command, *options);
  command->callback([&action, options] {
    action = [options] {
      return options->choice.backend == "all" ? compare_backends(*options) : analyse(*options);
    };
  });
}

}  // namespace fatvec::cli
