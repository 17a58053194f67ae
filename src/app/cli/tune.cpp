// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <memory>
#include <optional>

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
};

/// A bar on a terminal's stderr, nothing elsewhere.
class Progress {
 public:
  explicit Progress(std::size_t steps) : steps_(steps), shown_(isatty(STDERR_FILENO) != 0) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() {
    if (shown_) fmt::print(stderr, "\r{:78}\r", "");
  }
  void step(const std::string& what) {
    if (!shown_) return;
    constexpr std::size_t width = 30;
    const std::size_t done = std::min(width, width * done_++ / std::max<std::size_t>(steps_, 1));
    fmt::print(stderr, "\r[{:<{}}] {:<45.45}", std::string(done, '#'), width, what);
    std::fflush(stderr);
  }

 private:
  std::size_t steps_;
  std::size_t done_ = 0;
  bool shown_;
};

/// The measurements for one k.
struct Tuned {
  std::int64_t k = 1;
  std::vector<Prediction> ranking;
  std::vector<product::Measurement>
      measured{};  ///< what was timed in turns, then the rest: the fastest first, what failed last
  std::size_t skipped = 0;  ///< by the time limit

  /// The fastest, if any was measured.
  [[nodiscard]] const product::Measurement* best() const {
    return measured.empty() || !measured.front().problem.empty() ? nullptr : &measured.front();
  }
};

bool fastest_first(const product::Measurement& a, const product::Measurement& b) {
  if (a.problem.empty() != b.problem.empty()) return a.problem.empty();
  if (a.in_turns != b.in_turns) return a.in_turns;
  return a.seconds < b.seconds;
}

/// Measures those in turns that are not far behind the fastest: the first eight, or as many as fit
/// into memory together.
void run_final(const TuneOptions& options, const product::Case& task, const product::Tuner& tuner,
               Tuned& tuned) {
  constexpr std::size_t most = 8;
  const double memory = 0.8 * static_cast<double>(options.format.memory_limit.value_or(
                                  product::free_memory_of(options.backend)));
  const double operands =
      8.0 * static_cast<double>(task.k) *
      (static_cast<double>(task.matrix.rows()) + static_cast<double>(task.matrix.cols()));
  const auto bytes_of = [&](const Choice& choice) {
    const auto same = [&](const Prediction& p) {
      return format_of_kernel(p.choice.kernel) == format_of_kernel(choice.kernel) &&
             p.choice.packed == choice.packed;
    };
    const auto found = std::find_if(tuned.ranking.begin(), tuned.ranking.end(), same);
    return found->matrix_bytes + (choice.packed ? 2 : 1) * operands;
  };
  std::vector<Choice> choices;
  choices.reserve(most);
  double held = 0;
  for (const auto& m : tuned.measured) {
    if (choices.size() == most || !m.problem.empty() ||
        m.seconds > 1.75 * tuned.measured.front().seconds)
      break;
    held += bytes_of(m.choice);
    if (held > memory) break;
    choices.push_back(m.choice);
  }
  if (choices.size() < 2) return;
  const auto results = tuner.measure_in_turns(choices);
  for (std::size_t n = 0; n < results.size(); ++n) {
    const bool wrong = results[n].problem.starts_with("wrong result");
    if (wrong || results[n].problem.empty())
      tuned.measured[n] = results[n];  // else it does not fit beside the others
  }
  std::sort(tuned.measured.begin(), tuned.measured.end(), fastest_first);
}

/// The portable kernel of a kernel's format.
std::string portable_kernel(std::string_view kernel) {
  const std::string_view format = format_of_kernel(kernel);
  for (const auto& info : product::kernels())
    if (info.portable && info.format == format) return std::string(info.kernel);
  return std::string(kernel);
}

/// Default policies of all formats first, then the policies of the two best kernels and of the best
/// format's portable one, then the best eight in turns: on a machine that others use, the best of
/// many numbers taken one after the other is the luckiest.
Tuned tune_one(const TuneOptions& options, const MatrixSource& matrix, const Structure& structure,
               std::int64_t k, const Kokkos::Timer& clock, Progress& progress) {
  constexpr double hopeless = 4;  // times what the best is predicted to take
  Tuned tuned{.k = k, .ranking = ranking_of(options, structure, k)};
  const product::Case task{matrix.csr, k, layout_of(options), options.format};
  require_operands_fit(task, true, false);
  const product::Tuner tuner(options.backend, task,
                             random_multivector(Operand::x, 1, task.matrix.cols(), k),
                             poison(task.matrix.rows(), k), options.seconds);
  const auto measure = [&](const Choice& choice) -> std::optional<product::Measurement> {
    progress.step(fmt::format("k {}, {}", k, name_of(choice)));
    if (clock.seconds() > options.time_limit) {
      ++tuned.skipped;
      return {};
    }
    return tuner.measure(choice);
  };
  double least = tuned.ranking.front().seconds;
  for (const auto& prediction : tuned.ranking) least = std::min(least, prediction.seconds);
  for (const auto& prediction : tuned.ranking) {
    if (!prediction.fits || (!options.all && prediction.seconds > hopeless * least)) continue;
    if (auto result = measure(prediction.choice)) tuned.measured.push_back(*result);
  }
  std::sort(tuned.measured.begin(), tuned.measured.end(), fastest_first);
  if (!options.defaults_only) {
    const std::size_t kernels = std::min<std::size_t>(2, tuned.measured.size());
    for (std::size_t n = 0; n < kernels; ++n) {
      Choice choice = tuned.measured[n].choice;
      for (const auto& policy : product::policies(choice.kernel, options.backend)) {
        choice.policy = policy;
        if (policy.empty()) continue;
        if (auto result = measure(choice)) tuned.measured.push_back(*result);
      }
    }
    if (kernels > 0) {  // the portable kernel of the best format, with all that it can be told
      const std::string best = portable_kernel(tuned.measured.front().choice.kernel);
      for (const auto& policy : product::policies(best, options.backend))
        if (auto result = measure({best, policy, tuned.measured.front().choice.packed}))
          tuned.measured.push_back(*result);
    }
    std::sort(tuned.measured.begin(), tuned.measured.end(), fastest_first);
    progress.step(fmt::format("k {}, the best in turns", k));
    if (clock.seconds() <= options.time_limit) run_final(options, task, tuner, tuned);
  }
  return tuned;
}

Json json_of(const Tuned& tuned) {
  Json json = {{"k", tuned.k},
               {"skipped", tuned.skipped},
               {"predicted", Json::array()},
               {"measured", Json::array()}};
  for (const auto& prediction : tuned.ranking) json["predicted"].push_back(to_json(prediction));
  for (const auto& m : tuned.measured) {
    json["measured"].push_back({{"kernel", m.choice.kernel},
                                {"policy", m.choice.policy},
                                {"packed", m.choice.packed},
                                {"seconds", m.problem.empty() ? Json(m.seconds) : Json()},
                                {"spread", m.spread},
                                {"setup_seconds", m.setup_seconds},
                                {"in_turns", m.in_turns},
                                {"problem", m.problem}});
  }
  return json;
}

void print(const Tuned& tuned, double work) {
  constexpr std::size_t shown = 5;
  write_line(stdout, fmt::format("k = {}", tuned.k).c_str(), "{:<58}{:>10}{:>9}{:>9}{:>11}", "",
             "measured", "GFLOPS", "spread", "predicted");
  std::size_t lines = 0;
  for (const auto& m : tuned.measured) {
    if (!m.problem.empty()) {
      write_line(stdout, "", "{:<58}{}", name_of(m.choice), m.problem);
      continue;
    }
    if (++lines > shown) continue;
    std::string predicted = "-";
    for (const auto& p : tuned.ranking)
      if (p.choice == m.choice) predicted = human_seconds(p.seconds);
    write_line(stdout, "", "{:<58}{:>10}{:>9.1f}{:>8.0f}%{:>11}", name_of(m.choice),
               human_seconds(m.seconds), 1e-9 * work / m.seconds, 100 * m.spread, predicted);
  }
  if (tuned.skipped > 0)
    write_line(stdout, "", "{} choices were not measured: the time limit", tuned.skipped);
}

int tune(const TuneOptions& options) {
  const KokkosSession kokkos;
  const MatrixSource matrix = load_matrix(options.matrix, options.format.memory_limit);
  const Structure structure = product::structure(matrix.csr, options.format);
  const Machine& machine = product::machine(options.backend);
  if (!options.json) {
    print_notes(matrix);
    print_setting(matrix, structure, machine);
  }
  std::vector<Tuned> list;
  tune::Cache cache;
  std::string problems;  // of the cache, for when the progress bar has gone
  {
    const Kokkos::Timer clock;
    const auto all = product::kernels();
    const auto ranked = static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const auto& info) { return !info.portable; }));
    const std::size_t formats = ranked * (options.layout == "column" ? 2 : 1);
    const auto kernel = product::kernels().front().kernel;
    const std::size_t policies = 2 * (product::policies(kernel, options.backend).size() - 1) +
                                 product::policies(portable_kernel(kernel), options.backend).size();
    Progress progress(options.k.size() * (formats + (options.defaults_only ? 0 : policies + 1)));
    for (const std::int64_t k : options.k) {
      list.push_back(tune_one(options, matrix, structure, k, clock, progress));
      const auto* const best = list.back().best();
      if (best == nullptr || options.forget) continue;
      cache.store(
          product::key_of(options.backend, {matrix.csr, k, layout_of(options), options.format}),
          {best->choice, best->seconds});
      if (!cache.problem().empty()) problems += "fatvec: " + cache.problem() + "\n";
    }
  }
  fmt::print(stderr, "{}", problems);
  int exit_code = success;
  Json results = Json::array();
  for (const auto& tuned : list) {
    for (const auto& m : tuned.measured) {
      if (!m.problem.starts_with("wrong result")) continue;
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
    object["workloads"] = results;
    write_json(stdout, object);
  } else if (!options.forget) {
    write_line(stdout, "kept in", "{}", cache.path().string());
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
  auto* const seconds =
      command->add_option("--seconds", options->seconds, "Seconds to time each choice");
  finite(seconds->capture_default_str(), 0)->type_name("S");
  command->add_flag("--all", options->all,
                    "Try formats, too, that the model thinks four times too slow");
  command->add_flag("--default-policies", options->defaults_only,
                    "Try formats only, each with its default policy");
  command->add_flag("--no-cache", options->forget, "Do not remember the result");
  command->callback([&action, options] { action = [options] { return tune(*options); }; });
}

}  // namespace fatvec::cli
