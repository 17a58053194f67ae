// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <fatvec/plan/options.hpp>

#include "random.hpp"

namespace fatvec::test {

/// Who multiplies: a kernel with a policy, spmm() of a format, or a plan.
enum class Way { kernel, format, plan };
/// What a plan was made for before it was told of A.
enum class Update { none, matrix, values, pattern };

/// How a random product is formed.
struct Settings {
  Way way = Way::kernel;
  Op op = Op::none;
  std::string kernel;  ///< of a plan: empty where the plan chooses
  std::string policy;
  FormatOptions format;
  bool row_major_storage = false;
  bool prepared = false;
  bool rank_one = false;            ///< where there is one column
  bool poison_unused_rows = false;  ///< of X
  PlanOptions plan;
  std::int64_t plan_k = 0;  ///< 0: the product's
  Update update = Update::none;
  bool const_plan = false;

  [[nodiscard]] std::string to_string() const {
    constexpr std::array ways = {"kernel", "format of", "plan"};
    constexpr std::array updates = {"", ", updated with a matrix", ", updated with values",
                                    ", updated with another pattern"};
    return detail::concat(
        ways[static_cast<std::size_t>(way)], " ", kernel, " ", policy, prepared ? ", prepared" : "",
        row_major_storage ? ", stored by rows" : "", rank_one ? ", rank 1" : "", ", hack ",
        format.hack_size, ", slice ", format.slice_size, ", window ", format.sort_window,
        ", block ", format.block_size, updates[static_cast<std::size_t>(update)],
        const_plan ? ", const" : "", plan.keep_value_map ? ", with a value map" : "",
        plan.choice && plan.choice->packed ? ", packed" : "", ", plan's k ", plan_k);
  }
};

/// A kernel, one of its policies, and whether its format knows zeros of its own from entries.
struct KernelChoice {
  std::string kernel;
  std::string policy;
  bool portable = false;
  bool keeps_pattern = false;
};

template <class ExecSpace, SpmmKernel... Kernels>
KernelChoice random_kernel(Random& random, TypeList<Kernels...>) {
  const auto chosen = random.between(0, sizeof...(Kernels) - 1);
  KernelChoice choice;
  std::int64_t n = 0;
  const auto consider = [&]<class Kernel>(Kernel) {
    if (n++ != chosen) return;
    using Matrix = typename Kernel::template Matrix<double, std::int32_t, ExecSpace, std::int32_t>;
    choice = {std::string(Kernel::name), "", is_portable<Kernel>, Matrix::keeps_pattern};
    if (random.chance(0.75))
      choice.policy = random.one_of(PolicyOn<Kernel, ExecSpace>::tuning_range()).to_string();
  };
  (consider(Kernels{}), ...);
  return choice;
}

inline FormatOptions random_format(Random& random) {
  constexpr std::array sizes = {1, 2, 4, 7, 8, 16, 32, 33, 64, 5000};
  FormatOptions format;
  if (random.chance(0.5)) format.hack_size = random.one_of(sizes);
  if (random.chance(0.5)) format.slice_size = random.one_of(sizes);
  if (random.chance(0.5)) format.sort_window = random.one_of(sizes);
  format.block_size = random.chance(0.3) ? 0 : random.between(1, 16);
  return format;
}

/// Figures of a machine that there may be: what a plan chooses must not depend on the real one.
template <class ExecSpace>
Machine random_machine(Random& random) {
  Machine machine{"random", ExecSpace::name(), fatvec::detail::is_host<ExecSpace>,
                  static_cast<int>(random.between(1, 64))};
  machine.memory_gbs = 5 + 200 * random.unit();
  machine.cache_gbs = machine.memory_gbs * (random.chance(0.05) ? 0.5 : 1 + 9 * random.unit());
  machine.cache_bytes = 1e4 + 1e8 * random.unit();
  machine.launch_seconds = 1e-5 * random.unit() + 1e-8;
  machine.latency_seconds = 1e-7 * random.unit() + 1e-9;
  return machine;
}

template <class ExecSpace>
PlanOptions random_plan(Random& random, const Settings& settings) {
  constexpr std::array products = {1.0, 10.0, 1e3, 1e6};
  PlanOptions plan{.layout = random.chance(0.5) ? Layout::row : Layout::column,
                   .products = random.one_of(products),
                   .op = settings.op,
                   .machine = random_machine<ExecSpace>(random),
                   .keep_value_map = random.chance(0.4),
                   .format = settings.format};
  if (!settings.kernel.empty())
    plan.choice = Choice{settings.kernel, settings.policy, random.chance(0.5)};
  return plan;
}

template <class ExecSpace>
Settings random_settings(Random& random) {
  constexpr std::array ways = {Way::kernel, Way::kernel, Way::format, Way::plan};
  constexpr std::array ops = {Op::none, Op::none, Op::transpose, Op::conjugate,
                              Op::conjugate_transpose};
  constexpr std::array updates = {Update::none, Update::none, Update::matrix, Update::values,
                                  Update::pattern};
  Settings settings;
  settings.way = random.one_of(ways);
  KernelChoice choice = settings.way == Way::plan ? random_kernel<ExecSpace>(random, PlanKernels{})
                                                  : random_kernel<ExecSpace>(random, AllKernels{});
  if (settings.way == Way::format && choice.portable) settings.way = Way::kernel;
  if (settings.way == Way::plan && random.chance(0.4)) choice = {};  // the plan's own
  settings.kernel = choice.kernel;
  if (settings.way != Way::format) settings.policy = choice.policy;
  if (settings.way != Way::kernel) settings.op = random.one_of(ops);
  settings.format = random_format(random);
  settings.row_major_storage = random.chance(0.5);
  settings.rank_one = random.chance(0.5);
  settings.poison_unused_rows = choice.keeps_pattern && random.chance(0.5);
  if (settings.way != Way::plan) {
    settings.prepared = random.chance(0.3);
    return settings;
  }
  settings.plan = random_plan<ExecSpace>(random, settings);
  settings.plan_k = random.chance(0.3) ? random.between(1, 40) : 0;
  settings.update = random.one_of(updates);
  settings.const_plan = random.chance(0.3);
  return settings;
}

}  // namespace fatvec::test
