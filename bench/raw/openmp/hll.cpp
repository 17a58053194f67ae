// SPDX-License-Identifier: Apache-2.0
#include <fatvec/formats/hll.hpp>

#include "raw/openmp/row_product.hpp"

namespace fatvec::bench::inline FATVEC_BENCH_IN {

/// HLL, whole hacks to a thread, guided as in Calzetta and Lori 2025; schedule:balanced is the one
/// to beat.
void add_raw_openmp_hll(Registry& registry) {
  using Rows = raw::HllRows<raw::StorageOrder::row_major>;
  using Kind = raw::Schedule::Kind;
  for (const auto& [kind, name] :
       {std::pair{Kind::guided, "guided"}, {Kind::balanced, "balanced"}}) {
    registry.add_with_sweep(raw::contender<Rows, HllMatrix>("hll", {kind}, {{"schedule", name}}));
  }
}

}  // namespace fatvec::bench::inline FATVEC_BENCH_IN
