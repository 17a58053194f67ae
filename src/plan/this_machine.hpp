// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include <fatvec/core/error.hpp>
#include <fatvec/plan/machine.hpp>

/// Whether measured figures can be those of a machine, and what is done where they cannot.
namespace fatvec {
namespace detail {

/// What a figure can be: far beyond the slowest and the fastest machines, but for the launch, which
/// takes so long only where its threads wait for a processor.
struct PlausibleFigure {
  using Member = double Machine::*;
  const char* name;
  Member figure;
  double least;
  double most;
  const char* unit;
  bool more_is_better;

  [[nodiscard]] bool holds(const Machine& machine) const {  // not for NaN
    return machine.*figure >= least && machine.*figure <= most;
  }
};

inline constexpr std::array<PlausibleFigure, 5> plausible_figures = {{
    {"memory bandwidth", &Machine::memory_gbs, 1e-2, 1e6, "GB/s", true},
    {"cache bandwidth", &Machine::cache_gbs, 1e-2, 1e7, "GB/s", true},
    {"cache size", &Machine::cache_bytes, 1e3, 1e12, "bytes", true},
    {"launch time", &Machine::launch_seconds, 1e-10, 1e-3, "s", false},
    {"cache latency", &Machine::latency_seconds, 1e-11, 1e-4, "s", false},
}};

/// The better of each figure: what disturbs a measurement makes it worse.
inline Machine better_figures(Machine machine, const Machine& other) {
  for (const auto& range : plausible_figures) {
    double& figure = machine.*range.figure;
    const double again = other.*range.figure;
    const bool better = range.more_is_better ? again > figure : again < figure;
    if (!range.holds(machine) || (range.holds(other) && better)) figure = again;
  }
  machine.prefetched_beyond = other.prefetched_beyond;  // what products heed now
  return machine;
}

}  // namespace detail

/// Why the figures cannot be those of a machine: one is not finite, or out of all bounds, or memory
/// is as fast as the cache. One sentence for people; empty where nothing is wrong.
inline std::string machine_problem(const Machine& machine) {
  for (const auto& range : detail::plausible_figures)
    if (!range.holds(machine))
      return detail::concat("the ", range.name, " was measured to be ", machine.*range.figure, " ",
                            range.unit, ", which is not between ", range.least, " and ", range.most,
                            ".");
  if (machine.memory_gbs < machine.cache_gbs) return "";
  return detail::concat("the cache was measured to read ", machine.cache_gbs,
                        " GB/s, no more than main memory (", machine.memory_gbs, ").");
}

/// What measure() says of the machine, some times anew while that cannot be, the better of each
/// figure: what disturbed it may have gone. What comes of it may still be implausible.
template <class Measure>
Machine measured_again_while_implausible(const Measure& measure) {
  constexpr int most_measurements = 6;
  Machine machine = measure();
  for (int n = 1; n < most_measurements && !machine_problem(machine).empty(); ++n)
    machine = detail::better_figures(machine, measure());
  return machine;
}

/// The machine as exec sees it, measured the first time that the process asks. Where it is too busy
/// to be measured, machine_problem() tells.
template <class ExecSpace>
const Machine& this_machine(const ExecSpace& exec) {
  static const Machine machine =
      measured_again_while_implausible([&] { return measure_machine(exec); });
  return machine;
}

}  // namespace fatvec
