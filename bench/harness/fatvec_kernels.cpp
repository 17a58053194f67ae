// SPDX-License-Identifier: Apache-2.0
#include <fatvec/product/product.hpp>

#include "harness/contender.hpp"

namespace fatvec::bench {

void add_fatvec_kernels(Registry& registry) {
  const auto backends = product::backends();
  for (const auto backend : backends) {
    for (const auto& [kernel, format] : product::kernels()) {
      registry.add_with_sweep({.name = "fatvec",
                               .backend = std::string(backend),
                               .format = std::string(format),
                               .parameters = {{"kernel", std::string(kernel)}},
                               .on_request = backend == "serial" && backends.size() > 1,
                               .prepare = [kernel = kernel, backend](const product::Case& task) {
                                 return product::prepare(kernel, backend, task);
                               }});
    }
  }
}

}  // namespace fatvec::bench
