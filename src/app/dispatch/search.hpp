// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fatvec/app/dispatch/measure.hpp>

/// What `fatvec tune` measures, and what it makes of that.
namespace fatvec::product {

/// A search for the fastest choice.
struct SearchTask {
  std::string_view backend;
  std::vector<Prediction> ranking{};  ///< of the model: all formats, the best first
  std::optional<Choice> kept{};       ///< the choice that is kept from before: measured again
  double memory = 0;                  ///< bytes that finalists may hold together
  bool all = false;                   ///< what the model thinks hopeless, too
  bool defaults_only = false;         ///< no policies but the defaults
};

/// Times choices in turns, least of many repetitions; leaves out those for which there is no time.
using MeasureInTurns = std::function<std::vector<Measurement>(const std::vector<Choice>&)>;

/// Default policies of all formats first, then the policies of the two best kernels and of the best
/// format's portable one, then the best few once more in one batch: only what was timed side by
/// side is compared fairly, and noise wants more repetitions. What cannot be by far is measured
/// again. Each choice once, with all of its repetitions, the fastest first, what failed last.
std::vector<Measurement> search(const SearchTask& task, const MeasureInTurns& measure);

/// The portable kernel of a kernel's format; the kernel itself where there is none.
std::string portable_kernel(std::string_view kernel);

/// Whether the time is so far from the prediction that it is of whatever disturbed the machine. The
/// model is not that wrong.
bool disturbed(const Measurement& measurement, const std::vector<Prediction>& ranking);

/// What became of a search's fastest choice.
struct Verdict {
  bool kept = false;   ///< in the cache now
  std::string note{};  ///< for people: why not, or what is replaced though it took less time
};

/// Keeps the fastest in the cache, unless it is worse than what is kept there. Worse is what takes
/// as many seconds as the entry under the same key took when it was measured, or more; its choice
/// is among the measurements, so that a new choice has also won in this run. `force` keeps the
/// fastest whatever is there. What is disturbed() is not kept.
Verdict keep(tune::Cache& cache, const tune::Key& key, const SearchTask& task,
             const std::vector<Measurement>& measured, bool force);

}  // namespace fatvec::product
