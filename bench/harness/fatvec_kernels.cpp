// SPDX-License-Identifier: Apache-2.0
#include <fatvec/product/product.hpp>

#include "harness/contender.hpp"

namespace fatvec::bench {

/// Contender `fatvec`: every registered kernel on every backend of the build, those of HLL also with other hack sizes. Kokkos'
/// serial backend repeats on one core what the parallel one does; where there is a parallel one, it runs only on request.
void add_fatvec_kernels(Registry& registry) {
  const auto backends = product::backends();
  for (const auto backend : backends) {
    for (const auto& [kernel, format] : product::kernels()) {
      const Contender plain = {
          .name = "fatvec",
          .backend = std::string(backend),
          .format = std::string(format),
          .parameters = {{"kernel", std::string(kernel)}},
          .on_request = backend == "serial" && backends.size() > 1,
          .prepare = [kernel = kernel, backend](const product::Case& task) { return product::prepare(kernel, backend, task); }};
      registry.add(plain);
      if (format != "hll") continue;
      for (const int size : {8, 16, 32, 64, 128, 256}) {
        Contender variant = plain;
        variant.parameters.push_back({"hack_size", std::to_string(size)});
        variant.sweep = "hack_size";
        variant.prepare = [prepare = plain.prepare, size](product::Case task) {
          task.options.hack_size = size;
          return prepare(task);
        };
        registry.add(std::move(variant));
      }
    }
  }
}

}  // namespace fatvec::bench
