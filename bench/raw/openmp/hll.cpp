// SPDX-License-Identifier: Apache-2.0
#include <fatvec/formats/hll.hpp>

#include "raw/openmp/row_product.hpp"

namespace fatvec::bench {

/// HLL, whole hacks to a thread, guided as in seed 001; schedule:balanced is the one to beat.
void add_raw_openmp_hll(Registry& registry) {
  using Rows = raw::HllRows<StorageOrder::row_major>;
  using Kind = raw::Schedule::Kind;
  for (const auto& [kind, name] : {std::pair{Kind::guided, "guided"}, {Kind::balanced, "balanced"}}) {
    raw::add_variant<Rows, HllMatrix>(registry, "hll", {kind}, {{"schedule", name}});
    for (const int size : {8, 16, 32, 64, 128, 256}) {
      raw::add_variant<Rows, HllMatrix>(registry, "hll", {kind}, {{"schedule", name}, {"hack_size", std::to_string(size)}},
                                        "hack_size", size);
    }
  }
}

}  // namespace fatvec::bench
