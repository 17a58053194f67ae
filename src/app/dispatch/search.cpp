// SPDX-License-Identifier: Apache-2.0
#include <fatvec/app/dispatch/search.hpp>

#include <algorithm>
#include <limits>

#include <fatvec/plan/explain.hpp>

namespace fatvec::product {
namespace {

/// Seconds of the model's prediction for the choice's format; of a policy it knows nothing.
double predicted_seconds(const std::vector<Prediction>& ranking, const Choice& choice) {
  for (const auto& prediction : ranking)
    if (prediction.format == format_of_kernel(choice.kernel) &&
        prediction.choice.packed == choice.packed)
      return prediction.seconds;
  return std::numeric_limits<double>::infinity();
}

bool faster(const Measurement& a, const Measurement& b) {
  if (a.problem.empty() != b.problem.empty()) return a.problem.empty();
  return a.problem.empty() && a.seconds() < b.seconds();
}

/// All that was measured so far.
class Found {
 public:
  Found(const SearchTask& task, const MeasureInTurns& measure) : task_(task), measure_(measure) {}

  [[nodiscard]] Measurement* find(const Choice& choice) {
    const auto found = std::ranges::find(measured_, choice, &Measurement::choice);
    return found == measured_.end() ? nullptr : &*found;
  }

  /// Measures the choices, and once more, a few times, those that were disturbed.
  void measure(std::vector<Choice> choices) {
    constexpr int most_times = 4;
    for (int times = 0; times < most_times && !choices.empty(); ++times) {
      for (auto& result : measure_(choices)) add(std::move(result));
      std::erase_if(choices, [&](const Choice& choice) {
        const auto* const result = find(choice);
        return result == nullptr || !disturbed(*result, task_.ranking);
      });
    }
    std::stable_sort(measured_.begin(), measured_.end(), faster);
  }

  /// The same for those that were not measured yet.
  void measure_new(std::vector<Choice> choices) {
    std::erase_if(choices, [&](const Choice& choice) { return find(choice) != nullptr; });
    measure(std::move(choices));
  }

  [[nodiscard]] const std::vector<Measurement>& all() const { return measured_; }

 private:
  /// Repetitions join those of the same choice; a second attempt that does not fit changes nothing.
  void add(Measurement result) {
    Measurement* const before = find(result.choice);
    if (before == nullptr)
      measured_.push_back(std::move(result));
    else if (result.wrong())
      *before = std::move(result);
    else if (result.problem.empty() && before->problem.empty()) {
      before->timing.add(result.timing);
      before->setup_seconds = std::min(before->setup_seconds, result.setup_seconds);
    }
  }

  const SearchTask& task_;
  const MeasureInTurns& measure_;
  std::vector<Measurement> measured_;
};

std::vector<Choice> formats(const SearchTask& task) {
  constexpr double hopeless = 4;  // times what the best is predicted to take
  std::vector<Choice> choices;
  if (task.kept) choices.push_back(*task.kept);  // first: the time may end
  double least = std::numeric_limits<double>::infinity();
  for (const auto& prediction : task.ranking) least = std::min(least, prediction.seconds);
  for (const auto& prediction : task.ranking)
    if (prediction.fits && (task.all || prediction.seconds <= hopeless * least) &&
        prediction.choice != task.kept)
      choices.push_back(prediction.choice);
  return choices;
}

std::vector<Choice> policies_of_the_best(const SearchTask& task,
                                         const std::vector<Measurement>& measured) {
  std::vector<std::pair<std::string, bool>> kernels;  // with packed
  for (const auto& m : measured) {
    if (!m.problem.empty()) continue;
    const std::pair kernel(m.choice.kernel, m.choice.packed);
    if (kernels.size() < 2 && std::find(kernels.begin(), kernels.end(), kernel) == kernels.end())
      kernels.push_back(kernel);
  }
  if (!kernels.empty())
    kernels.emplace_back(portable_kernel(kernels.front().first), kernels.front().second);
  std::vector<Choice> choices;
  for (const auto& [kernel, packed] : kernels)
    for (const auto& policy : policies(kernel, task.backend))
      choices.push_back({kernel, policy, packed});
  return choices;
}

/// Those that are not far behind the fastest, and what is kept: as many as fit into memory
/// together.
std::vector<Choice> finalists(const SearchTask& task, const std::vector<Measurement>& measured) {
  constexpr std::size_t most = 8;
  constexpr double far_behind = 1.75;
  std::vector<Choice> choices;
  double held = 0;
  const auto take = [&](const Measurement& m) {
    if (choices.size() == most || held + m.bytes > task.memory) return;
    held += m.bytes;
    choices.push_back(m.choice);
  };
  for (const auto& m : measured)
    if (m.choice == task.kept && m.problem.empty()) take(m);
  for (const auto& m : measured)
    if (m.choice != task.kept && m.problem.empty() &&
        m.seconds() <= far_behind * measured.front().seconds())
      take(m);
  return choices;
}

}  // namespace

std::string portable_kernel(std::string_view kernel) {
  for (const auto& info : kernels())
    if (info.portable && info.format == format_of_kernel(kernel)) return std::string(info.kernel);
  return std::string(kernel);
}

bool disturbed(const Measurement& measurement, const std::vector<Prediction>& ranking) {
  constexpr double beyond_belief = 100;
  return measurement.problem.empty() &&
         measurement.seconds() > beyond_belief * predicted_seconds(ranking, measurement.choice);
}

std::vector<Measurement> search(const SearchTask& task, const MeasureInTurns& measure) {
  Found found(task, measure);
  found.measure(formats(task));
  if (!task.defaults_only) found.measure_new(policies_of_the_best(task, found.all()));
  const auto best = finalists(task, found.all());
  constexpr int most_finals = 3;
  constexpr double noisy = 0.5;  // a busy machine needs more repetitions for a least that holds
  for (int n = 0; n < most_finals && best.size() > 1; ++n) {
    found.measure(best);
    if (found.all().front().timing.spread() < noisy) break;
  }
  return found.all();
}

Verdict keep(tune::Cache& cache, const tune::Key& key, const SearchTask& task,
             const std::vector<Measurement>& measured, bool force) {
  using fatvec::detail::concat;
  if (measured.empty() || !measured.front().problem.empty()) return {};
  const Measurement& best = measured.front();
  if (!force && disturbed(best, task.ranking))
    return {.note = concat("not kept: ", human_seconds(best.seconds()), " where ",
                           human_seconds(predicted_seconds(task.ranking, best.choice)),
                           " were predicted is not a product's time but what disturbed it. ",
                           task.kept ? concat(task.kept->kernel, ", kept earlier, stays. ") : "",
                           "End other processes and try again, or keep it all the same with "
                           "--force")};
  const auto useless = std::find_if(measured.begin(), measured.end(), [&](const auto& m) {
    return m.choice == task.kept && !m.problem.empty() && m.fits;
  });
  const bool replace = force || useless != measured.end();
  const tune::Winner winner{.choice = best.choice,
                            .seconds = best.seconds(),
                            .median_seconds = best.timing.median(),
                            .spread = best.timing.spread(),
                            .repetitions = static_cast<std::int64_t>(best.timing.seconds.size())};
  if (cache.store(key, winner, replace ? tune::Replace::always : tune::Replace::slower)) {
    if (useless == measured.end()) return {.kept = true};
    return {.kept = true, .note = concat("replaces ", task.kept->kernel, ": ", useless->problem)};
  }
  const auto before = cache.find(key);
  if (!before && !cache.problem().empty()) return {.note = "not kept"};
  if (!before) return {.note = "not kept: another process has changed the cache"};
  return {.note =
              concat("not kept: ", before->choice.kernel, " took ", human_seconds(before->seconds),
                     " when it was measured before, and that stays. --force replaces it")};
}

}  // namespace fatvec::product
