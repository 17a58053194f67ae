// SPDX-License-Identifier: Apache-2.0
#include <map>

#include <fatvec/app/dispatch/backends.hpp>
#include <fatvec/app/dispatch/measure.hpp>
#include <fatvec/plan/kept_machine.hpp>

namespace fatvec::product {

const Machine& require_plausible(const Machine& machine) {
  if (const std::string problem = machine_problem(machine); !problem.empty())
    throw Error(detail::concat(
        "this machine cannot be measured: ", problem,
        " Other processes, or more threads than processors, are in the way; nothing is "
        "remembered. End them, set OMP_NUM_THREADS to the processors that are free, or let threads "
        "sleep while they wait (OMP_WAIT_POLICY=passive), and try again."));
  return machine;
}

const Machine& machine(std::string_view backend) {
  static std::map<std::string_view, Machine> machines;
  for_each_backend([&](auto space) {
    if (backend == space.name && !machines.contains(space.name))
      machines[space.name] = kept_machine(typename decltype(space)::Space());
  });
  const auto found = machines.find(backend);
  if (found == machines.end()) throw UsageError(detail::concat("unknown backend '", backend, "'."));
  return require_plausible(found->second);
}

Structure structure(const HostCsr& csr, const FormatOptions& options) {
  return structure_of(HostCsr::execution_space(), csr, options);
}

std::uint64_t free_memory_of(std::string_view backend) {
  std::uint64_t bytes = 0;
  for_each_backend([&](auto space) {
    if (backend == space.name) bytes = free_memory<typename decltype(space)::Space::memory_space>();
  });
  return bytes;
}

tune::Key key_of(std::string_view backend, const Case& task) {
  const HostCsr::execution_space host;
  tune::Key key = task.float_values
                      ? tune::key_of(host, single_precision(task.matrix), task.k, task.layout)
                      : tune::key_of(host, task.matrix, task.k, task.layout);
  for_each_backend([&](auto space) {
    using Space = typename decltype(space)::Space;
    if (backend == space.name) key.device = tune::device_key(Space());
  });
  return key;
}

std::vector<std::string> policies(std::string_view kernel, std::string_view backend) {
  std::vector<std::string> list = {""};
  for_each_kernel([&](auto candidate) {
    for_each_backend([&](auto space) {
      if (kernel != candidate.name || backend != space.name) return;
      using Kernel = decltype(candidate);
      using Space = typename decltype(space)::Space;
      using Policy = PolicyOn<Kernel, Space>;
      if (!heeds_policy<Kernel, double>(Space())) return;
      for (const auto& policy : Policy::tuning_range()) list.push_back(policy.to_string());
    });
  });
  return list;
}

}  // namespace fatvec::product
