// SPDX-License-Identifier: Apache-2.0
#include <fatvec/product/product.hpp>

#include "harness/contender.hpp"

namespace fatvec::bench {
namespace {

/// A setting of a format that --sweep tries.
struct Setting {
  std::string_view format;
  const char* name;
  std::int64_t FormatOptions::*option;
  std::vector<std::int64_t> values;
};

std::vector<Setting> settings() {
  const std::vector<std::int64_t> sizes = {8, 16, 32, 64, 128, 256};
  return {{"hll", "hack_size", &FormatOptions::hack_size, sizes},
          {"sell", "slice_size", &FormatOptions::slice_size, sizes},
          {"sell", "sort_window", &FormatOptions::sort_window, {1, 128, 1024, 8192, 65536, INT32_MAX}},
          {"pjad", "slice_size", &FormatOptions::slice_size, sizes}};
}

}  // namespace

/// Contender `fatvec`: every registered kernel on every backend of the build, also with other settings of its format. Kokkos'
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
      for (const auto& setting : settings()) {
        if (setting.format != format) continue;
        for (const auto value : setting.values) {
          Contender variant = plain;
          variant.parameters.push_back({setting.name, std::to_string(value)});
          variant.sweep = setting.name;
          variant.prepare = [prepare = plain.prepare, option = setting.option, value](product::Case task) {
            FormatOptions options = task.options;
            options.*option = value;
            task.options = options;
            return prepare(task);
          };
          registry.add(std::move(variant));
        }
      }
    }
  }
}

}  // namespace fatvec::bench
