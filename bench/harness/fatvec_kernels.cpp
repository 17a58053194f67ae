// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include <fatvec/app/dispatch/measure.hpp>
#include <fatvec/app/dispatch/product.hpp>

#include "harness/contender.hpp"
#include "harness/scalar.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {
namespace {

/// The same through row-major copies of X and Y, which are part of its time: --sweep packing.
Contender packed(Contender contender) {
  contender = varied(std::move(contender), "packing", "rows",
                     [](product::Case& task) { task.packed = true; });
  contender.unsupported = [](const product::Case& task) -> std::optional<std::string> {
    if (task.layout == Layout::column && task.k > 1) return std::nullopt;
    return "row-major copies are for several columns of layout column";
  };
  return contender;
}

using product::StorageOrder;

/// The same with this policy: --sweep policy.
Contender told(Contender contender, const std::string& policy) {
  std::string value = policy;  // a case's name has / and : between its own parts
  std::replace(value.begin(), value.end(), '/', '+');
  std::replace(value.begin(), value.end(), ':', '=');
  return varied(std::move(contender), "policy", value,
                [policy](product::Case& task) { task.policy = policy; });
}

/// The same with the slots, or the elements of a block, in this order: --sweep storage.
Contender stored(Contender contender, StorageOrder order) {
  return varied(std::move(contender), "storage", std::string(to_string(order)),
                [order](product::Case& task) { task.storage = order; });
}

}  // namespace

void add_fatvec_kernels(Registry& registry) {
  for (const auto backend : product::backends()) {
    for (const auto& [kernel, format, portable] : product::kernels()) {
      const Contender contender{.name = portable ? "fatvec-portable" : "fatvec",
                                .backend = std::string(backend),
                                .format = std::string(format),
                                .parameters = {{"kernel", std::string(kernel)}},
                                .on_request = runs_on_request(backend),
                                .single_precision = product::has_single_precision(kernel),
                                .prepare = [kernel = kernel, backend](const product::Case& task) {
                                  return product::prepare(kernel, backend, task);
                                }};
      registry.add_with_sweep(contender);
      registry.add(packed(contender));
      if (portable)
        for (const auto& policy : product::policies(kernel, backend))
          if (!policy.empty()) registry.add(told(contender, policy));
      if (format == "ellpack" || format == "hll" || format == "bsr")
        for (const auto order : {StorageOrder::column_major, StorageOrder::row_major})
          registry.add(stored(contender, order));
    }
  }
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
