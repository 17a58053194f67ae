// SPDX-License-Identifier: Apache-2.0
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fatvec/app/cli/common/terminal.hpp>
#include <fatvec/app/dispatch/search.hpp>
#include <fatvec/core/output_file.hpp>
#include <fatvec/statistics/traffic.hpp>

#include "choice.hpp"
#include "operands.hpp"
#include "subcommand.hpp"

namespace fatvec::cli {
namespace {

struct TuneOptions : ChoiceOptions {
  double time_limit = 120;  ///< seconds, of all measurements
  double seconds = 0.1;     ///< timed for each choice
  bool all = false;         ///< what the model thinks hopeless, too
  bool defaults_only = false;
  bool forget = false;  ///< leave the cache alone
  bool force = false;   ///< replace what is better there
};

/// The measurements for one k.
struct Tuned {
  std::int64_t k = 1;
  std::vector<Prediction> ranking{};
  std::vector<product::Measurement> measured{};  ///< the fastest first, what failed last
  std::size_t skipped = 0;                       ///< by the time limit
  product::Verdict verdict{};
  /// The fastest beside CSR in reverse Cuthill-McKee order, where --reorder asks for it.
  std::optional<std::pair<product::Measurement, product::Measurement>> order{};
  std::string problem{};  ///< of the cache
};

/// task: of any k and layout.
Tuned tune_one(const TuneOptions& options, product::Case task, const Structure& structure,
               std::int64_t k, tune::Cache& cache, const Kokkos::Timer& clock, Progress& progress) {
  Tuned tuned{.k = k, .ranking = ranking_of(options, structure, k)};
  const auto has = [&](const Choice& choice) {
    return !task.float_values || product::has_single_precision(choice.kernel);
  };
  std::erase_if(tuned.ranking, [&](const Prediction& p) { return !has(p.choice); });
  task.k = k;
  task.layout = layout_of(options.layout);
  require_operands_fit(task, true, false);
  const product::TimingPolicy policy{.repetitions = 20,
                                     .least_seconds = options.seconds,
                                     .most_seconds = 10 * options.seconds,
                                     .fewest = 5,
                                     .rounds = 10};
  const product::Tuner tuner(options.backend, task,
                             random_multivector(Operand::x, 1, task.matrix.cols(), k),
                             poison(task.matrix.rows(), k), policy);
  const tune::Key key = product::key_of(options.backend, task);
  product::SearchTask search{.backend = options.backend,
                             .ranking = tuned.ranking,
                             .memory = tuner.memory(),
                             .all = options.all,
                             .defaults_only = options.defaults_only};
  if (!options.forget)
    if (const auto kept = cache.find(key)) search.kept = kept->choice;
  std::vector<Choice> out_of_time;
  const auto wanted = [&](const Choice& choice) {
    if (!has(choice)) return false;
    progress.step(fmt::format("k {}, {}", k, name_of(choice)));
    if (clock.seconds() <= options.time_limit) return true;
    out_of_time.push_back(choice);
    return false;
  };
  tuned.measured = product::search(
      search, [&](const std::vector<Choice>& choices) { return tuner.measure(choices, wanted); });
  if (options.reorder != "none" && !tuned.measured.empty() &&
      tuned.measured.front().problem.empty()) {
    progress.step(fmt::format("k {}, in another order", k));
    tuned.order = tuner.measure_order(tuned.measured.front().choice, {.order = RowOrder::rcm});
  }
  std::erase_if(out_of_time, [&](const Choice& choice) {
    return std::ranges::find(tuned.measured, choice, &product::Measurement::choice) !=
           tuned.measured.end();
  });
  tuned.skipped = out_of_time.size();
  if (!options.forget)
    tuned.verdict = product::keep(cache, key, search, tuned.measured, options.force);
  tuned.problem = cache.problem();
  return tuned;
}

/// What the order was measured to bring; nothing where it could not be measured.
std::optional<OrderGain> gain_of(const Tuned& tuned) {
  if (!tuned.order || !tuned.order->first.problem.empty() || !tuned.order->second.problem.empty())
    return {};
  const auto& [before, after] = *tuned.order;
  return OrderGain{before.seconds(), after.seconds(), after.setup_seconds};
}

Json json_of(const Tuned& tuned) {
  Json json = {{"k", tuned.k},
               {"skipped", tuned.skipped},
               {"remembered", tuned.verdict.kept},
               {"note", tuned.verdict.note},
               {"predicted", Json::array()},
               {"measured", Json::array()}};
  for (const auto& prediction : tuned.ranking) json["predicted"].push_back(to_json(prediction));
  for (const auto& m : tuned.measured) {
    const bool timed = m.problem.empty();
    json["measured"].push_back({{"kernel", m.choice.kernel},
                                {"policy", m.choice.policy},
                                {"packed", m.choice.packed},
                                {"seconds", timed ? Json(m.seconds()) : Json()},
                                {"median_seconds", timed ? Json(m.timing.median()) : Json()},
                                {"spread", timed ? Json(m.timing.spread()) : Json()},
                                {"repetitions", m.timing.seconds.size()},
                                {"setup_seconds", m.setup_seconds},
                                {"problem", m.problem}});
  }
  if (const auto gain = gain_of(tuned)) json["reordered"] = to_json(*gain);
  return json;
}

void print(const Tuned& tuned, double work) {
  constexpr std::size_t shown = 5;
  // Values stand under their headings at 80 characters; a longer name has a line of its own.
  constexpr std::size_t name_width = 40;
  constexpr const char* values = "{:>10}{:>9}{:>8}{:>11}\n";
  const auto print_name = [&](const std::string& name) {
    fmt::print("  {:<{}}", name, name_width);
    if (name.size() > name_width) fmt::print("\n  {:{}}", "", name_width);
  };
  print_name(fmt::format("k = {}", tuned.k));
  fmt::print(values, "least", "GFLOPS", "spread", "predicted");
  std::size_t lines = 0;
  for (const auto& m : tuned.measured) {
    if (!m.problem.empty()) {
      write_line(stdout, "", "{}: {}", name_of(m.choice), m.problem);
      continue;
    }
    if (++lines > shown) continue;
    std::string predicted = "-";
    for (const auto& p : tuned.ranking)
      if (p.choice == m.choice) predicted = human_seconds(p.seconds);
    print_name(name_of(m.choice));
    fmt::print(values, human_seconds(m.seconds()), fmt::format("{:.1f}", 1e-9 * work / m.seconds()),
               fmt::format("{:.0f} %", 100 * m.timing.spread()), predicted);
  }
  if (tuned.skipped > 0)
    write_line(stdout, "", "{} choices were not measured: the time limit", tuned.skipped);
  if (const auto gain = gain_of(tuned); gain && tuned.order)
    write_line(stdout, "",
               "{} Measured side by side with {}; the cache keeps choices in A's order.",
               explain(*gain, "takes"), name_of(tuned.order->first.choice));
  else if (tuned.order)
    write_line(stdout, "", "not reordered: {}", tuned.order->second.problem);
  if (!tuned.verdict.note.empty()) write_line(stdout, "", "{}", tuned.verdict.note);
}

/// A cache that takes no entry is told before anything is measured.
void require_writable(const std::filesystem::path& cache) {
  std::error_code refused;  // told by what follows
  if (cache.has_parent_path()) std::filesystem::create_directories(cache.parent_path(), refused);
  detail::OutputFile::require_writable(cache);
}

/// About how many choices are measured.
std::size_t measurements(const TuneOptions& options) {
  const auto all = product::kernels();
  const auto ranked =
      static_cast<std::size_t>(std::ranges::count(all, false, &product::KernelInfo::portable));
  const std::size_t formats = ranked * (options.layout == "column" ? 2 : 1);
  const auto kernel = all.front().kernel;
  const std::size_t policies =
      2 * (product::policies(kernel, options.backend).size() - 1) +
      product::policies(product::portable_kernel(kernel), options.backend).size();
  constexpr std::size_t finalists = 8;
  return options.k.size() * (formats + (options.defaults_only ? 0 : policies) + finalists);
}

int tune(const TuneOptions& options) {
  require_order_in_double(options);
  if (!options.forget) require_writable(tune::default_cache_path());
  const std::string load = product::load_note();
  const KokkosSession kokkos;
  Progress progress(load_steps + analysis_steps + measurements(options));
  const auto tell = [&progress](const std::string& text) {
    progress.clear();
    fmt::print(stderr, "fatvec: note: {}\n", text);
  };
  tune::Cache cache(tune::default_cache_path(), {.tell = tell});
  const MatrixSource matrix = load_matrix(options.matrix, options.format.memory_limit, progress);
  product::Case task{.matrix = matrix.csr, .options = options.format};
  const auto matrix_error = take_precision(options.precision, task);
  if (matrix_error && product::formats_in_single_precision().empty())
    throw UsageError(
        "this build multiplies no matrix in single precision; name formats in "
        "FATVEC_SINGLE_FORMATS of CMake.");
  const Structure structure = structure_of(options, matrix, progress);
  const Machine& machine = machine_of(options, progress);
  progress.clear();
  if (!load.empty()) fmt::print(stderr, "fatvec: note: {}\n", load);
  if (!options.json) {
    print_notes(matrix);
    print_setting(matrix, structure, machine, matrix_error);
  }
  std::vector<Tuned> list;
  list.reserve(options.k.size());
  const Kokkos::Timer clock;
  for (const std::int64_t k : options.k)
    list.push_back(tune_one(options, task, structure, k, cache, clock, progress));
  progress.clear();
  int exit_code = success;
  Json results = Json::array();
  for (const auto& tuned : list) {
    if (!tuned.problem.empty()) fmt::print(stderr, "fatvec: note: {}\n", tuned.problem);
    for (const auto& m : tuned.measured) {
      if (!m.wrong()) continue;
      fmt::print(stderr, "fatvec: {} with k = {}: {}\n", name_of(m.choice), tuned.k, m.problem);
      exit_code = verification_failed;
    }
    if (options.json)
      results.push_back(json_of(tuned));
    else
      print(tuned, flops({.nnz = matrix.csr.nnz(), .k = tuned.k}));
  }
  if (options.json) {
    Json object = to_json(matrix);
    object["structure"] = to_json(structure);
    object["machine"] = to_json(machine);
    object["layout"] = options.layout;
    object["matrix_precision"] = options.precision.matrix;
    if (matrix_error) object["matrix_error"] = *matrix_error;
    object["workloads"] = results;
    write_json(stdout, object);
  } else if (!options.forget) {
    write_line(stdout, "cache", "{}", cache.path().string());
  }
  return exit_code;
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  auto* const command = app.add_subcommand(
      "tune", "Measures the formats and policies for a matrix, and remembers the fastest");
  const auto options = std::make_shared<TuneOptions>();
  add_choice_options(*command, *options);
  auto* const limit = command->add_option("--time-limit", options->time_limit,
                                          "Seconds after which nothing new is tried");
  finite(limit->capture_default_str(), 0)->type_name("S");
  auto* const seconds = command->add_option(
      "--seconds", options->seconds,
      "Time each choice at least this long; up to ten times that for 20 repetitions");
  finite(seconds->capture_default_str(), 0)->type_name("S");
  command->add_flag("--all", options->all,
                    "Try formats, too, that the model thinks four times too slow");
  command->add_flag("--default-policies", options->defaults_only,
                    "Try formats only, each with its default policy");
  auto* const no_cache =
      command->add_flag("--no-cache", options->forget, "Do not remember the result");
  command
      ->add_flag("--force", options->force,
                 "Remember the result even where a faster one is remembered, or it was disturbed")
      ->excludes(no_cache);
  command->callback([&action, options] { action = [options] { return tune(*options); }; });
}

}  // namespace fatvec::cli
